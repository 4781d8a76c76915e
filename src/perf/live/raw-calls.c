/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * System calls, from the tracepoints raw_syscalls:sys_enter and sys_exit.  While syscalls is in the list and the kernel
 * does not sum them (call-sums.h), each CPU has both beside its groups, in the same ring.  Their samples become records with `call`
 * (perf/record/source.h).  Samples of returns bring the caller's stack.
 *
 * They may cost source_reduction.call_ns.  If they would cost more, the stacks are left out first.  If that does not
 * suffice, the threads with the most calls are left out (busy.h) by a filter, and get events of their own
 * (raw-calls-apart.h).  If there are too many of these, only one thread in so many is told.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "perf/live/call-sums.h"
#include "perf/live/raw-call.h"
#include "perf/live/raw-calls-apart.h"
#include "perf/live/live-state.h"

#define CHOICE_NS NS_PER_S       /* between two choices */
#define HASTE_NS (NS_PER_S / 10) /* likewise, when two seconds' records were made in less */

/* Nanoseconds that a call costs: two records, and with a stack that; see engine/budget.c. */
#define PLAIN_NS 1700u
#define STACK_NS (PLAIN_NS + 8000u)

static int find(struct raw_calls *calls, struct error *err)
{
	const struct event_env here = { 0 };
	static const char leave[] = "raw_syscalls:sys_exit";

	if (tracepoint_find(&calls->entered, &here, "raw_syscalls:sys_enter", "id", err) ||
	    tracepoint_find(&calls->left, &here, leave, "id", err))
		return -1;
	return tracepoint_find(&calls->returned, &here, leave, "ret", err);
}

/* Events. */

/* "common_pid!=4711&&common_pid!=12&&!(common_pid&7)" */
static void filter_print(const struct raw_calls *calls, struct buf *text)
{
	busy_filter(&calls->busy, "common_pid", text);
	if (calls->part > 1)
		buf_printf(text, "%s!(common_pid&%u)", text->size ? "&&" : "", calls->part - 1);
}

static int raw_calls_open(struct live *l, struct cpu *c)
{
	struct tracepoint_wanted enters = raw_call_wanted(l, RAW_CALL_ENTERS, false);
	struct tracepoint_wanted leaves = raw_call_wanted(l, RAW_CALL_LEAVES, l->raw_calls->stacks);
	struct buf filter = { 0 };
	int err;

	if (!l->raw_calls->enabled)
		return 0;
	filter_print(l->raw_calls, &filter);
	enters.filter = leaves.filter = filter.bytes;
	err = tracepoint_open(l, c, &leaves);
	if (!err)
		err = tracepoint_open(l, c, &enters);
	buf_fini(&filter);
	return err;
}

static int event_of(const struct live *l)
{
	int event = evlist_find_id(l->source.evlist, EVENT_SYSCALLS);
	const struct evsel *e = event < 0 ? NULL : l->source.evlist->items[event];

	return e && !e->removed && !e->open_error ? event : -1;
}

static void raw_calls_refuse(struct live *l, int error, const char *why)
{
	int event = event_of(l);

	l->raw_calls->enabled = false;
	raw_calls_apart_close(l);
	if (event >= 0)
		live_refuse_because(l, (size_t)event, error, why);
}

/* Enabling. */

static bool may_have_stacks(const struct live *l)
{
	return l->stack_fields_layout.sample_type & PERF_SAMPLE_CALLCHAIN;
}

/* Says in the source what is left out. */
static void tell(struct live *l)
{
	const struct raw_calls *calls = l->raw_calls;

	l->source.calls_without_stacks = calls->enabled && may_have_stacks(l) && !calls->stacks;
	l->source.call_threads = calls->enabled ? (uint32_t)calls->busy.left_out : 0;
	l->source.call_part = calls->enabled ? calls->part : 0;
}

static void raw_calls_enter(struct live *l)
{
	struct raw_calls *calls = l->raw_calls;
	struct error err = { "" };

	calls->enabled = event_of(l) >= 0 && !l->call_sums;
	if (calls->enabled && find(calls, &err))
		raw_calls_refuse(l, ENOENT, err.text);
	calls->stacks = may_have_stacks(l);
	calls->part = 1;
	calls->count = 0;
	calls->chosen_ns = clock_monotonic_ns(&clock_system);
	busy_forget(&calls->busy);
	tell(l);
}

static int raw_calls_add(struct live *l, size_t event)
{
	raw_calls_enter(l);
	tracepoints_open_all(l, &family_raw_calls);
	return -l->source.evlist->items[event]->open_error;
}

