/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/call-sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/sums.h"

#define SETTLE_NS NS_PER_S /* an interval may be long, and the kernel's tables are small */
#define CHAIN_MAX 128

struct call_sums {
	struct kernel_waits *calls;
	uint64_t tried_ns; /* when what was summed was last to be handed over */
	uint64_t lost;     /* calls, and those whose begin found no room, as last told */
	/* One being handed over. */
	struct record record;
	struct record_calls told;
	uint64_t chain[CHAIN_MAX];
};

static bool is_wanted(const struct live *l)
{
	return l->options.engine != ENGINE_PERF &&
	       evlist_find_id(l->source.evlist, EVENT_SYSCALLS) >= 0;
}

int call_sums_open(struct live *l, struct error *err)
{
	struct kernel_waits *calls;
	int failed;

	if (!is_wanted(l))
		return 0;
	failed = sums_begin(l, KERNEL_CALLS, &calls, &l->source.calls_reason, err);
	if (!calls)
		return failed;
	l->call_sums = mem_alloc(sizeof(*l->call_sums));
	l->call_sums->calls = calls;
	l->call_sums->tried_ns = clock_monotonic_ns(&clock_system);
	l->source.sums_calls = true;
	call_sums_renew(l);
	if (l->options.enable_on_exec && l->task_choice.count)
		kernel_waits_await_exec(calls, l->task_choice.items[0]);
	return 0;
}

void call_sums_close(struct live *l)
{
	if (!l->call_sums)
		return;
	kernel_waits_close(l->call_sums->calls);
	free(l->call_sums);
	l->call_sums = NULL;
	l->source.sums_calls = false;
}

/* As a sample of the kernel's. */
static void hand_over(void *context, const struct kernel_wait *w)
{
	struct live *l = context;
	struct call_sums *s = l->call_sums;
	struct record *r = &s->record;
	size_t frames = w->user_frames < CHAIN_MAX ? w->user_frames : CHAIN_MAX - 1;

	*r = (struct record){
		.type = RECORD_SAMPLE,
		.event = -1,
		.counts_only = true,
		.cpumode = CPUMODE_USER,
		.pid = w->pid,
		.tid = w->tid,
		.time_ns = w->end_ns,
		.calls = &s->told,
	};
	if (frames) {
		s->chain[0] = CALLCHAIN_USER;
		memcpy(s->chain + 1, w->user_stack, frames * sizeof(*w->user_stack));
		r->sample.callchain = s->chain;
		r->sample.callchain_count = 1 + frames;
		r->sample.ip = s->chain[1];
	}
	s->told = (struct record_calls){ .number = w->number,
					 .result = -(int64_t)w->error,
					 .count = w->count,
					 .timed = w->kind == KERNEL_WAIT_CALL,
					 .ns = w->ns,
					 .longest_ns = w->longest_ns };
	live_hand_over(l, r);
}

void call_sums_settle(struct live *l)
{
	struct call_sums *s = l->call_sums;
	struct kernel_waits_stats stats;
	uint64_t lost;

	if (!s || !l->receive)
		return;
	s->tried_ns = clock_monotonic_ns(&clock_system);
	kernel_waits_settle(s->calls, hand_over, l);
	stats = kernel_waits_statistics(s->calls);
	lost = stats.lost + stats.unfollowed;
	l->source.stats.lost_waits += lost - s->lost;
	s->lost = lost;
}

void call_sums_drained(struct live *l, uint64_t now_ns)
{
	if (l->call_sums && now_ns - l->call_sums->tried_ns >= SETTLE_NS)
		call_sums_settle(l);
}

void call_sums_renew(struct live *l)
{
	if (l->call_sums)
		kernel_waits_call_stacks(l->call_sums->calls, l->options.callchains);
}

void call_sums_run(struct live *l, bool run)
{
	if (l->call_sums)
		kernel_waits_run(l->call_sums->calls, run);
}
