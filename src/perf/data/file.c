/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/data/file-state.h"

#define HEADER_SIZE   8u
#define OWN_FIRST     64u		/* types from here up are perf's own */
#define COMPRESSED    81u
#define COMPRESSED2   83u
#define DRAIN_BYTES   (1024u * 1024)	/* read in one drain: some milliseconds of work */
#define SKIP_BYTES    (64u * 1024)	/* from here up it is quicker not to read */

void file_damaged(struct file_source *f, const char *format, ...)
{
	char text[sizeof(f->damage.text)];
	va_list args;

	if (f->damage.text[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	error_set(&f->damage, "%s", text);
}

static void count(struct source_stats *stats, const struct record *r)
{
	stats->records++;
	if (r->type == RECORD_LOST || r->type == RECORD_LOST_SAMPLES)
		stats->lost += r->lost.count;
	else if (r->type == RECORD_THROTTLE)
		stats->throttled++;
}

void file_tell(struct file_source *f, const struct record *r)
{
	f->handed++;
	f->receive(f->context, r);
}

/* A mapping's build id, which newer kernels put into the record, is in the header as a rule. */
static void add_build_id(const struct file_source *f, struct record_mmap *m)
{
	const struct file_build_id *id = m->build_id.size ? NULL : file_build_id_find(f, m->path);

	if (id)
		m->build_id = id->id;
}

/* What COUNTER has grown by.  One that is below what it was began again. */
static uint64_t take_increase(struct file_counter *counter, uint64_t value)
{
	uint64_t before = counter->total;

	counter->total = value;
	return value >= before ? value - before : value;
}

/* See source.h, TIER_FILE.  perf's deliver_sample_group(): what did not grow is no sample. */
static void hand_over_values(struct file_source *f, struct record *r)
{
	uint32_t values = r->sample.read.count;

	f->source.stats.malformed += r->sample.read.dropped;
	r->sample.read.count = 0;
	for (uint32_t i = 0; i < values; i++) {
		struct file_counter *c;

		c = file_events_counter(&f->events, r->sample.read.values[i].id, r->tid);
		if (!c)
			continue;
		r->sample.period = take_increase(c, r->sample.read.values[i].value);
		r->event = (int)c->event;
		r->id = r->sample.read.values[i].id;
		if (!r->sample.period)
			continue;
		f->source.stats.samples++;
		file_tell(f, r);
	}
}

static void hand_over_sample(struct file_source *f, struct record *r, const struct file_event *e)
{
	uint64_t type = e->layout.sample_type;

	if (!(type & PERF_SAMPLE_PERIOD))
		r->sample.period = e->period;
	if (!(type & PERF_SAMPLE_TID))
		r->pid = r->tid = UINT32_MAX;
	if (type & PERF_SAMPLE_READ && e->layout.read_format & PERF_FORMAT_ID) {
		hand_over_values(f, r);
		return;
	}
	f->source.stats.samples++;
	file_tell(f, r);
	if (e->sched.kind)
		file_sched_sample(f, r, &e->sched);
}

static void bad_record(struct file_source *f, const char *why)
{
	f->bad_records++;
	f->source.stats.malformed++;
	file_damaged(f, "%s", why);
}

/*
 * perf's are what a sampled event counted besides (perf record -s), ptop's what one that is not
 * sampled counted since its last one.
 */
static void hand_over_read(struct file_source *f, struct record *r)
{
	struct record_read *read = &r->read;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < read->count; i++) {
		int event = file_events_find_id(&f->events, read->values[i].id);

		if (event < 0 || f->source.evlist->items[event]->role != EVSEL_COUNT)
			continue;
		read->values[kept].id = (uint64_t)event;
		read->values[kept++].value = read->values[i].value;
	}
	read->count = kept;
	file_tell(f, r);
}

/* Where samples tell of switches, records of them would do so once more. */
static bool is_told_twice(const struct file_source *f, const struct record *r)
{
	return f->switch_samples &&
	       (r->type == RECORD_SWITCH || r->type == RECORD_SWITCH_CPU_WIDE);
}

static void decode(struct file_source *f, const struct order_entry *entry)
{
	const struct file_event *e = &f->events.items[entry->event < 0 ? 0 : entry->event];
	struct record *r = &f->record;

	/* The size was compared when the record was taken: it is all there. */
	if (record_decode(&e->layout, entry->data, FILE_RECORD_MAX, r)) {
		bad_record(f, _("records in it are damaged"));
		return;
	}
	count(&f->source.stats, r);
	if (r->type == RECORD_SAMPLE && entry->event < 0) {
		bad_record(f, _("it has samples of events that it does not describe"));
		return;
	}
	r->event = entry->event;
	if (r->type == RECORD_MMAP || r->type == RECORD_MMAP2)
		add_build_id(f, &r->mmap);
	if (is_told_twice(f, r))
		return;
	r->switched = r->type == RECORD_SAMPLE && file_sched_switches(f, (size_t)r->event);
	if (r->type == RECORD_SAMPLE)
		hand_over_sample(f, r, e);
	else if (r->type == RECORD_READ)
		hand_over_read(f, r);
	else
		file_tell(f, r);
}

void file_hand_over(struct file_source *f, uint64_t limit_ns)
{
	struct order_entry entry;

	while (file_order_next(f->order, limit_ns, &entry)) {
		decode(f, &entry);
		file_block_release(entry.block);
	}
}

/* There is no room to wait until it is certain that no older ones follow. */
static void hand_over_half(struct file_source *f)
{
	struct order_entry entry;

	for (size_t n = file_order_count(f->order) / 2 + 1; n; n--) {
		if (!file_order_next(f->order, UINT64_MAX, &entry))
			return;
		decode(f, &entry);
		file_block_release(entry.block);
	}
}

/* What has no time is of the moment: perf made it up from /proc when it began, or in between. */
static void take_kernel_record(struct file_source *f, const struct file_input *in, uint32_t type,
			       size_t size)
{
	const unsigned char *data = file_input_peek(in);
	struct file_stamp stamp = file_events_stamp(&f->events, data, size, type);
	struct order_entry entry = { .time_ns = stamp.time_ns, .sequence = f->sequence++,
				     .data = data, .block = in->block, .event = stamp.event };

	if (!stamp.time_ns) {
		decode(f, &entry);
		return;
	}
	if (file_order_full(f->order))
		hand_over_half(f);
	if (stamp.time_ns > f->newest_ns)
		f->newest_ns = stamp.time_ns;
	if (stamp.time_ns > f->part->newest_ns)
		f->part->newest_ns = stamp.time_ns;
	file_block_hold(in->block);
	file_order_add(f->order, &entry, f->events.backward);
}

/* Before the first drain: only what describes the recording is taken. */
static bool may_take(const struct file_source *f, uint32_t type)
{
	return f->receive || (type >= OWN_FIRST && type != COMPRESSED && type != COMPRESSED2);
}

static void skip(struct file_part *p)
{
	size_t n = file_input_left(&p->raw);

	if (p->skip < n)
		n = (size_t)p->skip;
	file_input_take(&p->raw, n);
	p->skip -= n;
}

/* Takes one record; false when there is no whole one. */
static bool take_record(struct file_source *f, struct file_input *in)
{
	struct bytes header;
	uint32_t type;
	uint16_t size;

	if ((in->lost && !file_search_record(f, in)) || file_input_left(in) < HEADER_SIZE)
		return false;
	header = bytes_of(file_input_peek(in), file_input_left(in));
	header.swap = f->events.swap;
	type = bytes_u32(&header);
	bytes_u16(&header);
	size = bytes_u16(&header);
	if (size < HEADER_SIZE) {
		file_damaged(f, _("there is no record at byte %llu"),
			     (unsigned long long)in->offset + f->part->records_at);
		in->lost = true;
		return true;
	}
	if (size - HEADER_SIZE > header.left || !may_take(f, type))
		return false;
	if (type < OWN_FIRST)
		take_kernel_record(f, in, type, size);
	else
		file_own_record(f, type, file_input_peek(in), size);
	file_input_take(in, size);
	return true;
}

void file_take_records(struct file_source *f, struct file_input *in)
{
	do {
		if (f->part->skip && in == &f->part->raw)
			skip(f->part);
	} while (take_record(f, in));
}

/* What is left of P when all was read. */
static void end(struct file_source *f, struct file_part *p)
{
	size_t rest = file_input_left(&p->raw) + file_input_left(&p->plain);

	p->ended = true;
	f->ended = true;
	for (size_t i = 0; i < f->part_count; i++)
		f->ended &= f->parts[i].ended;
	if (p->left != UINT64_MAX)
		rest += p->left;
	if (!rest && !p->skip)
		return;
	f->bad_bytes += rest + p->skip;
	file_damaged(f, _("it was cut short"));
}

/* What is not needed of a regular file is not read. */
static void skip_in_file(struct file_source *f, struct file_part *p)
{
	if (p->skip < SKIP_BYTES || !p->seekable || file_input_left(&p->raw) || p->skip > p->left)
		return;
	lseek(p->fd, (off_t)p->skip, SEEK_CUR);
	if (p->left != UINT64_MAX)
		p->left -= p->skip;
	f->source.stats.bytes += p->skip;
	p->raw.offset += p->skip;
	p->skip = 0;
}

/* Reads one piece of P and takes its records.  0, or a negative errno; the bytes read in *GOT. */
static int read_piece(struct file_source *f, struct file_part *p, size_t *got)
{
	unsigned char *to;
	size_t room;
	ssize_t n;

	f->part = p;
	skip_in_file(f, p);
	to = file_input_room(&p->raw, &room);
	if (room > p->left)
		room = (size_t)p->left;
	n = room ? read(p->fd, to, room) : 0;
	*got = n > 0 ? (size_t)n : 0;
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (!n) {
		end(f, p);
		return 0;
	}
	if (p->left != UINT64_MAX)
		p->left -= (size_t)n;
	f->source.stats.bytes += (size_t)n;
	file_input_put(&p->raw, (size_t)n);
	file_take_records(f, &p->raw);
	return 0;
}

void file_note(struct file_source *f, const char *format, ...)
{
	char text[512], *before = f->source.notes;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	f->source.notes = mem_printf("%s%s%s", before, *before ? "; " : "", text);
	free(before);
}

static void note_unused(struct file_source *f)
{
	struct buf b = { 0 };

	file_own_unused(f, &b);
	if (b.size)
		file_note(f, _("records of the recording that are not used: %s"), b.bytes);
	buf_fini(&b);
}

/* What only reading needs: the snapshots to come need room. */
static void release(struct file_source *f)
{
	file_order_free(f->order);
	f->order = NULL;
	for (size_t i = 0; i < f->part_count; i++)
		file_part_release(&f->parts[i]);
	file_build_ids_fini(f);
}

static int64_t report_end(struct file_source *f)
{
	if (f->reported)
		return 0;
	f->reported = true;
	release(f);
	note_unused(f);
	if (!f->damage.text[0])
		return 0;
	free(f->source.failure);
	f->source.failure = mem_printf(_("'%s' is damaged: %s; not read: %llu bytes and %llu records; "
					 "the rest is shown"), f->name, f->damage.text,
				       (unsigned long long)f->bad_bytes,
				       (unsigned long long)f->bad_records);
	return -EBADMSG;
}

static int64_t file_drain(struct source *s, source_receiver *receive, void *context)
{
	struct file_source *f = (struct file_source *)s;
	size_t done = 0, got = 1;
	int error = 0;

	if (f->reported)
		return 0;
	f->receive = receive;
	f->context = context;
	f->handed = 0;
	f->part = f->parts;
	if (file_input_left(&f->part->raw))
		file_take_records(f, &f->part->raw);	/* what was read when it was opened */
	while (!f->ended && got && done < DRAIN_BYTES && !error) {
		error = read_piece(f, file_parts_next(f), &got);
		done += got;
		file_hand_over(f, file_parts_whole_ns(f));
		if (!f->part->seekable)
			break;
	}
	if (error)
		return error;
	if (f->ended)
		file_hand_over(f, UINT64_MAX);
	if (f->handed || !f->ended)
		return f->handed ? f->handed : 1;
	return report_end(f);
}

static int file_wait(struct source *s, int timeout_ms, int wake_fd)
{
	struct file_source *f = (struct file_source *)s;
	struct pollfd fds[2] = { { .fd = f->parts->fd, .events = POLLIN },
				 { .fd = wake_fd, .events = POLLIN } };

	if (f->parts->seekable || f->ended)
		return 0;
	if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static void file_close(struct source *s)
{
	struct file_source *f = (struct file_source *)s;

	release(f);
	file_events_fini(&f->events);
	free(f->machine.hostname);
	free(f->machine.release);
	free(f->machine.arch);
	free(f->machine.command);
	free(f->machine.kernel_copy);
	free(f->name);
	file_parts_close(f);
	free(f);
}

static const struct source_ops file_ops = {
	.wait = file_wait,
	.drain = file_drain,
	.close = file_close,
};

/* Whether what comes next is a record that must wait for the first drain. */
static bool at_first_record(const struct file_source *f)
{
	struct bytes header;

	if (file_input_left(&f->parts->raw) < HEADER_SIZE || f->parts->skip)
		return false;
	header = bytes_of(file_input_peek(&f->parts->raw), HEADER_SIZE);
	header.swap = f->events.swap;
	return !may_take(f, bytes_u32(&header));
}

/* In pipe layout the events come as records, in front of the first that is the kernel's. */
static int read_description(struct file_source *f, struct error *err)
{
	size_t got;
	int error = 0;

	while (!f->parts->ended && !error && !at_first_record(f)) {
		if (!f->parts->seekable)
			poll(&(struct pollfd){ .fd = f->parts->fd, .events = POLLIN }, 1, -1);
		error = read_piece(f, f->parts, &got);
	}
	if (error)
		return error_set(err, "%s", strerror(-error));
	f->has_events = true;
	return file_events_check(&f->events, err);
}

static bool counts_hardware(const struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		uint32_t type = l->items[i]->type;

		if (type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
		    type != PERF_TYPE_BREAKPOINT)
			return true;
	}
	return false;
}

static bool has_stacks(const struct file_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].layout.sample_type &
		    (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER))
			return true;
	}
	return false;
}

