/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-own.h"

#include <string.h>

#include "base/i18n.h"

struct own_record {
	const char *name; /* perf's */
	/* Reads what follows the header; or NULL. */
	void (*read)(struct file_header *h, struct bytes b, struct file_own_rest *rest);
	bool outer;  /* makes no sense in what was compressed */
	bool whole;  /* READ gets it with its header */
	bool unused; /* without it something is missing */
};

/* attr, then the ids of its counters: as many as there is room for. */
static void read_attr(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	struct bytes size = b;
	struct error err = { "" };
	int event;

	(void)rest;
	if (h->events->complete) {
		file_damage_note(h->damage, _("it describes an event behind its first records"));
		return;
	}
	bytes_u32(&size);
	size.left = bytes_u32(&size);
	if (size.left < 64 || size.left > b.left)
		size.left = 64;
	bytes_take(&b, size.left);
	size = (struct bytes){ .at = b.at - size.left, .left = size.left, .swap = b.swap };
	event = b.failed ? -1 : file_events_add(h->events, &size, &err);
	if (event < 0) {
		file_damage_note(h->damage, "%s", err.text);
		return;
	}
	while (b.left >= sizeof(uint64_t))
		file_events_add_id(h->events, (size_t)event, bytes_u64(&b));
}

/* A name for every event of a config: what perf up to 3.11 wrote. */
static void read_event_type(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	uint64_t config = bytes_u64(&b);
	const char *name = bytes_text(&b, b.left);

	(void)rest;
	for (size_t i = 0; name && i < h->events->count; i++)
		if (h->events->evlist->items[i]->config == config)
			file_events_set_name(h->events, i, name, strlen(name));
}

/* Kind 2 is a name; the other kinds are unit, scale and CPUs. */
static void read_event_update(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	uint64_t kind = bytes_u64(&b);
	int event = file_events_find_id(h->events, bytes_u64(&b));
	const char *name = bytes_text(&b, b.left);

	(void)rest;
	if (kind == 2 && event >= 0 && name)
		file_events_set_name(h->events, (size_t)event, name, strlen(name));
}

static void read_build_id(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	(void)rest;
	file_build_ids_add(&h->build_ids, &b);
}

static void read_feature(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	uint64_t feature = bytes_u64(&b);

	(void)rest;
	file_header_read_feature(h, feature, b);
}

static void read_round(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	(void)h;
	(void)b;
	rest->round = true;
}

static void read_compressed(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	(void)h;
	rest->compressed = b;
}

/* Padded to words, hence with its size. */
static void read_compressed2(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	uint64_t size = bytes_u64(&b);

	if (size > b.left)
		file_damage_note(h->damage, _("what is compressed in it is cut short"));
	rest->compressed = bytes_of(b.at, size < b.left ? size : b.left);
}

static void read_tracing_data(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	(void)h;
	rest->behind = ((uint64_t)bytes_u32(&b) + 7) / 8 * 8;
}

static void read_auxtrace(struct file_header *h, struct bytes b, struct file_own_rest *rest)
{
	(void)h;
	rest->behind = bytes_u64(&b);
}

static const struct own_record own_records[] = {
	{ .name = "HEADER_ATTR", .read = read_attr },
	{ .name = "HEADER_EVENT_TYPE", .read = read_event_type },
	{ .name = "HEADER_TRACING_DATA", .read = read_tracing_data, .outer = true },
	{ .name = "HEADER_BUILD_ID", .read = read_build_id, .whole = true },
	{ .name = "FINISHED_ROUND", .read = read_round },
	{ .name = "ID_INDEX" },
	{ .name = "AUXTRACE_INFO", .unused = true },
	{ .name = "AUXTRACE", .read = read_auxtrace, .outer = true, .unused = true },
	{ .name = "AUXTRACE_ERROR", .unused = true },
	{ .name = "THREAD_MAP" },
	{ .name = "CPU_MAP" },
	{ .name = "STAT_CONFIG", .unused = true },
	{ .name = "STAT", .unused = true },
	{ .name = "STAT_ROUND", .unused = true },
	{ .name = "EVENT_UPDATE", .read = read_event_update },
	{ .name = "TIME_CONV" },
	{ .name = "HEADER_FEATURE", .read = read_feature },
	{ .name = "COMPRESSED", .read = read_compressed, .outer = true },
	{ .name = "FINISHED_INIT" },
	{ .name = "COMPRESSED2", .read = read_compressed2, .outer = true },
	{ .name = "BPF_METADATA" },
};

#define OWN_RECORDS (sizeof(own_records) / sizeof(*own_records))
#define HEADER_SIZE 8u

struct file_own_rest file_own_read(struct file_own *own, uint32_t type, struct bytes b,
				   bool decompressed)
{
	uint32_t number = type - FILE_OWN_FIRST;
	const struct own_record *record = number < OWN_RECORDS ? &own_records[number] : NULL;
	struct file_own_rest rest = { 0 };

	if (!record || record->unused)
		own->unused[number < 256 ? number : 255]++;
	if (!record)
		return rest;
	if (decompressed && record->outer) {
		file_damage_note(own->header->damage,
				 _("what is compressed in it holds no records of a kernel"));
		return rest;
	}
	if (!record->whole)
		bytes_take(&b, HEADER_SIZE);
	if (record->read)
		record->read(own->header, b, &rest);
	return rest;
}

void file_own_list_unused(const struct file_own *own, struct buf *b)
{
	for (uint32_t i = 0; i < 256; i++) {
		if (!own->unused[i])
			continue;
		if (b->size)
			buf_add_str(b, ", ");
		buf_printf(b, "%llu ", (unsigned long long)own->unused[i]);
		if (i < OWN_RECORDS)
			buf_add_str(b, own_records[i].name);
		else
			buf_printf(b, "%u", i + FILE_OWN_FIRST);
	}
}
