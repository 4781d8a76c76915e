/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/sums.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/live/live-state.h"

#define SETTLE_NS NS_PER_S /* an interval may be long, and the kernel's tables are small */

int sums_try(struct error *err)
{
	struct kernel_waits *waits = kernel_waits_open(KERNEL_WAKEUPS, NULL, err);

	kernel_waits_close(waits);
	return waits ? 0 : -1;
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

int sums_begin(struct live *l, struct sums *s, enum kernel_waits_part part, const char *obstacle,
	       char **reason, struct error *err)
{
	struct error refusal = { "" };

	s->kernel = obstacle ? NULL : kernel_waits_open(part, targets(l), &refusal);
	s->settled_ns = s->tried_ns = clock_monotonic_ns(&clock_system);
	if (s->kernel)
		return 1;
	*reason = mem_strdup(obstacle ? obstacle : refusal.text);
	return l->options.engine == ENGINE_BPF ? error_set(err, _("--engine bpf: %s"), *reason) : 0;
}

void sums_fini(struct sums *s)
{
	kernel_waits_close(s->kernel);
	s->kernel = NULL;
}

static void tell_losses(struct live *l, struct sums *s)
{
	const struct kernel_waits_stats stats = kernel_waits_statistics(s->kernel);
	uint64_t lost = stats.lost + (stats.unfollowed + s->moments - 1) / s->moments;

	l->source.stats.lost_waits += lost - s->lost;
	s->lost = lost;
	if (s == l->sums[SUMS_WAITS])
		l->source.stats.sum_stacks += stats.stacks - s->stacks;
	s->stacks = stats.stacks;
	l->source.stats.foreign_times += stats.misfits - s->estimated;
	s->estimated = stats.misfits;
}

static void settle(struct live *l, struct sums *s, bool last)
{
	s->tried_ns = clock_monotonic_ns(&clock_system);
	s->settled_ns = last ? kernel_waits_end(s->kernel, s->receive, l)
			     : kernel_waits_settle(s->kernel, s->receive, l);
	tell_losses(l, s);
	live_tell_stack_period(l);
}

void sums_end(struct live *l, struct sums *s)
{
	if (l->receive)
		settle(l, s, true);
}

void sums_settle(struct live *l, bool last)
{
	for (int i = 0; i < SUMS_PARTS; i++) {
		struct sums *s = l->sums[i];

		if (s && l->receive)
			settle(l, s, last);
	}
}

void sums_drained(struct live *l, uint64_t now_ns)
{
	for (int i = 0; i < SUMS_PARTS; i++) {
		struct sums *s = l->sums[i];

		if (s && l->receive && now_ns - s->tried_ns >= SETTLE_NS)
			settle(l, s, false);
	}
}

void sums_run(struct live *l, bool run)
{
	for (int i = 0; i < SUMS_PARTS; i++) {
		struct sums *s = l->sums[i];

		if (s)
			kernel_waits_run(s->kernel, run);
	}
}