static int open_all(struct file_source *f, const char *path, struct error *err)
{
	if (file_parts_open(f, path, err) || file_header_read(f, err))
		return -1;
	if (f->stream && read_description(f, err))
		return -1;
	file_parts_ready(f);
	f->source.layout = f->events.items[0].layout;
	f->source.hardware = counts_hardware(f->source.evlist);
	f->source.recorded_stacks = has_stacks(&f->events);
	return 0;
}

struct source *file_source_open(struct evlist *evlist, const char *path, struct error *err)
{
	struct file_source *f = mem_alloc(sizeof(*f));
	struct error why = { "" };

	f->source.ops = &file_ops;
	f->source.tier = TIER_FILE;
	f->source.tier_reason = mem_strdup("");
	f->source.notes = mem_strdup("");
	f->source.evlist = evlist;
	f->source.machine = &f->machine;
	f->events.evlist = evlist;
	f->machine.hostname = mem_strdup("");
	f->machine.release = mem_strdup("");
	f->machine.arch = mem_strdup("");
	f->machine.command = mem_strdup("");
	f->name = mem_strdup(strcmp(path, "-") ? path : _("standard input"));
	f->order = file_order_new();
	if (!open_all(f, path, &why))
		return &f->source;
	error_set(err, _("cannot read '%s': %s"), f->name, why.text);
	source_close(&f->source);
	return NULL;
}
