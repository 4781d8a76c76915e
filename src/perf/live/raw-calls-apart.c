/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/raw-calls-apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/live/raw-call.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"

#define RING_PAGES 64      /* 256 KiB, where a page is 4: a copy of a stack has 8 KiB */
#define RING_PAGES_POOR 16 /* where there are many */
#define MANY 16

struct told_call {
	int64_t number, result;
};

struct call_thread {
	uint32_t tid;
	int count_fd, enter_fd, leave_fd; /* -1: not open */
	uint64_t leave_id;
	uint64_t since_ns; /* from then on its calls are counted */
	struct mapping map;
	struct ring ring;
	uint64_t count; /* of its calls, which are not handed over yet */
	uint64_t told;  /* the value of the counter, handed over or in COUNT */
	struct told_call lately[APART_CALLS_FEW]; /* its last calls that were told */
	size_t told_calls;                        /* all of them */
	bool in_call;                             /* the last record is of a begin */
	unsigned calls_each;                      /* of a drain, that it tells */
	unsigned due_calls;                       /* that it may still tell */
};

static struct call_thread *find(const struct live *l, uint32_t tid)
{
	const struct raw_calls *calls = l->raw_calls;

	for (size_t i = 0; i < calls->apart_count; i++) {
		if (calls->apart[i]->tid == tid)
			return calls->apart[i];
	}
	return NULL;
}

bool raw_calls_apart_has(const struct live *l, const struct record *r)
{
	const struct call_thread *t = l->raw_calls->apart_count ? find(l, r->tid) : NULL;

	return t && r->time_ns >= t->since_ns;
}

/* Events. */

static int event_open(struct perf_event_attr *attr, uint32_t tid)
{
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_TRACEPOINT;
	return perf_open(attr, (int)tid, -1, -1, 0);
}

/* 0 or a negative errno. */
static int records_open(struct live *l, struct call_thread *t)
{
	const struct tracepoint_wanted enters = raw_call_wanted(l, RAW_CALL_ENTERS, false);
	const struct tracepoint_wanted leaves = raw_call_wanted(l, RAW_CALL_LEAVES, true);
	struct perf_event_attr enter, leave;
	int err;

	tracepoint_attr(l, &enters, &enter);
	tracepoint_attr(l, &leaves, &leave);
	t->enter_fd = event_open(&enter, t->tid);
	if (t->enter_fd < 0)
		return t->enter_fd;
	t->leave_fd = event_open(&leave, t->tid);
	if (t->leave_fd < 0)
		return t->leave_fd;
	err = mapping_open(&t->map, t->enter_fd,
			   t->calls_each > APART_CALLS ? RING_PAGES : RING_PAGES_POOR);
	if (!err)
		err = perf_control(t->leave_fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)t->enter_fd);
	if (err)
		return err;
	mapping_ring(&t->map, &t->ring, l->bounce);
	return perf_control(t->leave_fd, PERF_EVENT_IOC_ID, (uintptr_t)&t->leave_id);
}

static void thread_close(struct call_thread *t)
{
	mapping_close(&t->map);
	if (t->leave_fd >= 0)
		close(t->leave_fd);
	if (t->enter_fd >= 0)
		close(t->enter_fd);
	if (t->count_fd >= 0)
		close(t->count_fd);
	free(t);
}

/* A record of nobody's making, of T. */
static void hand_over(struct live *l, const struct call_thread *t, enum record_call call,
		      const struct told_call *what, uint32_t count)
{
	struct record *r = mem_alloc(sizeof(*r));

	r->type = RECORD_SAMPLE;
	r->event = -1;
	r->counts_only = true;
	r->pid = UINT32_MAX; /* not known here */
	r->tid = t->tid;
	r->time_ns = clock_monotonic_ns(&clock_system);
	r->call = call;
	r->call_number = what->number;
	r->call_result = what->result;
	r->call_count = count;
	live_hand_over(l, r);
	free(r);
}

/* Without records of its calls a thread's number of them is still told. */
static void thread_open(struct live *l, uint32_t tid)
{
	struct perf_event_attr count = { .config = l->raw_calls->left.id };
	struct call_thread *t = mem_alloc(sizeof(*t));

	t->tid = tid;
	t->calls_each = l->raw_calls->busy.left_out > MANY ? APART_CALLS : APART_CALLS_FEW;
	t->enter_fd = t->leave_fd = -1;
	t->count_fd = event_open(&count, tid);
	t->since_ns = clock_monotonic_ns(&clock_system);
	if (t->count_fd < 0) { /* it has ended */
		thread_close(t);
		return;
	}
	if (records_open(l, t) < 0)
		mapping_close(&t->map);
	mem_grow((void **)&l->raw_calls->apart, &l->raw_calls->apart_capacity,
		 l->raw_calls->apart_count + 1, sizeof(struct call_thread *));
	l->raw_calls->apart[l->raw_calls->apart_count++] = t;
	if (l->receive)
		hand_over(l, t, CALL_UNTOLD, &(struct told_call){ 0 }, 0);
}

void raw_calls_apart_follow(struct live *l)
{
	const struct busy *b = &l->raw_calls->busy;

	for (size_t i = 0; i < b->left_out && l->raw_calls->enabled; i++) {
		if (!find(l, b->threads[i].tid))
			thread_open(l, b->threads[i].tid);
	}
}

/* Records. */

/* Takes what T's counter has got on by. */
static void read_count(struct live *l, struct call_thread *t)
{
	uint64_t value;

	if (perf_read(t->count_fd, &value, 1) < 0 || value <= t->told)
		return;
	t->count += value - t->told;
	busy_count(&l->raw_calls->busy, t->tid, (uint32_t)(value - t->told));
	l->raw_calls->count += value - t->told;
	t->told = value;
}

