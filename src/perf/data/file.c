/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/data/file-decoder.h"
#include "perf/data/file-sched.h"

#define DRAIN_BYTES (1024u * 1024) /* read in one drain: some milliseconds of work */
#define SKIP_BYTES (64u * 1024)    /* from here up it is quicker not to read */

struct file_source {
	struct source source; /* must be first */
	struct source_machine machine;
	char *name; /* of the file or directory, for messages */
	struct file_parts parts;
	struct file_decoder reader;
	bool in_order; /* each part but the first has records in order of their times */
	bool reported; /* the end was told */
};

static bool is_live(const struct file_source *f)
{
	return !f->parts.items->seekable;
}

/* P was read to its end: what is left of it is missing. */
static void end(struct file_source *f, struct file_part *p)
{
	size_t rest = file_input_left(&p->raw) + file_input_left(&p->plain);

	p->ended = true;
	if (p->left != UINT64_MAX)
		rest += p->left;
	if (!rest && !p->skip)
		return;
	f->reader.damage.bytes += rest + p->skip;
	file_damage_note(&f->reader.damage, _("it was cut short"));
}

/* Unneeded parts of a regular file are not read. */
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

/* Standard input cannot be made O_NONBLOCK, since others have it, too: is there nothing in the pipe, and not its end? */
static bool must_wait(const struct file_part *p)
{
	return !p->seekable && !poll(&(struct pollfd){ .fd = p->fd, .events = POLLIN }, 1, 0);
}

/* Reads one piece of P and takes its records.  0, or a negative errno; the bytes read in *GOT. */
static int read_piece(struct file_source *f, struct file_part *p, size_t *got)
{
	unsigned char *to;
	size_t room;
	ssize_t n;

	*got = 0;
	skip_in_file(f, p);
	if (must_wait(p))
		return 0;
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
	file_decoder_take(&f->reader, p);
	return 0;
}

/* Adds to source.notes. */
__attribute__((format(printf, 2, 3))) static void note(struct file_source *f, const char *format,
						       ...)
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

	file_own_list_unused(&f->reader.own, &b);
	if (b.size)
		note(f, _("records of the recording that are not used: %s"), b.bytes);
	buf_fini(&b);
}

/* Frees what only reading needs. */
static void release(struct file_source *f)
{
	file_decoder_release(&f->reader);
	for (size_t i = 0; i < f->parts.count; i++)
		file_part_release(&f->parts.items[i]);
}

static int64_t report_end(struct file_source *f)
{
	const struct file_damage *damage = &f->reader.damage;

	if (f->reported)
		return 0;
	f->reported = true;
	release(f);
	note_unused(f);
	if (!damage->first.text[0])
		return 0;
	free(f->source.failure);
	f->source.failure =
		mem_printf(_("'%s' is damaged: %s; not read: %llu bytes and %llu records; "
			     "the rest is shown"),
			   f->name, damage->first.text, (unsigned long long)damage->bytes,
			   (unsigned long long)damage->records);
	return -EBADMSG;
}

static uint64_t whole_ns(const struct file_source *f)
{
	return f->in_order ? file_parts_whole_ns(&f->parts) : 0;
}

static int64_t file_drain(struct source *s, source_receiver *receive, void *context)
{
	struct file_source *f = (struct file_source *)s;
	struct file_decoder *r = &f->reader;
	struct file_part *p = f->parts.items;
	size_t done = 0, got = 1;
	int error = 0;

	if (f->reported)
		return 0;
	r->receive = receive;
	r->context = context;
	r->handed = 0;
	if (file_input_left(&p->raw))
		file_decoder_take(r, p); /* what was read when it was opened */
	while (got && done < DRAIN_BYTES && !error && (p = file_parts_next(&f->parts))) {
		error = read_piece(f, p, &got);
		done += got;
		file_decoder_hand_over(r, whole_ns(f));
		if (!p->seekable)
			break;
	}
	if (error)
		return error;
	p = file_parts_next(&f->parts);
	if (!p)
		file_decoder_hand_over(r, UINT64_MAX);
	if (r->handed || p)
		return r->handed ? r->handed : 1;
	return report_end(f);
}

