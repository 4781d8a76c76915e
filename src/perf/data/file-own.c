/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/buf.h"
#include "base/i18n.h"
#include "perf/data/file-state.h"

/*
 * Records of perf itself, which it writes among the kernel's: enum perf_user_event_type in
 * tools/lib/perf/include/perf/event.h.
 */
#define OWN_FIRST 64u

struct own_record {
	const char *name;		/* perf's */
	void (*read)(struct file_source *f, struct bytes b);	/* what follows the header; or NULL */
	/* How many bytes follow the record that are none; NULL: none. */
	uint64_t (*behind)(struct bytes b);
	bool outer;			/* makes no sense in what was compressed */
	bool whole;			/* READ gets it with its header */
	bool known;			/* nothing is missing when it is not read */
};

/* attr, then the ids of its counters: as many as there is room for. */
static void read_attr(struct file_source *f, struct bytes b)
{
	struct bytes size = b;
	struct error err = { "" };
	int event;

	if (f->has_events) {
		file_damaged(f, _("it describes an event behind its first records"));
		return;
	}
	bytes_u32(&size);
	size.left = bytes_u32(&size);
	if (size.left < 64 || size.left > b.left)
		size.left = 64;
	bytes_take(&b, size.left);
	size = (struct bytes){ .at = b.at - size.left, .left = size.left, .swap = b.swap };
	event = b.failed ? -1 : file_events_add(&f->events, &size, &err);
	if (event < 0) {
		file_damaged(f, "%s", err.text);
		return;
	}
	while (b.left >= sizeof(uint64_t))
		file_events_add_id(&f->events, (size_t)event, bytes_u64(&b));
}

/* A name for every event of a config: what perf up to 3.11 wrote. */
static void read_event_type(struct file_source *f, struct bytes b)
{
	uint64_t config = bytes_u64(&b);
	const char *name = bytes_text(&b, b.left);

	for (size_t i = 0; name && i < f->events.count; i++)
		if (f->events.evlist->items[i]->config == config)
			file_events_set_name(&f->events, i, name, strlen(name));
}

/* Of kind 2 is a name; the others are unit, scale and CPUs. */
static void read_event_update(struct file_source *f, struct bytes b)
{
	uint64_t kind = bytes_u64(&b);
	int event = file_events_find_id(&f->events, bytes_u64(&b));
	const char *name = bytes_text(&b, b.left);

	if (kind == 2 && event >= 0 && name)
		file_events_set_name(&f->events, (size_t)event, name, strlen(name));
}

static void read_build_id(struct file_source *f, struct bytes b)
{
	file_build_id_read(f, b);
}

static void read_feature(struct file_source *f, struct bytes b)
{
	uint64_t feature = bytes_u64(&b);

	if (feature < FILE_FEATURES)
		file_feature_read(f, (unsigned)feature, b);
}

/*
 * perf went once round all buffers: what it will read in the next round but one is newer than all
 * that it had read when the previous round ended.
 */
static void read_round(struct file_source *f, struct bytes b)
{
	(void)b;
	if (f->part_count > 1)
		return;			/* it says nothing of the other files */
	file_hand_over(f, f->round_ns);
	f->round_ns = f->newest_ns;
}

/* SIZE bytes of Zstandard become records in PLAIN.  Each part is a stream of its own. */
static void decompress(struct file_source *f, const void *bytes, size_t size)
{
	struct file_part *p = f->part;
	size_t room, n;

	if (!p->decompressor)
		p->decompressor = decompressor_new();
	if (p->decompressor)
		decompressor_feed(p->decompressor, bytes, size);
	do {
		unsigned char *to = file_input_room(&p->plain, &room);

		n = p->decompressor ? decompressor_next(p->decompressor, to, room) : (size_t)-1;
		if (n == (size_t)-1) {
			f->bad_bytes += size;
			file_damaged(f, p->decompressor ? _("what is compressed in it is damaged")
							: _("it is compressed (perf record -z), and "
							    "reading that is not built in"));
			return;
		}
		file_input_put(&p->plain, n);
		p->decompressing = true;
		file_take_records(f, &p->plain);
		p->decompressing = false;
	} while (n);
}

static void read_compressed(struct file_source *f, struct bytes b)
{
	decompress(f, b.at, b.left);
}

/* Padded to words, hence with its size. */
static void read_compressed2(struct file_source *f, struct bytes b)
{
	uint64_t size = bytes_u64(&b);

	if (size > b.left)
		file_damaged(f, _("what is compressed in it is cut short"));
	decompress(f, b.at, size < b.left ? size : b.left);
}

static uint64_t tracing_data_behind(struct bytes b)
{
	return ((uint64_t)bytes_u32(&b) + 7) / 8 * 8;
}

static uint64_t auxtrace_behind(struct bytes b)
{
	return bytes_u64(&b);
}

static const struct own_record own_records[] = {
	{ .name = "HEADER_ATTR", .read = read_attr },
	{ .name = "HEADER_EVENT_TYPE", .read = read_event_type },
	{ .name = "HEADER_TRACING_DATA", .behind = tracing_data_behind, .outer = true,
	  .known = true },
	{ .name = "HEADER_BUILD_ID", .read = read_build_id, .whole = true },
	{ .name = "FINISHED_ROUND", .read = read_round },
	{ .name = "ID_INDEX", .known = true },
	{ .name = "AUXTRACE_INFO" },
	{ .name = "AUXTRACE", .behind = auxtrace_behind, .outer = true },
	{ .name = "AUXTRACE_ERROR" },
	{ .name = "THREAD_MAP", .known = true },
	{ .name = "CPU_MAP", .known = true },
	{ .name = "STAT_CONFIG" },
	{ .name = "STAT" },
	{ .name = "STAT_ROUND" },
	{ .name = "EVENT_UPDATE", .read = read_event_update },
	{ .name = "TIME_CONV", .known = true },
	{ .name = "HEADER_FEATURE", .read = read_feature },
	{ .name = "COMPRESSED", .read = read_compressed, .outer = true },
	{ .name = "FINISHED_INIT", .known = true },
	{ .name = "COMPRESSED2", .read = read_compressed2, .outer = true },
	{ .name = "BPF_METADATA", .known = true },
};

#define OWN_RECORDS (sizeof(own_records) / sizeof(*own_records))
#define HEADER_SIZE 8u

void file_own_record(struct file_source *f, uint32_t type, const unsigned char *data, size_t size)
{
	uint32_t number = type - OWN_FIRST;
	const struct own_record *own = number < OWN_RECORDS ? &own_records[number] : NULL;
	struct bytes b = bytes_of(data, size);

	b.swap = f->events.swap;
	if (!own || (!own->read && !own->known))
		f->unused[number < 256 ? number : 255]++;
	if (!own)
		return;
	if (f->part->decompressing && own->outer) {
		file_damaged(f, _("what is compressed in it holds no records of a kernel"));
		return;
	}
	if (!own->whole)
		bytes_take(&b, HEADER_SIZE);
	if (own->read)
		own->read(f, b);
	if (own->behind)
		f->part->skip = own->behind(b);
}

void file_own_unused(const struct file_source *f, struct buf *b)
{
	for (uint32_t i = 0; i < 256; i++) {
		if (!f->unused[i])
			continue;
		if (b->size)
			buf_add_str(b, ", ");
		buf_printf(b, "%llu ", (unsigned long long)f->unused[i]);
		if (i < OWN_RECORDS)
			buf_add_str(b, own_records[i].name);
		else
			buf_printf(b, "%u", i + OWN_FIRST);
	}
}
