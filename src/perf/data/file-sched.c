/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-sched.h"

#include <linux/perf_event.h>
#include <string.h>

/*
 * Where the fields of tracepoints are is in the section of tracing data, which has the layout of
 * trace-cmd's files, version 0.6 (see write-trace.h).
 */
#define FORMATS_MAX 65536u /* of one system; more than there are */
#define STATES 0xffu       /* of waiting: __get_task_state() in include/linux/sched.h */

static void skip_files(struct bytes *b, uint32_t count)
{
	while (count-- && !b->failed)
		bytes_take(b, bytes_u64(b));
}

/*
 * Skips the head in front of the tracepoints' formats: magic, version, machine, headers, ftrace's
 * own.
 */
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

/* Notes the fields of FORMAT for the events that count its tracepoint, if it is known.  SYSTEM is its part. */
static void take_format(struct file_events *events, const char *system, const struct format *format)
{
	static const struct {
		const char *system, *name, *field, *other;
		enum file_sched_kind kind;
	} known[] = {
		{ "sched", "sched_switch", "prev_state", "next_pid", FILE_SCHED_SWITCH },
		{ "sched", "sched_waking", "pid", "common_flags", FILE_SCHED_WAKE },
		{ "sched", "sched_wakeup", "pid", "common_flags", FILE_SCHED_WAKE },
		{ "raw_syscalls", "sys_enter", "id", "id", FILE_SCHED_ENTER },
		{ "raw_syscalls", "sys_exit", "id", "ret", FILE_SCHED_LEAVE },
	};
	size_t i = 0;

	while (i < sizeof(known) / sizeof(*known) &&
	       (strcmp(system, known[i].system) != 0 ||
		!trace_format_is(format->text, format->size, known[i].name)))
		i++;
	if (i == sizeof(known) / sizeof(*known))
		return;
	for (size_t e = 0; e < events->count; e++) {
		const struct evsel *v = events->evlist->items[e];
		struct file_sched *s = &events->items[e].sched;

		if (v->type == PERF_TYPE_TRACEPOINT && v->config == format->id &&
		    events->items[e].layout.sample_type & PERF_SAMPLE_RAW &&
		    trace_format_field(format->text, format->size, known[i].field, &s->field) &&
		    (trace_format_field(format->text, format->size, known[i].other, &s->other) ||
		     known[i].kind == FILE_SCHED_WAKE)) {
			s->kind = known[i].kind;
			if (s->kind == FILE_SCHED_SWITCH)
				trace_format_field(format->text, format->size, "prev_pid", &s->who);
		}
	}
}

void file_sched_read(struct file_events *events, struct bytes b)
{
	uint32_t systems;

	if (!skip_head(&b))
		return;
	systems = bytes_u32(&b);
	for (uint32_t i = 0; i < systems && !b.failed; i++) {
		const char *system = (const char *)b.at, *end = memchr(b.at, '\0', b.left);
		uint32_t formats;

		if (!end)
			return;
		bytes_take(&b, (size_t)(end + 1 - (const char *)b.at));
		formats = bytes_u32(&b);
		for (uint32_t n = 0; n < formats && n < FORMATS_MAX && !b.failed; n++) {
			struct format format = { .size = bytes_u64(&b) };

			format.text = bytes_take(&b, format.size);
			if (format.text && trace_format_id(format.text, format.size, &format.id))
				take_format(events, system, &format);
		}
	}
}

/* Sets R to a record that nobody wrote, at the time and on the CPU of FROM. */
static void make(struct record *r, const struct record *from, uint32_t type)
{
	r->type = type;
	r->event = -1;
	r->cpu = from->cpu;
	r->time_ns = from->time_ns;
}

static void make_switch(struct record *r, const struct record *from, uint32_t pid, uint32_t tid,
			const struct record_switch *what)
{
	make(r, from, RECORD_SWITCH_CPU_WIDE);
	r->pid = pid;
	r->tid = tid;
	r->cswitch = *what;
}

/*
 * Returns true if the task that goes could run on.  Its prev_state is 0, or has only a bit above
 * the reported states, which means preemption: 0x100 since Linux 4.14, 0x400 and more before.
 */
static bool is_preempted(int64_t state)
{
	return !(state & STATES);
}

static bool read_field(const struct trace_field *field, const struct record *r, bool swap,
		       int64_t *value)
{
	return trace_field_read(field, r->sample.raw, r->sample.raw_size, swap, value);
}

