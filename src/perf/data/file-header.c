/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/data/file-state.h"

/*
 * What is around the records.  In file layout a header of 104 bytes,
 *
 *	"PERFILE2" size attr_size attrs data event_types features[4]
 *
 * where attrs, data and event_types are (offset, size), and `features` has a bit for each of the
 * sections whose (offset, size) follow the data.  In pipe layout "PERFILE2" and the size 16, then
 * records at once.  "PERFFILE" is what the oldest perf wrote, otherwise the same.
 */
#define STREAM_HEADER_SIZE 16u
#define FILE_HEADER_SIZE   104u
#define SECTION_SIZE	   16u
#define SECTION_MAX	   (64u * 1024 * 1024)	/* a feature; build ids are the longest */
#define TEXT_MAX	   65536u
#define WORDS_MAX	   4096u		/* of a command line */
#define BUILD_ID_HAS_SIZE  (1u << 15)		/* PERF_RECORD_MISC_BUILD_ID_SIZE */
#define BUILD_IDS_MAX	   (1024u * 1024)
#define KERNEL_NAME	   "[kernel.kallsyms]"

enum {		/* bits of `features`: HEADER_* in tools/perf/util/header.h */
	FEATURE_TRACING_DATA = 1, FEATURE_BUILD_ID = 2, FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4, FEATURE_ARCH = 6, FEATURE_NRCPUS = 7, FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12, FEATURE_SAMPLE_TIME = 21,
};

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t features;		/* the first word: higher bits are not given out yet */
};

static ssize_t read_at(const struct file_source *f, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && offset + done <= INT64_MAX) {
		ssize_t n = pread(f->parts->fd, (char *)bytes + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* A whole section, owned by the caller; NULL when the file has not got it. */
static unsigned char *section_read(const struct file_source *f, const struct section *s)
{
	unsigned char *bytes;
	uint64_t end = f->parts->size;

	if (s->size > SECTION_MAX || s->offset > end || s->size > end - s->offset)
		return NULL;
	bytes = mem_alloc(s->size + 1);
	if ((uint64_t)read_at(f, s->offset, bytes, s->size) == s->size)
		return bytes;
	free(bytes);
	return NULL;
}

static struct bytes bytes_in(const struct file_source *f, const void *data, size_t size)
{
	struct bytes b = bytes_of(data, size);

	b.swap = f->events.swap;
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

static void read_hostname(struct file_source *f, struct bytes *b)
{
	set_text(&f->machine.hostname, b);
}

static void read_release(struct file_source *f, struct bytes *b)
{
	set_text(&f->machine.release, b);
}

static void read_arch(struct file_source *f, struct bytes *b)
{
	set_text(&f->machine.arch, b);
}

/* CPUs that there may be, and that were online. */
static void read_cpus(struct file_source *f, struct bytes *b)
{
	bytes_u32(b);
	f->machine.cpus = bytes_u32(b);
}

/* Of the first and of the last sample. */
static void read_times(struct file_source *f, struct bytes *b)
{
	f->machine.first_sample_ns = bytes_u64(b);
	f->machine.last_sample_ns = bytes_u64(b);
}

static void read_command(struct file_source *f, struct bytes *b)
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
	free(f->machine.command);
	f->machine.command = command.bytes;
}

/* Names of the events, in the order of the attrs: attr, number of ids, name, ids. */
static void read_event_names(struct file_source *f, struct bytes *b)
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
		if (name && i < f->events.count)
			file_events_set_name(&f->events, i, name, strlen(name));
	}
}

static uint64_t path_key(const char *path)
{
	return hash_bytes(path, strlen(path));
}

const struct file_build_id *file_build_id_find(const struct file_source *f, const char *path)
{
	const struct file_build_id *id;

	if (!f->build_ids.count)
		return NULL;
	id = map_find(&f->build_ids, path_key(path));
	while (id && strcmp(id->path, path))
		id = id->same_hash;
	return id;
}

void file_build_ids_fini(struct file_source *f)
{
	struct file_build_id *id, *next;

	for (size_t i = 0; (id = map_next(&f->build_ids, &i));)
		for (; id; id = next) {
			next = id->same_hash;
			free(id);
		}
	map_fini(&f->build_ids);
}