static int file_wait(struct source *s, int timeout_ms, int wake_fd)
{
	struct file_source *f = (struct file_source *)s;
	struct pollfd fds[2] = { { .fd = f->parts.items->fd, .events = POLLIN },
				 { .fd = wake_fd, .events = POLLIN } };

	if (!is_live(f) || !file_parts_next(&f->parts))
		return 0;
	if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static void file_close(struct source *s)
{
	struct file_source *f = (struct file_source *)s;

	release(f);
	file_decoder_fini(&f->reader);
	mem_free(f->machine.hostname, f->machine.release, f->machine.arch, f->machine.command,
		 f->machine.kernel_copy, f->name);
	file_parts_close(&f->parts);
	free(f);
}

static const struct source_ops file_ops = {
	.wait = file_wait,
	.drain = file_drain,
	.close = file_close,
};

/* In pipe layout the events come as records, in front of the first that is the kernel's. */
static int read_description(struct file_source *f, struct error *err)
{
	struct file_part *p = f->parts.items;
	size_t got;
	int error = 0;

	while (!p->ended && !error && !file_decoder_must_wait(&f->reader, p)) {
		if (is_live(f))
			poll(&(struct pollfd){ .fd = p->fd, .events = POLLIN }, 1, -1);
		error = read_piece(f, p, &got);
	}
	if (error)
		return error_set(err, "%s", strerror(-error));
	return file_events_check(&f->reader.events, err);
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
	struct file_decoder *r = &f->reader;

	if (file_parts_open(&f->parts, path, err))
		return -1;
	f->machine.kernel_copy = file_parts_kernel_copy(path);
	for (size_t i = 0; i < f->parts.count; i++)
		f->source.stats.size += f->parts.items[i].size;
	r->header.part = f->parts.items;
	r->many_parts = f->parts.count > 1;
	if (file_header_read(&r->header, err) || (r->header.stream && read_description(f, err)))
		return -1;
	f->in_order = r->many_parts && !r->events.backward;
	f->source.layout = r->events.items[0].layout;
	f->source.hardware = counts_hardware(f->source.evlist);
	f->source.recorded_stacks = has_stacks(&r->events);
	f->source.grows = is_live(f);
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
	f->machine.hostname = mem_strdup("");
	f->machine.release = mem_strdup("");
	f->machine.arch = mem_strdup("");
	f->machine.command = mem_strdup("");
	f->name = mem_strdup(strcmp(path, "-") ? path : _("standard input"));
	file_decoder_init(&f->reader, evlist, &f->machine, &f->source.stats);
	if (!open_all(f, path, &why))
		return &f->source;
	error_set(err, _("cannot read '%s': %s"), f->name, why.text);
	source_close(&f->source);
	return NULL;
}

/* Names what is missing for events of time. */
static int what_is_missing(const struct file_source *f, struct error *err)
{
	const struct evlist *l = f->source.evlist;

	for (size_t i = 0; i < f->reader.events.count; i++) {
		if (l->items[i]->type == PERF_TYPE_TRACEPOINT &&
		    !strcmp(l->items[i]->name, "sched:sched_switch"))
			return error_set(err,
					 _("'%s' does not say where the fields of "
					   "sched:sched_switch are"),
					 f->name);
	}
	return error_set(err,
			 _("'%s' has no context switches: record with -e sched:sched_switch -g, "
			   "or with --switch-events"),
			 f->name);
}

static void add_time(struct file_source *f, const char *name)
{
	struct error err;

	evlist_parse(f->source.evlist, name, &err);
}

int file_source_tell_calls(struct source *s, struct error *err)
{
	struct file_source *f = (struct file_source *)s;

	if (!file_decoder_tell_calls(&f->reader))
		return error_set(
			err,
			_("'%s' has no system calls: record with perf trace record, or with "
			  "-e 'raw_syscalls:*'"),
			f->name);
	add_time(f, "syscalls");
	if (!file_sched_has(&f->reader.events, FILE_SCHED_ENTER))
		note(f, _("how long system calls last is not recorded, as -e "
			  "raw_syscalls:sys_enter does"));
	return 0;
}

int file_source_tell_times(struct source *s, struct error *err)
{
	struct file_source *f = (struct file_source *)s;
	const struct file_events *events = &f->reader.events;

	if (!file_decoder_tell_switches(&f->reader))
		return what_is_missing(f, err);
	add_time(f, "off-cpu");
	add_time(f, "wall-clock");
	add_time(f, "latency");
	if (file_sched_has(events, FILE_SCHED_WAKE)) {
		add_time(f, "run-delay");
		add_time(f, "wakers");
	} else {
		note(f, _("no wake-ups are recorded, as -e sched:sched_waking does"));
	}
	if (!file_sched_has_stacks(events))
		note(f, _("no stacks of switches are recorded, as -e sched:sched_switch -g does"));
	return 0;
}
