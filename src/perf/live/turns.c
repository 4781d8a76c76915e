/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/turns.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"

/*
 * How long a group may wait when it has just been started.  The kernel puts it on the counters at
 * once if they are free, else when the turn changes, every 4 ms (perf_event_mux_interval_ms).
 */
#define START_PATIENCE_NS 20000000u

bool evsel_is_apart(const struct evsel *e)
{
	return e->pinned || e->exclusive;
}

bool evsel_takes_turns(const struct evsel *e)
{
	return evsel_is_hardware(e) && !e->per_cpu_only && !evsel_is_apart(e);
}

/* Whether the event has a place in the plan. */
static bool is_planned(const struct live *l, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];

	return l->group_of[event] >= 0 && !e->removed && !e->open_error;
}

static bool is_turning(const struct live *l, size_t event)
{
	return is_planned(l, event) && evsel_takes_turns(l->source.evlist->items[event]);
}

/* How many take turns in GROUP, or with -1 in all. */
static size_t turning_in(const struct live *l, int group)
{
	size_t count = 0;

	for (size_t i = 0; i < l->source.evlist->count; i++)
		count += is_turning(l, i) && (group < 0 || l->group_of[i] == group);
	return count;
}

size_t turns_new_group(const struct live *l)
{
	int last = 0;

	for (size_t i = 0; i < l->source.evlist->count; i++) {
		if (is_planned(l, i) && l->group_of[i] > last)
			last = l->group_of[i];
	}
	return (size_t)last + 1;
}

/* Those of one uncore PMU stay together. */
static size_t uncore_group(const struct live *l, const struct evsel *e)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i] != e && events->items[i]->per_cpu_only &&
		    !evsel_is_apart(events->items[i]) && events->items[i]->type == e->type &&
		    is_planned(l, i))
			return (size_t)l->group_of[i];
	}
	return turns_new_group(l);
}

size_t turns_group(const struct live *l, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];
	int last = l->turns.apart ? -1 : 0;

	if (evsel_is_apart(e))
		return turns_new_group(l);
	if (e->per_cpu_only)
		return uncore_group(l, e);
	if (!evsel_takes_turns(e))
		return 0;
	for (size_t i = 0; i < l->source.evlist->count; i++) {
		if (i != event && is_turning(l, i) && l->group_of[i] > last)
			last = l->group_of[i];
	}
	if (last < 0 || (l->turns.room && turning_in(l, last) >= l->turns.room))
		return turns_new_group(l);
	return (size_t)last;
}

void turns_placed(struct live *l)
{
	size_t first = turning_in(l, 0);

	if (l->turns.apart || !first || first == turning_in(l, -1))
		return;
	l->turns.apart = l->turns.stale = true;
	for (size_t i = 0; i < l->source.evlist->count; i++)
		l->group_of[i] += is_turning(l, i) || l->group_of[i] > 0;
}

/* How many events that take turns were written as one {…} from EVENT on; 1 when it was not. */
static size_t written_together(const struct live *l, size_t event)
{
	const struct evlist *events = l->source.evlist;
	int group = events->items[event]->group;
	size_t count = 1;

	for (size_t i = event + 1; group >= 0 && i < events->count; i++)
		count += events->items[i]->group == group && is_turning(l, i);
	return count;
}

static bool begins_group(const struct live *l, size_t event)
{
	const struct evlist *events = l->source.evlist;

	return !event || events->items[event]->group < 0 ||
	       events->items[event]->group != events->items[event - 1]->group;
}

/* Hardware events into groups of about the same size; those written as one group stay together. */
static void plan_turning(struct live *l)
{
	size_t count = turning_in(l, -1), room = l->turns.room;
	size_t groups = (count + room - 1) / room;
	size_t each = (count + groups - 1) / groups, used = 0, kept = 0;
	int group = 1;

	for (size_t i = 0; i < l->source.evlist->count; i++) {
		bool inside = kept > 0;
		size_t block = 1;

		if (!is_turning(l, i))
			continue;
		if (!inside && begins_group(l, i) && written_together(l, i) <= room)
			block = kept = written_together(l, i);
		if (!inside && used && used + block > each) {
			group++;
			used = 0;
		}
		l->group_of[i] = group;
		used++;
		kept -= kept > 0;
	}
}

