/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/raw-calls.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "perf/live/raw-call.h"
#include "perf/live/raw-calls-apart.h"
#include "perf/live/live-state.h"

#define CHOICE_NS NS_PER_S       /* between two choices */
#define HASTE_NS (NS_PER_S / 10) /* likewise, when two seconds' records were made in less */

/* Nanoseconds that a call costs: two records, and with a stack that; see engine/budget.c. */
#define PLAIN_NS 1700u
#define STACK_NS (PLAIN_NS + 8000u)

int raw_calls_find(struct raw_calls *calls, const struct event_env *env, struct error *err)
{
	static const char leave[] = "raw_syscalls:sys_exit";

	if (tracepoint_find(&calls->entered, env, "raw_syscalls:sys_enter", "id", err) ||
	    tracepoint_find(&calls->left, env, leave, "id", err))
		return -1;
	return tracepoint_find(&calls->returned, env, leave, "ret", err);
}

/* Events. */

/*
 * "common_pid!=4711&&common_pid!=12&&!(common_pid&7)", at most 21 bytes for each thread: the kernel takes a page.
 * The busiest comes first, for the first that is equal ends the comparison.
 */
static void filter_print(const struct raw_calls *calls, struct buf *text)
{
	const struct busy *b = &calls->busy;

	for (size_t i = 0; i < b->left_out; i++)
		buf_printf(text, "%scommon_pid!=%u", i ? "&&" : "", b->threads[i].tid);
	if (calls->part > 1)
		buf_printf(text, "%s!(common_pid&%u)", b->left_out ? "&&" : "", calls->part - 1);
	if (text->size)
		buf_add_char(text, '\0');
}

static int enters_open(const struct live *l, struct cpu *c, const char *filter)
{
	struct perf_event_attr attr = { .config = l->calls.entered.id, .sample_period = 1 };

	live_attr_finish(l, &l->wakeup_layout, NULL, &attr);
	return tracepoint_open(&c->call_enters, &attr, &c->groups, filter);
}

static int leaves_open(const struct live *l, struct cpu *c, const char *filter)
{
	bool stacks = l->calls.stacks;
	struct tracepoint_event *to = stacks ? &c->call_stacks : &c->call_leaves;
	struct perf_event_attr attr = { 0 };
	int err;

	raw_call_leave_attr(l, stacks, &attr);
	err = tracepoint_open(to, &attr, &c->groups, filter);
	if (!err)
		tracepoint_close(stacks ? &c->call_leaves : &c->call_stacks);
	return err;
}

/* New events are open before the former ones are closed: a return that is told twice is one (engine/syscalls.h). */
static int events_open(const struct live *l, struct cpu *c)
{
	struct buf filter = { 0 };
	int err;

	filter_print(&l->calls, &filter);
	err = leaves_open(l, c, filter.bytes);
	if (!err)
		err = enters_open(l, c, filter.bytes);
	buf_fini(&filter);
	return err;
}

void raw_calls_close(struct cpu *c)
{
	tracepoint_close(&c->call_enters);
	tracepoint_close(&c->call_leaves);
	tracepoint_close(&c->call_stacks);
}

static void all_close(struct live *l)
{
	l->calls.enabled = false;
	raw_calls_apart_close(l);
	for (size_t i = 0; i < l->cpu_count; i++)
		raw_calls_close(l->cpus[i]);
}

static int event_of(const struct live *l)
{
	int event = evlist_find_id(l->source.evlist, EVENT_SYSCALLS);
	const struct evsel *e = event < 0 ? NULL : l->source.evlist->items[event];

	return e && !e->removed && !e->open_error ? event : -1;
}

/* If one CPU has no events, the others must not seem to be all. */
static void refuse(struct live *l, int error, const char *why)
{
	int event = event_of(l);

	all_close(l);
	if (event >= 0)
		live_refuse_because(l, (size_t)event, error, why);
}

void raw_calls_open(struct live *l, struct cpu *c)
{
	int err = l->calls.enabled ? events_open(l, c) : 0;

	if (err)
		refuse(l, -err, NULL);
}

static void all_open(struct live *l)
{
	for (size_t i = 0; i < l->cpu_count && l->calls.enabled; i++)
		raw_calls_open(l, l->cpus[i]);
}

void raw_calls_redirect(const struct cpu *c)
{
	tracepoint_redirect(&c->call_enters, c->groups.output_fd);
	tracepoint_redirect(&c->call_leaves, c->groups.output_fd);
	tracepoint_redirect(&c->call_stacks, c->groups.output_fd);
}