static void add_build_id(struct file_source *f, const char *path, struct build_id build_id)
{
	size_t length = strlen(path);
	struct file_build_id *id;

	if (f->build_ids.count >= BUILD_IDS_MAX || file_build_id_find(f, path))
		return;
	id = mem_alloc(sizeof(*id) + length + 1);
	memcpy(id->path, path, length + 1);
	id->id = build_id;
	id->same_hash = map_find(&f->build_ids, path_key(path));
	map_put(&f->build_ids, path_key(path), id);
	if (!strcmp(path, KERNEL_NAME))
		f->machine.kernel_build_id = build_id;
}

/* Older ones do not say their size: it was that of SHA-1, unless zeros fill it up from 16. */
static uint8_t build_id_size(const uint8_t bytes[24], uint16_t misc)
{
	static const uint8_t none[4];

	if (misc & BUILD_ID_HAS_SIZE)
		return bytes[20] <= BUILD_ID_MAX ? bytes[20] : BUILD_ID_MAX;
	return memcmp(bytes + 16, none, sizeof(none)) ? 20 : 16;
}

void file_build_id_read(struct file_source *f, struct bytes b)
{
	const uint8_t *bytes;
	const char *path;
	uint16_t misc;

	bytes_u32(&b);			/* type */
	misc = bytes_u16(&b);
	bytes_u16(&b);			/* size */
	bytes_u32(&b);			/* pid: of a guest's kernel */
	bytes = bytes_take(&b, 24);
	path = bytes_text(&b, b.left);
	if (!b.failed)
		add_build_id(f, path, build_id_of(bytes, build_id_size(bytes, misc)));
}

/* Records like those in pipe layout, one after the other. */
static void read_build_ids(struct file_source *f, struct bytes *b)
{
	while (b->left) {
		struct bytes header = *b, one = *b;
		uint16_t size;

		bytes_u32(&header);
		bytes_u16(&header);
		size = bytes_u16(&header);
		if (header.failed || size < 8 || size > b->left) {
			b->failed = true;
			return;
		}
		bytes_take(b, size);
		one.left = size;
		file_build_id_read(f, one);
	}
}

/* What is missing there is only missed by who needs it. */
static void read_tracing_data(struct file_source *f, struct bytes *b)
{
	file_sched_read(f, *b);
}

