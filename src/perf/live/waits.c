/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/waits.h"

#include "base/buf.h"
#include "base/clock.h"
#include "perf/live/live-state.h"
#include "perf/live/tracepoint.h"
#include "perf/live/tracepoints.h"

#define CHOICE_NS NS_PER_S       /* between two choices */
#define HASTE_NS (NS_PER_S / 10) /* likewise, when two seconds' stacks were taken in less */
#define MS 1000000u

struct waits {
	bool sought;  /* the tracepoint was looked for */
	bool there;   /* and can be had */
	bool enabled; /* the events are open */
	struct tracepoint switched;
	struct busy busy;
	uint64_t chosen_ns; /* when the busy ones were */
};

static int waits_open(struct live *l, struct cpu *c)
{
	struct tracepoint_wanted switched = {
		.family = &family_waits,
		.tracepoint = &l->waits->switched,
		.layout = &l->stack_layout,
		.period = l->waits->busy.others_period,
	};
	struct buf filter = { 0 };
	int err;

	if (!l->waits->enabled)
		return 0;
	buf_add_str(&filter, "prev_pid!=0"); /* the idle task waits for nothing */
	busy_filter(&l->waits->busy, "prev_pid", &filter);
	switched.filter = filter.bytes;
	err = tracepoint_open(l, c, &switched);
	buf_fini(&filter);
	return err;
}

static void waits_refuse(struct live *l, int error, const char *why)
{
	(void)error;
	(void)why;
	l->waits->enabled = l->waits->there = false;
}

static bool are_wanted(const struct live *l)
{
	const struct source *s = &l->source;

	return l->tells_switches && s->reduced.sampled_counters && s->reduced.stacks_hz &&
	       !s->exact_only && l->stack_layout.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static bool tracepoint_is_there(struct waits *w)
{
	const struct event_env here = { 0 };
	struct error err = { "" };

	if (w->sought)
		return w->there;
	w->sought = true;
	w->there = !tracepoint_find(&w->switched, &here, "sched:sched_switch", "prev_pid", &err);
	return w->there;
}

/* A count over a moment only says nothing: then nobody is left out. */
static bool choose(struct live *l, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - l->waits->chosen_ns;
	uint64_t allowed = l->source.reduced.stacks_hz * (elapsed_ns / MS) / 1000;

	l->waits->chosen_ns = now_ns;
	return busy_choose(&l->waits->busy, elapsed_ns < HASTE_NS ? UINT32_MAX : allowed);
}

static void waits_follow(struct live *l)
{
	struct waits *w = l->waits;
	bool wanted = are_wanted(l) && tracepoint_is_there(w);

	if (wanted == w->enabled)
		return;
	w->enabled = wanted;
	if (wanted) {
		choose(l, clock_monotonic_ns(&clock_system));
		tracepoints_open_all(l, &family_waits);
	} else {
		tracepoints_close(l, &family_waits, TRACEPOINTS_ALL);
	}
}

void waits_count(struct live *l, uint32_t tid)
{
	if (tid && tid != UINT32_MAX)
		busy_count(&l->waits->busy, tid, 1);
}

const struct busy *waits_busy(const struct live *l)
{
	return l->waits && l->waits->enabled ? &l->waits->busy : NULL;
}

static void waits_drained(struct live *l, uint64_t now_ns)
{
	struct waits *w = l->waits;
	uint64_t elapsed_ns = now_ns - w->chosen_ns;
	bool hastes = w->enabled &&
		      w->busy.others / w->busy.others_period > 2ull * l->source.reduced.stacks_hz;

	if (!l->tells_switches || elapsed_ns < (hastes ? HASTE_NS : CHOICE_NS))
		return;
	if (!w->enabled) {
		busy_forget(&w->busy);
		w->chosen_ns = now_ns;
		return;
	}
	if (!choose(l, now_ns))
		return;
	tracepoints_open_all(l, &family_waits);
	for (size_t i = 0; i < l->cpu_count; i++)
		groups_lead_at(&l->cpus[i]->groups, live_leader_period(l));
	live_tell_stack_period(l);
}

static void waits_leave(struct live *l)
{
	busy_fini(&l->waits->busy);
}

static void waits_sample(struct live *l, const struct tracepoint_event *b, struct record *r)
{
	(void)b;
	l->source.stats.switch_records++;
	r->switched = true;
}

const struct tracepoint_family family_waits = {
	.data_bytes = sizeof(struct waits),
	.open = waits_open,
	.sample = waits_sample,
	.refuse = waits_refuse,
	.follow = waits_follow,
	.drained = waits_drained,
	.leave = waits_leave,
};
