/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/data/file-sched.h"

/*
 * The parts around the records.  In file layout a header of 104 bytes,
 *
 *	"PERFILE2" size attr_size attrs data event_types features[4]
 *
 * where attrs, data and event_types are (offset, size), and `features` has a bit for each of the
 * sections whose (offset, size) follow the data.  In pipe layout "PERFILE2" and the size 16, then
 * records at once.  "PERFFILE" is what the oldest perf wrote, otherwise the same.
 */
#define STREAM_HEADER_SIZE 16u
#define FILE_HEADER_SIZE 104u
#define SECTION_SIZE 16u
#define SECTION_MAX (64u * 1024 * 1024) /* a feature; build ids are the longest */
#define TEXT_MAX 65536u
#define WORDS_MAX 4096u /* of a command line */
#define FEATURES 64u
#define KERNEL_NAME "[kernel.kallsyms]"

enum { /* bits of `features`: HEADER_* in tools/perf/util/header.h */
       FEATURE_TRACING_DATA = 1,
       FEATURE_BUILD_ID = 2,
       FEATURE_HOSTNAME = 3,
       FEATURE_OSRELEASE = 4,
       FEATURE_ARCH = 6,
       FEATURE_NRCPUS = 7,
       FEATURE_CMDLINE = 11,
       FEATURE_EVENT_DESC = 12,
       FEATURE_SAMPLE_TIME = 21,
};

struct section {
	uint64_t offset, size;
};

struct sections {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t features; /* the first word: higher bits are not given out yet */
};

/* A whole section, owned by the caller; NULL when the file has not got it. */
static unsigned char *section_read(const struct file_header *h, const struct section *s)
{
	unsigned char *bytes;
	uint64_t end = h->part->size;

	if (s->size > SECTION_MAX || s->offset > end || s->size > end - s->offset)
		return NULL;
	bytes = mem_alloc(s->size + 1);
	if (io_read_at(h->part->fd, s->offset, bytes, s->size) == s->size)
		return bytes;
	free(bytes);
	return NULL;
}

static struct bytes bytes_in(const struct file_header *h, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size);

	b.swap = h->events->swap;
	return b;
}

/* A text of the header's form: its size with padding, then the bytes with at least one NUL. */
static const char *take_text(struct bytes *b)
{
	uint32_t size = bytes_u32(b);

	if (size > TEXT_MAX) {
		b->failed = true;
		return NULL;
	}
	return size ? bytes_text(b, size) : "";
}

static void set_text(char **to, struct bytes *b)
{
	const char *text = take_text(b);

	if (!text)
		return;
	free(*to);
	*to = mem_strdup(text);
}

static void read_hostname(struct file_header *h, struct bytes *b)
{
	set_text(&h->machine->hostname, b);
}

static void read_release(struct file_header *h, struct bytes *b)
{
	set_text(&h->machine->release, b);
}

static void read_arch(struct file_header *h, struct bytes *b)
{
	set_text(&h->machine->arch, b);
}

/* CPUs that there may be, and that were online. */
static void read_cpus(struct file_header *h, struct bytes *b)
{
	bytes_u32(b);
	h->machine->cpus = bytes_u32(b);
}

/* The times of the first and of the last sample. */
static void read_times(struct file_header *h, struct bytes *b)
{
	h->machine->first_sample_ns = bytes_u64(b);
	h->machine->last_sample_ns = bytes_u64(b);
}

static void read_command(struct file_header *h, struct bytes *b)
{
	struct buf command = { 0 };
	uint32_t words = bytes_u32(b);

	for (uint32_t i = 0; i < words && i < WORDS_MAX && !b->failed; i++) {
		const char *word = take_text(b);

		if (!word)
			break;
		if (i)
			buf_add_char(&command, ' ');
		buf_add_str(&command, word);
	}
	if (!command.bytes)
		return;
	free(h->machine->command);
	h->machine->command = command.bytes;
}