static void (*const readers[FILE_FEATURES])(struct file_source *f, struct bytes *b) = {
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

void file_feature_read(struct file_source *f, unsigned feature, struct bytes b)
{
	if (feature >= FILE_FEATURES || !readers[feature])
		return;
	readers[feature](f, &b);
	if (b.failed)
		file_damaged(f, _("section %u of its header is cut short"), feature);
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
static uint64_t fix_features(const struct file_source *f, uint64_t features)
{
	if (!f->events.swap || features & 1u << FEATURE_HOSTNAME)
		return features;
	return features >> 32 | features << 32;
}

static void read_features(struct file_source *f, const struct header *h)
{
	struct section table = { .offset = h->data.offset + h->data.size };
	uint64_t features = fix_features(f, h->features);
	unsigned char *bytes, *content;
	struct bytes b;

	table.size = (uint64_t)__builtin_popcountll(features) * SECTION_SIZE;
	bytes = section_read(f, &table);
	if (!bytes) {
		file_damaged(f, _("the sections of its header are missing"));
		return;
	}
	b = bytes_in(f, bytes, table.size);
	for (unsigned i = 0; i < FILE_FEATURES; i++) {
		struct section s;

		if (!(features >> i & 1))
			continue;
		s = take_section(&b);
		if (!readers[i])
			continue;
		content = section_read(f, &s);
		if (content)
			file_feature_read(f, i, bytes_in(f, content, s.size));
		else
			file_damaged(f, _("section %u of its header is missing"), i);
		free(content);
	}
	free(bytes);
}

static void read_ids(struct file_source *f, size_t event, const struct section *s)
{
	unsigned char *bytes = section_read(f, s);
	struct bytes b = bytes_in(f, bytes, bytes ? s->size : 0);

	if (!bytes)
		file_damaged(f, _("the ids of event %zu are missing"), event + 1);
	while (b.left >= sizeof(uint64_t))
		file_events_add_id(&f->events, event, bytes_u64(&b));
	free(bytes);
}

static int read_attrs(struct file_source *f, const struct header *h, struct error *err)
{
	size_t attr_size = (size_t)h->attr_size - SECTION_SIZE;
	unsigned char *bytes = section_read(f, &h->attrs);
	struct bytes b = bytes_in(f, bytes, bytes ? h->attrs.size : 0);
	int event = 0;

	if (!bytes)
		return error_set(err, _("the descriptions of its events are missing"));
	while (b.left >= h->attr_size && event >= 0) {
		struct bytes attr = b;
		struct section ids;

		attr.left = attr_size;
		bytes_take(&b, attr_size);
		ids = take_section(&b);
		event = file_events_add(&f->events, &attr, err);
		if (event >= 0)
			read_ids(f, (size_t)event, &ids);
	}
	free(bytes);
	return event < 0 ? -1 : file_events_check(&f->events, err);
}

/* A recording whose perf was killed says that it has no data: then they go up to the end. */
static void start_data(struct file_source *f, const struct header *h)
{
	struct file_part *p = f->parts;
	uint64_t there = h->data.offset < p->size ? p->size - h->data.offset : 0;

	p->left = h->data.size ? h->data.size : there;
	if (!h->data.size)
		file_damaged(f, _("its perf did not end in an orderly way: names of events and build "
				  "ids are missing"));
	if (p->left > there) {
		file_damaged(f, _("it was cut short"));
		f->bad_bytes += p->left - there;
		p->left = there;
	}
	f->has_events = true;
	p->records_at = h->data.offset;
	lseek(p->fd, (off_t)h->data.offset, SEEK_SET);
}

static int read_file_header(struct file_source *f, const unsigned char *bytes, struct error *err)
{
	struct bytes b = bytes_in(f, bytes, FILE_HEADER_SIZE);
	struct header h;

	bytes_take(&b, 8);
	h.size = bytes_u64(&b);
	h.attr_size = bytes_u64(&b);
	h.attrs = take_section(&b);
	h.data = take_section(&b);
	take_section(&b);		/* event types: EVENT_DESC has the names */
	h.features = bytes_u64(&b);
	if (h.size < FILE_HEADER_SIZE || h.attr_size < 64 + SECTION_SIZE || h.attr_size > 4096 ||
	    h.data.offset > INT64_MAX || h.data.size > INT64_MAX)
		return error_set(err, _("the sizes in its header cannot be"));
	if (read_attrs(f, &h, err))
		return -1;
	if (h.data.size && h.data.offset + h.data.size <= f->parts->size)
		read_features(f, &h);
	start_data(f, &h);
	return 0;
}

/* By the magic; the oldest one is a text that has no order: there the size of an attr tells. */
static int read_magic(struct file_source *f, const unsigned char *bytes, uint64_t *size,
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
	f->events.swap = i == 1 || (i == 2 && *size > UINT32_MAX);
	if (f->events.swap)
		*size = __builtin_bswap64(*size);
	return 0;
}

int file_header_read(struct file_source *f, struct error *err)
{
	unsigned char bytes[FILE_HEADER_SIZE] = { 0 };
	struct file_part *p = f->parts;
	size_t wanted = p->seekable ? FILE_HEADER_SIZE : STREAM_HEADER_SIZE, there = 0;
	uint64_t size = 0;
	ssize_t n = 1;

	while (there < wanted && n > 0) {
		n = read(p->fd, bytes + there, wanted - there);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			there += (size_t)n;
	}
	if (n < 0)
		return error_set(err, "%s", strerror(errno));
	if (there < STREAM_HEADER_SIZE)
		return error_set(err, _("it is too short for a recording of perf"));
	if (read_magic(f, bytes, &size, err))
		return -1;
	if (size == STREAM_HEADER_SIZE) {
		f->stream = true;
		p->records_at = STREAM_HEADER_SIZE;
		p->left = UINT64_MAX;
		if (p->seekable)
			lseek(p->fd, STREAM_HEADER_SIZE, SEEK_SET);
		return 0;
	}
	if (!p->seekable)
		return error_set(err, _("only what 'perf record -o -' writes can be read from a pipe: "
					"give the file's name"));
	return read_file_header(f, bytes, err);
}