static void raw_calls_remove(struct live *l, size_t event)
{
	(void)event;
	call_sums_close(l);
	l->raw_calls->enabled = false;
	raw_calls_apart_close(l);
	tracepoints_close(l, &family_raw_calls, TRACEPOINTS_ALL);
	tell(l);
}

/* The stacks are others. */
static void raw_calls_renew(struct live *l)
{
	call_sums_renew(l);
	if (!l->raw_calls->enabled)
		return;
	l->raw_calls->stacks = may_have_stacks(l) && !l->source.calls_without_stacks;
	raw_calls_apart_close(l);
	tracepoints_open_all(l, &family_raw_calls);
	raw_calls_apart_follow(l);
	tell(l);
}

/* Choosing. */

static uint32_t power_above(uint32_t n)
{
	uint32_t power = 1;

	while (power < n && power < 1u << 16)
		power *= 2;
	return power;
}

/* With stacks again only where they need half of what is allowed. */
static bool stacks_fit(const struct live *l, uint64_t elapsed_ns)
{
	double most = (double)l->source.reduced.call_ns / STACK_NS;
	double rate = (double)l->raw_calls->count * NS_PER_S / (double)elapsed_ns;

	return rate <= (l->raw_calls->stacks ? most : most / 2);
}

/* Returns true if other threads are left out now. */
static bool choose_threads(struct live *l, uint64_t elapsed_ns)
{
	struct raw_calls *calls = l->raw_calls;
	double seconds = (double)elapsed_ns / NS_PER_S;
	uint32_t part = calls->part;
	size_t had = calls->busy.left_out;
	bool changed;

	calls->busy.others *= part; /* who is not told makes as many as who is */
	changed = busy_choose(
		&calls->busy,
		calls->stacks ? UINT64_MAX
			      : (uint64_t)((double)l->source.reduced.call_ns / PLAIN_NS * seconds));
	calls->part = power_above(calls->busy.others_period);
	return (changed && (had || calls->busy.left_out)) || calls->part != part;
}

static void choose(struct live *l, uint64_t elapsed_ns)
{
	struct raw_calls *calls = l->raw_calls;
	bool stacks =
		may_have_stacks(l) && (!l->source.reduced.call_ns || stacks_fit(l, elapsed_ns));
	bool changed = stacks != calls->stacks;

	calls->stacks = stacks;
	if (l->source.reduced.call_ns)
		changed |= choose_threads(l, elapsed_ns);
	calls->count = 0;
	if (!changed)
		return;
	raw_calls_apart_forget(l);
	tracepoints_open_all(l, &family_raw_calls);
	raw_calls_apart_follow(l);
	tell(l);
}

/* Returns true if the calls since the last choice cost two seconds' share already. */
static bool hastes(const struct live *l)
{
	uint64_t each_ns = l->raw_calls->stacks ? STACK_NS : PLAIN_NS;

	return l->source.reduced.call_ns &&
	       l->raw_calls->busy.others * each_ns > 2 * l->source.reduced.call_ns;
}

static void raw_calls_drained(struct live *l, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - l->raw_calls->chosen_ns;

	if (!l->raw_calls->enabled)
		return;
	raw_calls_apart_take(l);
	if (elapsed_ns < (hastes(l) ? HASTE_NS : CHOICE_NS))
		return;
	l->raw_calls->chosen_ns = now_ns;
	choose(l, elapsed_ns);
}

/* Records. */

static void raw_calls_sample(struct live *l, const struct tracepoint_event *b, struct record *r)
{
	bool leaves = b->which == RAW_CALL_LEAVES;

	l->source.stats.calls++;
	l->source.stats.call_stacks +=
		tracepoint_opening_of(b, r->id)->layout == &l->stack_fields_layout;
	raw_call_record(l, r, leaves);
	if (raw_calls_apart_has(l, r)) {
		r->call = CALL_UNTOLD;
	} else if (leaves) {
		busy_count(&l->raw_calls->busy, r->tid, 1);
		l->raw_calls->count++;
	}
}

static void raw_calls_leave(struct live *l)
{
	raw_calls_apart_close(l);
	busy_fini(&l->raw_calls->busy);
}

const struct tracepoint_family family_raw_calls = {
	.data_bytes = sizeof(struct raw_calls),
	.open = raw_calls_open,
	.sample = raw_calls_sample,
	.enter = raw_calls_enter,
	.refuse = raw_calls_refuse,
	.tells = evsel_is_syscalls,
	.add = raw_calls_add,
	.remove = raw_calls_remove,
	.renew = raw_calls_renew,
	.drained = raw_calls_drained,
	.ended = raw_calls_apart_end,
	.leave = raw_calls_leave,
};
