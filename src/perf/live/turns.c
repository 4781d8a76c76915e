/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/turns.h"

#include "base/clock.h"
#include "base/i18n.h"
#include "perf/live/group-open.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"

/*
 * The longest wait of a group that has just been started.  The kernel puts it on the counters at
 * once if they are free, else when the turn changes, every 4 ms (perf_event_mux_interval_ms).
 */
#define START_PATIENCE_NS 20000000u

static bool group_competes(const struct live *l, const struct group *g)
{
	for (size_t i = g->writer + 1; i < g->count; i++) {
		const struct evsel *e = l->source.evlist->items[g->members[i].event];

		if (evsel_takes_turns(e) && e->enabled)
			return true;
	}
	return false;
}

/* As group_waits(); what a record has told need not be asked. */
static bool ask_waits(struct group *g, uint64_t patience_ns)
{
	uint64_t words[3 + 2 * (SOURCE_EVENTS_MAX + 1)];

	if (g->running_ns > g->ran_ns)
		return group_waits(g, g->enabled_ns, g->running_ns, patience_ns);
	if (g->count > SOURCE_EVENTS_MAX + 1 ||
	    perf_read(g->members[0].fd, words, 3 + 2 * g->count) < 0)
		return false;
	return group_waits(g, words[1], words[2], patience_ns);
}

int turns_look(const struct live *l, struct groups *g, uint64_t patience_ns)
{
	for (size_t i = 0; i < g->count; i++) {
		if (group_competes(l, &g->items[i]) && ask_waits(&g->items[i], patience_ns))
			return (int)i;
	}
	return -1;
}

int turns_look_again(const struct live *l, struct groups *g, uint64_t patience_ns)
{
	for (size_t i = 0; i < g->count; i++) {
		struct group *group = &g->items[i];

		if (group_competes(l, group) &&
		    group_waits(group, group->enabled_ns, group->running_ns, patience_ns))
			return (int)i;
	}
	return -1;
}

/* Returns true if all groups of G that compete have run by now. */
static bool all_ran(const struct live *l, struct groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (group_competes(l, &g->items[i]) && !g->items[i].ran_ns)
			return false;
	}
	return true;
}

void turns_settle(struct live *l, struct groups *g)
{
	uint64_t start_ns = clock_monotonic_ns(&clock_system);

	while (!all_ran(l, g) &&
	       clock_monotonic_ns(&clock_system) - start_ns < 2 * START_PATIENCE_NS) {
		int starved = turns_look(l, g, START_PATIENCE_NS);

		if (starved < 0)
			continue;
		if (!plan_split(&l->plan, (size_t)starved) || groups_arrange(l, g) < 0)
			return;
		start_ns = clock_monotonic_ns(&clock_system);
	}
}

void turns_try(struct live *l, const struct groups *like)
{
	struct groups g = { .pid = like->pid,
			    .cpu = like->cpu,
			    .flags = like->flags,
			    .counts_only = like->counts_only,
			    .output_fd = -1 };

	if (groups_lead(l, &g) == 0 && groups_fill(l, &g) == 0 && groups_run(&g, true) == 0)
		turns_settle(l, &g);
	groups_close(l, &g);
	l->plan.stale = false;
}

void turns_relieve(struct live *l, size_t group)
{
	if (plan_split(&l->plan, group) || l->hopeless)
		return;
	l->hopeless = true;
	live_note_of_tier(l,
			  _("A hardware counter never gets its turn: another profiler or the NMI "
			    "watchdog holds it (`sysctl kernel.nmi_watchdog=0`)."));
}