/* Names of the events, in the order of the attrs: attr, number of ids, name, ids. */
static void read_event_names(struct file_header *h, struct bytes *b)
{
	uint32_t count = bytes_u32(b), attr_size = bytes_u32(b);

	for (uint32_t i = 0; i < count && !b->failed; i++) {
		const char *name;
		uint32_t ids;

		bytes_take(b, attr_size);
		ids = bytes_u32(b);
		name = take_text(b);
		if (ids > b->left / sizeof(uint64_t)) {
			b->failed = true;
			return;
		}
		bytes_take(b, ids * sizeof(uint64_t));
		if (name && i < h->events->count)
			file_events_set_name(h->events, i, name, strlen(name));
	}
}

static void read_build_ids(struct file_header *h, struct bytes *b)
{
	const struct build_id *kernel;

	file_build_ids_add_all(&h->build_ids, b);
	kernel = file_build_ids_find(&h->build_ids, KERNEL_NAME);
	if (kernel)
		h->machine->kernel_build_id = *kernel;
}

/* A section that is cut short is missed only by those who need it. */
static void read_tracing_data(struct file_header *h, struct bytes *b)
{
	file_sched_read(h->events, *b);
}

static void (*const readers[FEATURES])(struct file_header *h, struct bytes *b) = {
	[FEATURE_TRACING_DATA] = read_tracing_data,
	[FEATURE_BUILD_ID] = read_build_ids,
	[FEATURE_HOSTNAME] = read_hostname,
	[FEATURE_OSRELEASE] = read_release,
	[FEATURE_ARCH] = read_arch,
	[FEATURE_NRCPUS] = read_cpus,
	[FEATURE_CMDLINE] = read_command,
	[FEATURE_EVENT_DESC] = read_event_names,
	[FEATURE_SAMPLE_TIME] = read_times,
};

void file_header_read_feature(struct file_header *h, uint64_t feature, struct bytes b)
{
	if (feature >= FEATURES || !readers[feature])
		return;
	readers[feature](h, &b);
	if (b.failed)
		file_damage_note(h->damage, _("section %u of its header is cut short"),
				 (unsigned)feature);
}

static struct section take_section(struct bytes *b)
{
	struct section s;

	s.offset = bytes_u64(b);
	s.size = bytes_u64(b);
	return s;
}

/*
 * On the other byte order the bits are where a machine whose words have 64 bits puts them; one of
 * 32 bits writes the two halves the other way round.  Every perf tells the host's name.
 */
static uint64_t fix_features(const struct file_header *h, uint64_t features)
{
	if (!h->events->swap || features & 1u << FEATURE_HOSTNAME)
		return features;
	return features >> 32 | features << 32;
}

static void read_features(struct file_header *h, const struct sections *at)
{
	struct section table = { .offset = at->data.offset + at->data.size };
	uint64_t features = fix_features(h, at->features);
	unsigned char *bytes, *content;
	struct bytes b;

	table.size = (uint64_t)__builtin_popcountll(features) * SECTION_SIZE;
	bytes = section_read(h, &table);
	if (!bytes) {
		file_damage_note(h->damage, _("the sections of its header are missing"));
		return;
	}
	b = bytes_in(h, bytes, table.size);
	for (unsigned i = 0; i < FEATURES; i++) {
		struct section s;

		if (!(features >> i & 1))
			continue;
		s = take_section(&b);
		if (!readers[i])
			continue;
		content = section_read(h, &s);
		if (content)
			file_header_read_feature(h, i, bytes_in(h, content, s.size));
		else
			file_damage_note(h->damage, _("section %u of its header is missing"), i);
		free(content);
	}
	free(bytes);
}

static void read_ids(struct file_header *h, size_t event, const struct section *s)
{
	unsigned char *bytes = section_read(h, s);
	struct bytes b = bytes_in(h, bytes, bytes ? s->size : 0);

	if (!bytes)
		file_damage_note(h->damage, _("the ids of event %zu are missing"), event + 1);
	while (b.left >= sizeof(uint64_t))
		file_events_add_id(h->events, event, bytes_u64(&b));
	free(bytes);
}

