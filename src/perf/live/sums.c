/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/userregs.h"

#define SETTLE_NS NS_PER_S /* an interval may be long, and the kernel's tables are small */
#define CHAIN_MAX 512
#define STACK_PERIOD 16 /* with a reduction; as SAMPLED_STACK_PERIOD of control.c */

struct sums {
	struct kernel_waits *waits;
	bool wakeups;             /* they tell of these, too */
	uint64_t settled_ns;      /* up to then they are handed over */
	uint64_t tried_ns;        /* when that was last tried */
	uint64_t lost, estimated; /* waits, as last told */
	/* One being handed over. */
	struct record record;
	struct record_waits told;
	uint64_t chain[CHAIN_MAX];
};

static bool has_run_delay(const struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (evsel_is_time(e) && e->config == EVENT_TIME_RUN_DELAY && !e->removed)
			return true;
	}
	return false;
}

/* Returns true if there are events of time, and sums tell all of them; those of wake-ups if WAKEUPS. */
static bool serve(const struct live *l, bool wakeups)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!evsel_is_time(e) || e->removed || evsel_is_syscalls(e))
			continue;
		if (e->config != EVENT_TIME_OFF_CPU &&
		    (e->config != EVENT_TIME_RUN_DELAY || !wakeups))
			return false;
	}
	return evlist_has_time(events);
}

bool sums_suffice(const struct live *l)
{
	return l->sums && serve(l, l->sums->wakeups);
}

/* Functions that make a call mostly have no frame of their own there, so records bring the register with their caller. */
static bool leaves_out_callers(const struct source_options *o)
{
	return o->callchains && o->leaf_callers && LEAF_REGS_MASK != 0;
}

/* NULL: the kernel may sum PART; else why not. */
static const char *obstacle(const struct live *l, enum kernel_waits_part part)
{
	const struct source_options *o = &l->options;
	bool calls = part == KERNEL_CALLS;

	if (o->mode == TARGET_CPU || o->mode == TARGET_CGROUP)
		return _("single CPUs and control groups are not summed");
	if (!calls && !serve(l, true))
		return _("the kernel sums off-cpu and run-delay alone");
	if (o->engine == ENGINE_AUTO &&
	    (o->user_stack_bytes || o->branch_stacks || (calls && leaves_out_callers(o))))
		return _("the kernel finds stacks by frame pointers: --call-graph fp");
	return NULL;
}

/*
 * Which processes the kernel follows at least; NULL: all.  A user's are all: a process may become his, and then what it did
 * before is his, too.
 */
static const struct number_list *targets(const struct live *l)
{
	enum target_mode mode = l->options.mode;

	return mode == TARGET_PID || mode == TARGET_COMMAND ? &l->task_choice : NULL;
}

int sums_begin(struct live *l, enum kernel_waits_part part, struct kernel_waits **begun,
	       char **reason, struct error *err)
{
	const char *why = obstacle(l, part);
	struct error refusal = { "" };

	*begun = why ? NULL : kernel_waits_open(part, targets(l), &refusal);
	if (*begun)
		return 0;
	*reason = mem_strdup(why ? why : refusal.text);
	return l->options.engine == ENGINE_BPF ? error_set(err, _("--engine bpf: %s"), *reason) : 0;
}

static bool is_wanted(const struct live *l)
{
	return l->options.engine != ENGINE_PERF && l->options.callchains &&
	       evlist_has_time(l->source.evlist);
}

int sums_open(struct live *l, struct error *err)
{
	bool wakeups = has_run_delay(l);
	struct kernel_waits *waits;
	int failed;

	if (!is_wanted(l))
		return 0;
	failed = sums_begin(l, wakeups ? KERNEL_WAKEUPS : KERNEL_WAITS, &waits,
			    &l->source.sums_reason, err);
	if (!waits)
		return failed;
	l->sums = mem_alloc(sizeof(*l->sums));
	l->sums->waits = waits;
	l->sums->wakeups = wakeups;
	l->sums->settled_ns = l->sums->tried_ns = clock_monotonic_ns(&clock_system);
	l->source.sums_waits = true;
	return 0;
}