static uint64_t id_of(const struct ring *r)
{
	return ring_word(r, sizeof(struct perf_event_header));
}

/* The number of calls in T's ring that are told from their begin on. */
static uint32_t calls_in(const struct call_thread *t)
{
	const struct perf_event_header *h;
	struct ring window = t->ring; /* nothing of the ring is consumed */
	bool in_call = t->in_call;
	uint32_t calls = 0;
	int err;

	while ((h = ring_peek(&window, &err))) {
		if (h->type == PERF_RECORD_SAMPLE && h->size >= 2 * sizeof(uint64_t)) {
			bool leaves = id_of(&window) == t->leave_id;

			calls += leaves && in_call;
			in_call = !leaves;
		}
		ring_skip(&window);
	}
	return calls;
}

/* Hands over the record at the front of T's ring; COUNT as the calls that the next return stands for. */
static void take_record(struct live *l, struct call_thread *t, bool leaves, uint32_t count)
{
	const struct record_layout *layout = leaves ? &l->stack_fields_layout : &l->fields_layout;
	const struct perf_event_header *h = ring_record(&t->ring);
	struct record own = { 0 }, *r = &own; /* another one may be being handed over */

	if (record_decode(layout, h, h->size, r) < 0) {
		l->source.stats.malformed++;
		return;
	}
	r->event = -1;
	raw_call_record(l, r, leaves);
	r->call_count = count;
	if (leaves)
		t->lately[t->told_calls++ % APART_CALLS_FEW] =
			(struct told_call){ r->call_number, r->call_result };
	l->source.stats.calls++;
	l->source.stats.call_stacks += leaves;
	live_hand_over(l, r);
}

/* A return without a begin is of a call from before. */
static void take_ring(struct live *l, struct call_thread *t)
{
	const struct perf_event_header *h;
	uint32_t calls;
	int err;

	ring_begin(&t->ring);
	calls = calls_in(t);
	while ((h = ring_peek(&t->ring, &err))) {
		bool sample = h->type == PERF_RECORD_SAMPLE && h->size >= 2 * sizeof(uint64_t);
		bool leaves = sample && id_of(&t->ring) == t->leave_id;
		uint64_t share = calls ? t->count / calls : 0;

		if (leaves && t->in_call && share) {
			take_record(l, t, true, share < UINT32_MAX ? (uint32_t)share : UINT32_MAX);
			t->count -= share < UINT32_MAX ? share : UINT32_MAX;
		} else if (sample && !leaves) {
			take_record(l, t, false, 1);
		}
		calls -= leaves && t->in_call;
		t->due_calls -= leaves && t->in_call && t->due_calls;
		t->in_call = sample ? !leaves : t->in_call;
		ring_skip(&t->ring);
	}
	ring_end(&t->ring);
}

/* Lets T tell its next calls.  One more return than begins: it may be in a call now. */
static void tell_more(struct call_thread *t)
{
	t->due_calls = t->calls_each;
	perf_control(t->leave_fd, PERF_EVENT_IOC_REFRESH, t->calls_each + 1);
	perf_control(t->enter_fd, PERF_EVENT_IOC_REFRESH, t->calls_each);
}

static void take(struct live *l, struct call_thread *t)
{
	read_count(l, t);
	if (!t->map.base)
		return;
	take_ring(l, t);
	if (!t->due_calls)
		tell_more(t);
}

void raw_calls_apart_take(struct live *l)
{
	for (size_t i = 0; i < l->raw_calls->apart_count && l->receive; i++)
		take(l, l->raw_calls->apart[i]);
}

/* Calls of T that were counted and not told are taken for such as the last ones that were told. */
static void hand_over_rest(struct live *l, struct call_thread *t)
{
	size_t had = t->told_calls < APART_CALLS_FEW ? t->told_calls : APART_CALLS_FEW;
	const struct told_call unknown = { .number = -1 };

	for (size_t left = had; left && t->count; left--) {
		uint64_t share = (t->count + left - 1) / left;

		hand_over(l, t, CALL_COUNTED, &t->lately[left - 1], (uint32_t)share);
		t->count -= share;
	}
	if (t->count)
		hand_over(l, t, CALL_COUNTED, &unknown, (uint32_t)t->count);
}

static void thread_end(struct live *l, struct call_thread *t)
{
	if (l->receive) {
		read_count(l, t);
		if (t->map.base)
			take_ring(l, t);
		hand_over_rest(l, t);
		hand_over(l, t, CALL_UNTOLD, &(struct told_call){ 0 }, 0);
	}
	thread_close(t);
}

void raw_calls_apart_forget(struct live *l)
{
	struct raw_calls *calls = l->raw_calls;
	size_t left = 0;

	for (size_t i = 0; i < calls->apart_count; i++) {
		if (busy_leaves_out(&calls->busy, calls->apart[i]->tid))
			calls->apart[left++] = calls->apart[i];
		else
			thread_end(l, calls->apart[i]);
	}
	calls->apart_count = left;
}

void raw_calls_apart_end(struct live *l, uint32_t tid)
{
	struct raw_calls *calls = l->raw_calls;

	for (size_t i = 0; i < calls->apart_count; i++) {
		if (calls->apart[i]->tid != tid)
			continue;
		thread_end(l, calls->apart[i]);
		calls->apart[i] = calls->apart[--calls->apart_count];
		return;
	}
}

void raw_calls_apart_close(struct live *l)
{
	struct raw_calls *calls = l->raw_calls;

	for (size_t i = 0; i < calls->apart_count; i++)
		thread_close(calls->apart[i]);
	free(calls->apart);
	calls->apart = NULL;
	calls->apart_count = calls->apart_capacity = 0;
}