static int read_attrs(struct file_header *h, const struct sections *at, struct error *err)
{
	size_t attr_size = (size_t)at->attr_size - SECTION_SIZE;
	unsigned char *bytes = section_read(h, &at->attrs);
	struct bytes b = bytes_in(h, bytes, bytes ? at->attrs.size : 0);
	int event = 0;

	if (!bytes)
		return error_set(err, _("the descriptions of its events are missing"));
	while (b.left >= at->attr_size && event >= 0) {
		struct bytes attr = b;
		struct section ids;

		attr.left = attr_size;
		bytes_take(&b, attr_size);
		ids = take_section(&b);
		event = file_events_add(h->events, &attr, err);
		if (event >= 0)
			read_ids(h, (size_t)event, &ids);
	}
	free(bytes);
	return event < 0 ? -1 : file_events_check(h->events, err);
}

/* A recording whose perf was killed says that it has no data: then they go up to the end. */
static void start_data(struct file_header *h, const struct sections *at)
{
	struct file_part *p = h->part;
	uint64_t there = at->data.offset < p->size ? p->size - at->data.offset : 0;

	p->left = at->data.size ? at->data.size : there;
	if (!at->data.size)
		file_damage_note(h->damage,
				 _("its perf did not end in an orderly way: names of events and "
				   "build ids are missing"));
	if (p->left > there) {
		file_damage_note(h->damage, _("it was cut short"));
		h->damage->bytes += p->left - there;
		p->left = there;
	}
	p->records_at = at->data.offset;
	lseek(p->fd, (off_t)at->data.offset, SEEK_SET);
}

static int read_file_header(struct file_header *h, const unsigned char *bytes, struct error *err)
{
	struct bytes b = bytes_in(h, bytes, FILE_HEADER_SIZE);
	struct sections at;

	bytes_take(&b, 8);
	at.size = bytes_u64(&b);
	at.attr_size = bytes_u64(&b);
	at.attrs = take_section(&b);
	at.data = take_section(&b);
	take_section(&b); /* event types: EVENT_DESC has the names */
	at.features = bytes_u64(&b);
	if (at.size < FILE_HEADER_SIZE || at.attr_size < 64 + SECTION_SIZE || at.attr_size > 4096 ||
	    at.data.offset > INT64_MAX || at.data.size > INT64_MAX)
		return error_set(err, _("the sizes in its header cannot be"));
	if (read_attrs(h, &at, err))
		return -1;
	if (at.data.size && at.data.offset + at.data.size <= h->part->size)
		read_features(h, &at);
	start_data(h, &at);
	return 0;
}

/* By the magic; the oldest one is a text that has no order: there the size of an attr tells. */
static int read_magic(struct file_header *h, const unsigned char *bytes, uint64_t *size,
		      struct error *err)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
	struct bytes b = bytes_of(bytes + 8, 8);
	size_t i = 0;

	while (i < 3 && memcmp(bytes, magics[i], 8))
		i++;
	if (i == 3)
		return error_set(err, _("it is no recording of perf: those begin with PERFILE2"));
	*size = bytes_u64(&b);
	h->events->swap = i == 1 || (i == 2 && *size > UINT32_MAX);
	if (h->events->swap)
		*size = __builtin_bswap64(*size);
	return 0;
}

int file_header_read(struct file_header *h, struct error *err)
{
	unsigned char bytes[FILE_HEADER_SIZE] = { 0 };
	struct file_part *p = h->part;
	size_t wanted = p->seekable ? FILE_HEADER_SIZE : STREAM_HEADER_SIZE;
	size_t there = io_read(p->fd, bytes, wanted);
	uint64_t size = 0;

	if (there < wanted && errno)
		return error_set(err, "%s", strerror(errno));
	if (there < STREAM_HEADER_SIZE)
		return error_set(err, _("it is too short for a recording of perf"));
	if (read_magic(h, bytes, &size, err))
		return -1;
	if (size == STREAM_HEADER_SIZE) {
		h->stream = true;
		p->records_at = STREAM_HEADER_SIZE;
		p->left = UINT64_MAX;
		if (p->seekable)
			lseek(p->fd, STREAM_HEADER_SIZE, SEEK_SET);
		return 0;
	}
	if (!p->seekable)
		return error_set(err,
				 _("only what 'perf record -o -' writes can be read from a pipe: "
				   "give the file's name"));
	return read_file_header(h, bytes, err);
}