/* Groups that compete with nobody, or have a right to be first, come behind those that take turns. */
static void plan_others(struct live *l)
{
	size_t count = l->source.evlist->count;
	bool *others = mem_array(count, sizeof(*others));

	for (size_t i = 0; i < count; i++) {
		others[i] = is_planned(l, i) && !is_turning(l, i) && l->group_of[i] > 0;
		if (others[i])
			l->group_of[i] = GROUP_UNPLACED;
	}
	for (size_t i = 0; i < count; i++) {
		if (others[i])
			l->group_of[i] = (int)turns_group(l, i);
	}
	free(others);
}

bool turns_split(struct live *l, size_t group)
{
	size_t size = turning_in(l, (int)group);

	if (size < 2)
		return false;
	l->turns.room = (size + 1) / 2;
	l->turns.apart = l->turns.stale = true;
	plan_turning(l);
	plan_others(l);
	return true;
}

bool turns_waits(struct group *g, uint64_t enabled_ns, uint64_t running_ns, uint64_t patience_ns)
{
	if (running_ns > g->ran_ns || enabled_ns < g->ran_at_ns) {
		g->ran_ns = running_ns;
		g->ran_at_ns = enabled_ns;
		return false;
	}
	return enabled_ns - g->ran_at_ns >= patience_ns;
}

static bool group_competes(const struct live *l, const struct group *g)
{
	for (size_t i = 1; i < g->count; i++) {
		const struct evsel *e = l->source.evlist->items[g->members[i].event];

		if (evsel_takes_turns(e) && e->enabled)
			return true;
	}
	return false;
}

/* As turns_waits(); what a record has told need not be asked. */
static bool group_waits(struct group *g, uint64_t patience_ns)
{
	uint64_t words[3 + 2 * (SOURCE_EVENTS_MAX + 1)];

	if (g->running_ns > g->ran_ns)
		return turns_waits(g, g->enabled_ns, g->running_ns, patience_ns);
	if (g->count > SOURCE_EVENTS_MAX + 1 ||
	    perf_read(g->members[0].fd, words, 3 + 2 * g->count) < 0)
		return false;
	return turns_waits(g, words[1], words[2], patience_ns);
}

int turns_look(const struct live *l, struct groups *g, uint64_t patience_ns)
{
	for (size_t i = 0; i < g->count; i++) {
		if (group_competes(l, &g->items[i]) && group_waits(&g->items[i], patience_ns))
			return (int)i;
	}
	return -1;
}

int turns_told(const struct live *l, struct groups *g, uint64_t patience_ns)
{
	for (size_t i = 0; i < g->count; i++) {
		struct group *group = &g->items[i];

		if (group_competes(l, group) &&
		    turns_waits(group, group->enabled_ns, group->running_ns, patience_ns))
			return (int)i;
	}
	return -1;
}

/* Whether all of G that compete have run by now. */
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
		if (!turns_split(l, (size_t)starved) || groups_arrange(l, g) < 0)
			return;
		start_ns = clock_monotonic_ns(&clock_system);
	}
}

void turns_try(struct live *l, const struct groups *like)
{
	struct groups g = { .pid = like->pid, .cpu = like->cpu, .flags = like->flags,
			    .counts_only = like->counts_only, .output_fd = -1 };

	if (groups_lead(l, &g) == 0 && groups_fill(l, &g) == 0 && groups_run(&g, true) == 0)
		turns_settle(l, &g);
	groups_close(l, &g);
	l->turns.stale = false;
}

void turns_relieve(struct live *l, size_t group)
{
	if (turns_split(l, group) || l->turns.hopeless)
		return;
	l->turns.hopeless = true;
	live_note_of_tier(l, _("A hardware counter never gets its turn: another profiler or the NMI "
			       "watchdog holds it (`sysctl kernel.nmi_watchdog=0`)."));
}