int sums_try(struct error *err)
{
	struct kernel_waits *waits = kernel_waits_open(KERNEL_WAKEUPS, NULL, err);

	kernel_waits_close(waits);
	return waits ? 0 : -1;
}

void sums_close(struct live *l)
{
	if (!l->sums)
		return;
	l->source.summed_ns = l->sums->settled_ns;
	kernel_waits_close(l->sums->waits);
	free(l->sums);
	l->sums = NULL;
	l->source.sums_waits = false;
}

static size_t add_frames(uint64_t *chain, size_t at, uint64_t context, const uint64_t *frames,
			 size_t count)
{
	if (!count || at + 1 + count > CHAIN_MAX)
		return at;
	chain[at++] = context;
	memcpy(chain + at, frames, count * sizeof(*frames));
	return at + count;
}

/* As a sample of the kernel's. */
static void hand_over(void *context, const struct kernel_wait *w)
{
	struct live *l = context;
	struct sums *s = l->sums;
	struct record *r = &s->record;
	size_t count = add_frames(s->chain, 0, CALLCHAIN_KERNEL, w->kernel_stack, w->kernel_frames);

	count = add_frames(s->chain, count, CALLCHAIN_USER, w->user_stack, w->user_frames);
	*r = (struct record){
		.type = RECORD_SAMPLE,
		.event = -1,
		.counts_only = true,
		.cpumode = w->kernel_frames ? CPUMODE_KERNEL : CPUMODE_USER,
		.pid = w->pid,
		.tid = w->tid,
		.time_ns = w->end_ns,
		.woken_in = (enum trace_context)w->woken_in,
		.waits = &s->told,
	};
	r->sample.callchain = s->chain;
	r->sample.callchain_count = count;
	r->sample.ip = count > 1 ? s->chain[1] : 0;
	s->told = (struct record_waits){ .kind = (enum record_wait)w->kind,
					 .count = w->count,
					 .ns = w->ns,
					 .delay_ns = w->delay_ns,
					 .longest_ns = w->longest_ns,
					 .longest_delay_ns = w->longest_delay_ns,
					 .ready = w->ready,
					 .waker = w->waker };
	live_hand_over(l, r);
}

/* A wait that is not followed is two such moments: its start, and its end. */
static uint64_t lost_waits(const struct kernel_waits_stats *stats)
{
	return stats->lost + (stats->unfollowed + 1) / 2;
}

static void tell_losses(struct live *l)
{
	const struct kernel_waits_stats stats = kernel_waits_statistics(l->sums->waits);
	uint64_t lost = lost_waits(&stats);

	l->source.stats.lost_waits += lost - l->sums->lost;
	l->sums->lost = lost;
	l->source.stats.foreign_times += stats.misfits - l->sums->estimated;
	l->sums->estimated = stats.misfits;
}

void sums_settle(struct live *l)
{
	if (!l->sums || !l->receive)
		return;
	l->sums->tried_ns = clock_monotonic_ns(&clock_system);
	l->sums->settled_ns = kernel_waits_settle(l->sums->waits, hand_over, l);
	tell_losses(l);
}

void sums_end(struct live *l)
{
	if (l->sums && l->receive) {
		l->sums->settled_ns = kernel_waits_end(l->sums->waits, hand_over, l);
		tell_losses(l);
	}
	sums_close(l);
}

void sums_drained(struct live *l, uint64_t now_ns)
{
	if (l->sums && now_ns - l->sums->tried_ns >= SETTLE_NS)
		sums_settle(l);
}

uint32_t sums_stack_period(struct live *l)
{
	uint32_t period = l->source.reduced.sampled_counters ? STACK_PERIOD : 0;

	if (!l->sums)
		return 0;
	kernel_waits_take_stacks(l->sums->waits, period);
	return period;
}

void sums_run(struct live *l, bool run)
{
	if (l->sums)
		kernel_waits_run(l->sums->waits, run);
}
