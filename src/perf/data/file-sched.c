/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Switches and wake-ups of a recording, told as the live kernel's are (source.h, TIER_CPU_GROUP): by
 * records of switches (perf record --switch-events), or by samples of sched:sched_switch, whose stack
 * is that of the task that goes.  Where its fields are is in the section of tracing data, which has the
 * layout of trace-cmd's files, version 0.6 (see write-trace.h).
 */
#include <linux/perf_event.h>
#include <string.h>

#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/data/file.h"
#include "perf/data/file-state.h"

#define FORMATS_MAX 65536u		/* of one system; more than there are */
#define STATES	    0xffu		/* of waiting: __get_task_state() in include/linux/sched.h */

static void skip_files(struct bytes *b, uint32_t count)
{
	while (count-- && !b->failed)
		bytes_take(b, bytes_u64(b));
}

/* What comes in front of the formats of tracepoints: magic, version, machine, headers, ftrace's own. */
static bool skip_head(struct bytes *b)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *at = bytes_take(b, sizeof(magic) - 1), *end;

	if (!at || memcmp(at, magic, sizeof(magic) - 1) != 0)
		return false;
	end = memchr(b->at, '\0', b->left);
	if (!end || !bytes_take(b, (size_t)(end + 1 - (const char *)b->at)) || !bytes_take(b, 6))
		return false;
	if (!bytes_take(b, sizeof("header_page")))
		return false;
	skip_files(b, 1);
	if (!bytes_take(b, sizeof("header_event")))
		return false;
	skip_files(b, 1);
	skip_files(b, bytes_u32(b));
	return !b->failed;
}

struct format {
	const char *text;
	size_t size;
	uint64_t id;
};

/* What the file's event is, when FORMAT is of the tracepoint that it counts. */
static void take_format(struct file_source *f, const struct format *format)
{
	static const struct {
		const char *name, *field, *other;
		enum file_sched_kind kind;
	} known[] = {
		{ "sched_switch", "prev_state", "next_pid", FILE_SCHED_SWITCH },
		{ "sched_waking", "pid", "pid", FILE_SCHED_WAKE },
		{ "sched_wakeup", "pid", "pid", FILE_SCHED_WAKE },
	};
	size_t i = 0;

	while (i < sizeof(known) / sizeof(*known) &&
	       !trace_format_is(format->text, format->size, known[i].name))
		i++;
	if (i == sizeof(known) / sizeof(*known))
		return;
	for (size_t e = 0; e < f->events.count; e++) {
		const struct evsel *v = f->source.evlist->items[e];
		struct file_sched *s = &f->events.items[e].sched;

		if (v->type == PERF_TYPE_TRACEPOINT && v->config == format->id &&
		    f->events.items[e].layout.sample_type & PERF_SAMPLE_RAW &&
		    trace_format_field(format->text, format->size, known[i].field, &s->field) &&
		    trace_format_field(format->text, format->size, known[i].other, &s->other))
			s->kind = known[i].kind;
	}
}

void file_sched_read(struct file_source *f, struct bytes b)
{
	uint32_t systems;

	if (!skip_head(&b))
		return;
	systems = bytes_u32(&b);
	for (uint32_t i = 0; i < systems && !b.failed; i++) {
		const char *end = memchr(b.at, '\0', b.left);
		bool sched = end && !strcmp((const char *)b.at, "sched");
		uint32_t formats;

		if (!end)
			return;
		bytes_take(&b, (size_t)(end + 1 - (const char *)b.at));
		formats = bytes_u32(&b);
		for (uint32_t n = 0; n < formats && n < FORMATS_MAX && !b.failed; n++) {
			struct format format = { .size = bytes_u64(&b) };

			format.text = bytes_take(&b, format.size);
			if (sched && format.text &&
			    trace_format_id(format.text, format.size, &format.id))
				take_format(f, &format);
		}
	}
}

/* Telling. */

/* A record of a switch that nobody wrote, at the time and on the CPU of FROM. */
static void tell_switch(struct file_source *f, const struct record *from, uint32_t pid,
			uint32_t tid, const struct record_switch *what)
{
	struct record *r = &f->made;

	r->type = RECORD_SWITCH_CPU_WIDE;
	r->event = -1;
	r->pid = pid;
	r->tid = tid;
	r->cpu = from->cpu;
	r->time_ns = from->time_ns;
	r->cswitch = *what;
	file_tell(f, r);
}