static bool is_tid(int64_t number)
{
	return number > 0 && number <= INT32_MAX;
}

static size_t make_switches(const struct record *r, const struct file_sched *s, bool swap,
			    struct record made[2])
{
	int64_t state, next, before;
	uint32_t pid = r->pid, tid = r->tid;

	if (!read_field(&s->field, r, swap, &state) || !read_field(&s->other, r, swap, &next))
		return 0;
	/* The sample of a task that was waited for has no number any more, but the tracepoint's fields have. */
	if (tid == UINT32_MAX && read_field(&s->who, r, swap, &before) && is_tid(before)) {
		pid = UINT32_MAX;
		tid = (uint32_t)before;
	}
	make_switch(&made[0], r, pid, tid,
		    &(struct record_switch){ .out = true, .preempted = is_preempted(state) });
	if (!is_tid(next))
		return 1;
	make_switch(&made[1], r, UINT32_MAX, (uint32_t)next, &(struct record_switch){ 0 });
	return 2;
}

/* Sets MADE to a sample of R's thread that only tells of something: it has R's stack, and no value is told twice. */
static void make_sample(struct record *made, const struct record *r, enum record_cpumode cpumode)
{
	make(made, r, RECORD_SAMPLE);
	made->pid = r->pid;
	made->tid = r->tid;
	made->cpumode = cpumode;
	memcpy(&made->sample, &r->sample, offsetof(struct record_sample, read));
	made->sample.read.count = 0;
	made->counts_only = true;
}

static size_t make_wake(const struct record *r, const struct file_sched *s, bool swap,
			struct record *made)
{
	int64_t tid;

	if (!read_field(&s->field, r, swap, &tid) || !is_tid(tid))
		return 0;
	make_sample(made, r, r->cpumode); /* the stack is the waker's */
	made->woken_tid = (uint32_t)tid;
	made->woken_in = trace_context_read(&s->other, r->sample.raw, r->sample.raw_size);
	return 1;
}

/*
 * The caller's stack is the user part alone: what the kernel does for a tracepoint says nothing of the call.
 * From a copy of the stack none is made: its registers are the kernel's.
 */
static void keep_callers(const struct record_layout *layout, struct record_sample *s)
{
	uint64_t i = 0;

	while (i < s->callchain_count && record_word(layout, s->callchain, i) != CALLCHAIN_USER)
		i++;
	if (i + 1 < s->callchain_count) {
		s->callchain = (const char *)s->callchain + i * sizeof(uint64_t);
		s->callchain_count -= i;
		s->ip = record_word(layout, s->callchain, 1);
	} else {
		s->callchain_count = 0;
	}
	s->user_stack = NULL;
	s->user_stack_size = 0;
}

static size_t make_call(const struct record *r, const struct file_event *e, bool swap,
			struct record *made)
{
	const struct file_sched *s = &e->sched;

	make_sample(made, r, CPUMODE_USER);
	keep_callers(&e->layout, &made->sample);
	if (!read_field(&s->field, r, swap, &made->call_number) ||
	    !read_field(&s->other, r, swap, &made->call_result))
		return 0;
	made->call = s->kind == FILE_SCHED_ENTER ? CALL_ENTERS : CALL_LEAVES;
	made->call_count = 1;
	return 1;
}

size_t file_sched_make(const struct file_events *events, const struct record *r,
		       struct record made[2])
{
	const struct file_sched *s = &events->items[r->event].sched;

	made->counts_only = false;
	made->woken_tid = 0;
	made->call = CALL_NONE;
	if (s->kind == FILE_SCHED_SWITCH)
		return make_switches(r, s, events->swap, made);
	if (file_sched_is_call(s->kind))
		return make_call(r, &events->items[r->event], events->swap, made);
	return s->kind == FILE_SCHED_WAKE ? make_wake(r, s, events->swap, made) : 0;
}

bool file_sched_switches(const struct file_events *events, size_t event)
{
	const struct evsel *e = events->evlist->items[event];

	return events->items[event].sched.kind == FILE_SCHED_SWITCH ||
	       (e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_CONTEXT_SWITCHES &&
		!e->freq_hz && e->period == 1);
}

bool file_sched_has(const struct file_events *events, enum file_sched_kind kind)
{
	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].sched.kind == kind)
			return true;
	}
	return false;
}

bool file_sched_has_stacks(const struct file_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		if (file_sched_switches(events, i) &&
		    events->items[i].layout.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}
