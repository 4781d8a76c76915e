/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/plan.h"

#include <stdlib.h>

#include "base/alloc.h"

bool evsel_is_apart(const struct evsel *e)
{
	return e->pinned || e->exclusive;
}

bool evsel_is_of_slots(const struct evsel *e)
{
	return e->slots && e->role == EVSEL_COUNT && !evsel_is_apart(e);
}

bool evsel_takes_turns(const struct evsel *e)
{
	return evsel_is_hardware(e) && !e->per_cpu_only && !evsel_is_apart(e) &&
	       !evsel_is_of_slots(e);
}

void plan_init(struct plan *p, const struct evlist *events, size_t room)
{
	*p = (struct plan){ .events = events, .group_of = mem_array(room, sizeof(*p->group_of)) };
	for (size_t i = 0; i < room; i++)
		p->group_of[i] = GROUP_UNPLACED;
}

void plan_fini(struct plan *p)
{
	free(p->group_of);
	p->group_of = NULL;
}

/* Returns true if the event has a place in the plan. */
static bool is_planned(const struct plan *p, size_t event)
{
	const struct evsel *e = p->events->items[event];

	return p->group_of[event] >= 0 && !e->removed && !e->open_error;
}

static bool is_turning(const struct plan *p, size_t event)
{
	return is_planned(p, event) && evsel_takes_turns(p->events->items[event]);
}

/* The number of events that take turns in GROUP; -1: in all groups. */
static size_t turning_in(const struct plan *p, int group)
{
	size_t count = 0;

	for (size_t i = 0; i < p->events->count; i++)
		count += is_turning(p, i) && (group < 0 || p->group_of[i] == group);
	return count;
}

size_t plan_new_group(const struct plan *p)
{
	int last = 0;

	for (size_t i = 0; i < p->events->count; i++) {
		if (is_planned(p, i) && p->group_of[i] > last)
			last = p->group_of[i];
	}
	return (size_t)last + 1;
}

/* Events of one uncore PMU stay together, and so do slots. */
static bool is_companion(const struct evsel *e, const struct evsel *other)
{
	if (e == other || e->type != other->type || evsel_is_apart(other))
		return false;
	return e->per_cpu_only ? other->per_cpu_only : evsel_is_of_slots(other);
}

static size_t companions_group(const struct plan *p, const struct evsel *e)
{
	for (size_t i = 0; i < p->events->count; i++) {
		if (is_companion(e, p->events->items[i]) && is_planned(p, i))
			return (size_t)p->group_of[i];
	}
	return plan_new_group(p);
}

size_t plan_group(const struct plan *p, size_t event)
{
	const struct evsel *e = p->events->items[event];
	int last = p->apart ? -1 : 0;

	if (evsel_is_apart(e))
		return plan_new_group(p);
	if (e->per_cpu_only || evsel_is_of_slots(e))
		return companions_group(p, e);
	if (!evsel_takes_turns(e))
		return 0;
	for (size_t i = 0; i < p->events->count; i++) {
		if (i != event && is_turning(p, i) && p->group_of[i] > last)
			last = p->group_of[i];
	}
	if (last < 0 || (p->room && turning_in(p, last) >= p->room))
		return plan_new_group(p);
	return (size_t)last;
}

void plan_placed(struct plan *p)
{
	size_t first = turning_in(p, 0);

	if (p->apart || !first || first == turning_in(p, -1))
		return;
	p->apart = p->stale = true;
	for (size_t i = 0; i < p->events->count; i++)
		p->group_of[i] += is_turning(p, i) || p->group_of[i] > 0;
}

/*
 * The number of events that take turns and were written as one {…} from EVENT on; 1 if it was not.
 */
static size_t written_together(const struct plan *p, size_t event)
{
	const struct evlist *events = p->events;
	int group = events->items[event]->group;
	size_t count = 1;

	for (size_t i = event + 1; group >= 0 && i < events->count; i++)
		count += events->items[i]->group == group && is_turning(p, i);
	return count;
}

static bool begins_group(const struct plan *p, size_t event)
{
	const struct evlist *events = p->events;

	return !event || events->items[event]->group < 0 ||
	       events->items[event]->group != events->items[event - 1]->group;
}

/* Hardware events into groups of about the same size; those written as one group stay together. */
static void plan_turning(struct plan *p)
{
	size_t count = turning_in(p, -1), room = p->room;
	size_t groups = (count + room - 1) / room;
	size_t each = (count + groups - 1) / groups, used = 0, kept = 0;
	int group = 1;

	for (size_t i = 0; i < p->events->count; i++) {
		bool inside = kept > 0;
		size_t block = 1;

		if (!is_turning(p, i))
			continue;
		if (!inside && begins_group(p, i) && written_together(p, i) <= room)
			block = kept = written_together(p, i);
		if (!inside && used && used + block > each) {
			group++;
			used = 0;
		}
		p->group_of[i] = group;
		used++;
		kept -= kept > 0;
	}
}

/* Groups that compete with nobody, or have a right to be first, come behind those that take turns. */
static void plan_others(struct plan *p)
{
	size_t count = p->events->count;
	bool *others = mem_array(count, sizeof(*others));

	for (size_t i = 0; i < count; i++) {
		others[i] = is_planned(p, i) && !is_turning(p, i) && p->group_of[i] > 0;
		if (others[i])
			p->group_of[i] = GROUP_UNPLACED;
	}
	for (size_t i = 0; i < count; i++) {
		if (others[i])
			p->group_of[i] = (int)plan_group(p, i);
	}
	free(others);
}

bool plan_split(struct plan *p, size_t group)
{
	size_t size = turning_in(p, (int)group);

	if (size < 2)
		return false;
	p->room = (size + 1) / 2;
	p->apart = p->stale = true;
	plan_turning(p);
	plan_others(p);
	return true;
}