void raw_calls_run(const struct cpu *c, bool run)
{
	tracepoint_run(&c->call_enters, run);
	tracepoint_run(&c->call_leaves, run);
	tracepoint_run(&c->call_stacks, run);
}

/* Enabling. */

static bool may_have_stacks(const struct live *l)
{
	return l->waker_layout.sample_type & PERF_SAMPLE_CALLCHAIN;
}

/* Says in the source what is left out. */
static void tell(struct live *l)
{
	const struct raw_calls *calls = &l->calls;

	l->source.calls_without_stacks = calls->enabled && may_have_stacks(l) && !calls->stacks;
	l->source.call_threads = calls->enabled ? (uint32_t)calls->busy.left_out : 0;
	l->source.call_part = calls->enabled ? calls->part : 0;
}

void raw_calls_enter(struct live *l)
{
	const struct event_env here = { 0 };
	struct raw_calls *calls = &l->calls;
	struct error err = { "" };

	calls->enabled = event_of(l) >= 0;
	if (calls->enabled && raw_calls_find(calls, &here, &err))
		refuse(l, ENOENT, err.text);
	calls->stacks = may_have_stacks(l);
	calls->part = 1;
	calls->count = 0;
	calls->chosen_ns = clock_monotonic_ns(&clock_system);
	busy_forget(&calls->busy);
	tell(l);
}

int raw_calls_add(struct live *l, size_t event)
{
	raw_calls_enter(l);
	all_open(l);
	return -l->source.evlist->items[event]->open_error;
}

void raw_calls_remove(struct live *l)
{
	all_close(l);
	tell(l);
}

void raw_calls_renew(struct live *l)
{
	if (!l->calls.enabled)
		return;
	l->calls.stacks = may_have_stacks(l) && !l->source.calls_without_stacks;
	raw_calls_apart_close(l);
	all_open(l);
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
	double rate = (double)l->calls.count * NS_PER_S / (double)elapsed_ns;

	return rate <= (l->calls.stacks ? most : most / 2);
}

/* Returns true if other threads are left out now. */
static bool choose_threads(struct live *l, uint64_t elapsed_ns)
{
	struct raw_calls *calls = &l->calls;
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
	struct raw_calls *calls = &l->calls;
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
	all_open(l);
	raw_calls_apart_follow(l);
	tell(l);
}

/* Returns true if the calls since the last choice cost two seconds' share already. */
static bool hastes(const struct live *l)
{
	uint64_t each_ns = l->calls.stacks ? STACK_NS : PLAIN_NS;

	return l->source.reduced.call_ns &&
	       l->calls.busy.others * each_ns > 2 * l->source.reduced.call_ns;
}

void raw_calls_look(struct live *l, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - l->calls.chosen_ns;

	if (!l->calls.enabled)
		return;
	raw_calls_apart_take(l);
	if (elapsed_ns < (hastes(l) ? HASTE_NS : CHOICE_NS))
		return;
	l->calls.chosen_ns = now_ns;
	choose(l, elapsed_ns);
}

void raw_calls_fini(struct live *l)
{
	raw_calls_apart_close(l);
	busy_fini(&l->calls.busy);
	l->calls = (struct raw_calls){ 0 };
}

/* Records. */

bool raw_calls_made(const struct cpu *c, uint64_t id)
{
	return tracepoint_is(&c->call_enters, id) || tracepoint_is(&c->call_leaves, id) ||
	       tracepoint_is(&c->call_stacks, id);
}

const struct record_layout *raw_calls_layout(const struct live *l, const struct cpu *c,
					     const struct perf_event_header *h)
{
	if (tracepoint_made(&c->call_stacks, h))
		return &l->waker_layout;
	return tracepoint_made(&c->call_enters, h) || tracepoint_made(&c->call_leaves, h)
		       ? &l->wakeup_layout
		       : NULL;
}

bool raw_calls_sample(struct live *l, const struct cpu *c, struct record *r)
{
	bool stack = tracepoint_is(&c->call_stacks, r->id);
	bool leaves = stack || tracepoint_is(&c->call_leaves, r->id);

	if (!leaves && !tracepoint_is(&c->call_enters, r->id))
		return false;
	l->source.stats.calls++;
	l->source.stats.call_stacks += stack;
	raw_call_record(l, r, leaves);
	if (raw_calls_apart_has(l, r)) {
		r->call = CALL_UNTOLD;
		return true;
	}
	if (!leaves)
		return true;
	busy_count(&l->calls.busy, r->tid, 1);
	l->calls.count++;
	return true;
}