/*
 * A task goes that could run on: prev_state is 0, or has only the bit above those that are told, which
 * stands for preemption: 0x100 since Linux 4.14, before that 0x400 and more.
 */
static bool is_preempted(int64_t state)
{
	return !(state & STATES);
}

static void sample_switch(struct file_source *f, const struct record *r,
			  const struct file_sched *s)
{
	bool swap = f->events.swap;
	int64_t state, next;

	if (!trace_field_read(&s->field, r->sample.raw, r->sample.raw_size, swap, &state) ||
	    !trace_field_read(&s->other, r->sample.raw, r->sample.raw_size, swap, &next))
		return;
	tell_switch(f, r, r->pid, r->tid,
		    &(struct record_switch){ .out = true, .preempted = is_preempted(state) });
	if (next > 0 && next <= INT32_MAX)
		tell_switch(f, r, UINT32_MAX, (uint32_t)next, &(struct record_switch){ 0 });
}

static void sample_wake(struct file_source *f, const struct record *r, const struct file_sched *s)
{
	struct record *made = &f->made;
	int64_t tid;

	if (!trace_field_read(&s->field, r->sample.raw, r->sample.raw_size, f->events.swap, &tid) ||
	    tid <= 0 || tid > INT32_MAX)
		return;
	made->type = RECORD_SAMPLE;
	made->event = -1;
	made->counts_only = true;
	made->woken_tid = (uint32_t)tid;
	made->cpu = r->cpu;
	made->time_ns = r->time_ns;
	file_tell(f, made);
	made->woken_tid = 0;
}

void file_sched_sample(struct file_source *f, const struct record *r, const struct file_sched *s)
{
	if (!f->tells_switches)
		return;
	if (s->kind == FILE_SCHED_SWITCH)
		sample_switch(f, r, s);
	else if (s->kind == FILE_SCHED_WAKE)
		sample_wake(f, r, s);
}

/* Whether the sample of E is of the task that gives up the CPU, at each switch. */
bool file_sched_switches(const struct file_source *f, size_t event)
{
	const struct evsel *e = f->source.evlist->items[event];

	return f->tells_switches &&
	       (f->events.items[event].sched.kind == FILE_SCHED_SWITCH ||
		(e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_CONTEXT_SWITCHES &&
		 !e->freq_hz && e->period == 1));
}

/* Adding the events. */

static bool has_sched(const struct file_source *f, enum file_sched_kind kind)
{
	for (size_t i = 0; i < f->events.count; i++) {
		if (f->events.items[i].sched.kind == kind)
			return true;
	}
	return false;
}

static void add_time(struct file_source *f, const char *name)
{
	struct error err;

	evlist_parse(f->source.evlist, name, &err);
}

static int what_is_missing(const struct file_source *f, struct error *err)
{
	const struct evlist *l = f->source.evlist;

	for (size_t i = 0; i < f->events.count; i++) {
		if (l->items[i]->type == PERF_TYPE_TRACEPOINT &&
		    !strcmp(l->items[i]->name, "sched:sched_switch"))
			return error_set(err, _("'%s' does not say where the fields of "
						"sched:sched_switch are"), f->name);
	}
	return error_set(err, _("'%s' has no context switches: record with -e sched:sched_switch -g, "
				"or with --switch-events"), f->name);
}

/* Samples of the task that goes, with its stack. */
static bool has_stacks(const struct file_source *f)
{
	for (size_t i = 0; i < f->events.count; i++) {
		if (file_sched_switches(f, i) &&
		    f->events.items[i].layout.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

int file_source_tell_times(struct source *s, struct error *err)
{
	struct file_source *f = (struct file_source *)s;
	bool records = false;

	f->switch_samples = has_sched(f, FILE_SCHED_SWITCH);
	for (size_t i = 0; i < f->events.count; i++)
		records |= f->events.items[i].context_switch;
	if (!records && !f->switch_samples)
		return what_is_missing(f, err);
	f->tells_switches = true;
	add_time(f, "off-cpu");
	add_time(f, "wall-clock");
	if (has_sched(f, FILE_SCHED_WAKE))
		add_time(f, "run-delay");
	else
		file_note(f, _("no wake-ups are recorded, as -e sched:sched_waking does"));
	if (!has_stacks(f))
		file_note(f, _("no stacks of switches are recorded, as -e sched:sched_switch -g does"));
	return 0;
}
