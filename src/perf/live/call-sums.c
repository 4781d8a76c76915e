/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/call-sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/sums.h"
#include "perf/live/userregs.h"

#define CHAIN_MAX 128

struct call_sums {
	struct sums sums;
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

/* Functions that make a call mostly have no frame of their own there, so records bring the register with their caller. */
static bool leaves_out_callers(const struct source_options *o)
{
	return o->callchains && o->leaf_callers && LEAF_REGS_MASK != 0;
}

/* NULL: the kernel may sum calls; else why not. */
static const char *obstacle(const struct source_options *o)
{
	if (o->mode == TARGET_CPU || o->mode == TARGET_CGROUP)
		return _("single CPUs and control groups are not summed");
	if (o->engine == ENGINE_AUTO &&
	    (o->user_stack_bytes || o->branch_stacks || leaves_out_callers(o)))
		return _("the kernel finds stacks by frame pointers: --call-graph fp");
	return NULL;
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

int call_sums_open(struct live *l, struct error *err)
{
	struct sums s = { .receive = hand_over, .moments = 1 };
	int begun;

	if (!is_wanted(l))
		return 0;
	begun = sums_begin(l, &s, KERNEL_CALLS, obstacle(&l->options), &l->source.calls_reason,
			   err);
	if (begun <= 0)
		return begun;
	l->call_sums = mem_alloc(sizeof(*l->call_sums));
	l->call_sums->sums = s;
	l->sums[SUMS_CALLS] = &l->call_sums->sums;
	l->source.sums_calls = true;
	call_sums_renew(l);
	if (l->options.enable_on_exec && l->task_choice.count)
		kernel_waits_await_exec(s.kernel, l->task_choice.items[0]);
	return 0;
}

void call_sums_close(struct live *l)
{
	if (!l->call_sums)
		return;
	sums_fini(&l->call_sums->sums);
	free(l->call_sums);
	l->call_sums = NULL;
	l->sums[SUMS_CALLS] = NULL;
	l->source.sums_calls = false;
}

void call_sums_renew(struct live *l)
{
	if (l->call_sums)
		kernel_waits_call_stacks(l->call_sums->sums.kernel, l->options.callchains);
}
