/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/wait-sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/sums.h"
#include "perf/live/userregs.h"

#define CHAIN_MAX 512
#define MOMENTS 2 /* a wait that is not followed: its start, and its end */

struct wait_sums {
	struct sums sums;
	bool wakeups; /* they tell of these, too */
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

bool wait_sums_suffice(const struct live *l)
{
	return l->wait_sums && serve(l, l->wait_sums->wakeups);
}

/* NULL: the kernel may sum waits; else why not. */
static const char *obstacle(const struct live *l)
{
	const struct source_options *o = &l->options;

	if (o->mode == TARGET_CPU || o->mode == TARGET_CGROUP)
		return _("single CPUs and control groups are not summed");
	if (!serve(l, true))
		return _("the kernel sums off-cpu and run-delay alone");
	if (o->engine == ENGINE_AUTO && (o->user_stack_bytes || o->branch_stacks))
		return _("the kernel finds stacks by frame pointers: --call-graph fp");
	return NULL;
}

static bool is_wanted(const struct live *l)
{
	return l->options.engine != ENGINE_PERF && l->options.callchains &&
	       evlist_has_time(l->source.evlist);
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
	struct wait_sums *s = l->wait_sums;
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

int wait_sums_open(struct live *l, struct error *err)
{
	bool wakeups = has_run_delay(l);
	struct sums s = { .receive = hand_over, .moments = MOMENTS };
	int begun;

	if (!is_wanted(l))
		return 0;
	begun = sums_begin(l, &s, wakeups ? KERNEL_WAKEUPS : KERNEL_WAITS, obstacle(l),
			   &l->source.sums_reason, err);
	if (begun <= 0)
		return begun;
	l->wait_sums = mem_alloc(sizeof(*l->wait_sums));
	l->wait_sums->sums = s;
	l->sums[SUMS_WAITS] = &l->wait_sums->sums;
	l->wait_sums->wakeups = wakeups;
	l->source.sums_waits = true;
	return 0;
}

void wait_sums_close(struct live *l)
{
	if (!l->wait_sums)
		return;
	l->source.summed_ns = l->wait_sums->sums.settled_ns;
	sums_fini(&l->wait_sums->sums);
	free(l->wait_sums);
	l->wait_sums = NULL;
	l->sums[SUMS_WAITS] = NULL;
	l->source.sums_waits = false;
}

void wait_sums_end(struct live *l)
{
	if (l->wait_sums)
		sums_end(l, &l->wait_sums->sums);
	wait_sums_close(l);
}

uint32_t wait_sums_stack_period(struct live *l)
{
	const struct source_reduction *r = &l->source.reduced;
	struct kernel_waits *kernel = l->wait_sums ? l->wait_sums->sums.kernel : NULL;

	if (!kernel)
		return 0;
	if (r->sampled_counters)
		kernel_waits_take_stacks(kernel, r->stacks_hz ? r->stacks_hz : UINT32_MAX);
	else
		kernel_waits_take_stacks(kernel, 0);
	return kernel_waits_stack_period(kernel);
}
