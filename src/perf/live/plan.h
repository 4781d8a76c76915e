/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_PLAN_H
#define PTOP_PERF_LIVE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/event/evlist.h"

/*
 * Assigns each event to a kernel group, the same for all CPUs and tasks.  Pure: no descriptor is
 * opened here.
 *
 * Software events are in the first group, whose leader writes the records of tier 1.  Hardware
 * events are there as well as long as one group holds them all, since then one record a switch
 * tells everything.  If they need several groups, each of these has its own leader, and the kernel
 * lets them take turns.  The first group, and with it the switches and faults, never waits.
 *
 * Slots of the pipeline and their parts are one group, which `slots` leads: the kernel wants it so.
 *
 * An uncore PMU has groups of its own, which compete with nobody.  So has each event that is pinned or
 * exclusive, for to the kernel that is a matter of a whole group.
 */
enum { GROUP_NONE = -1, GROUP_UNPLACED = -2 };

struct plan {
	const struct evlist *events; /* borrowed */
	int *group_of;               /* of each event, or GROUP_NONE, GROUP_UNPLACED; owned */
	size_t room; /* hardware events in one group, at most; 0: no limit is known */
	bool apart;  /* the first group has none */
	bool stale;  /* the plan has changed and some groups may not be as it says */
};

/* No event has a group yet.  ROOM: events that there can be. */
void plan_init(struct plan *p, const struct evlist *events, size_t room);
void plan_fini(struct plan *p);

/* Returns true if E is a group of its own: pinned or exclusive. */
bool evsel_is_apart(const struct evsel *e);

/*
 * Returns true if E is in the group that `slots` leads.  It has a counter of its own there, which no other event can
 * take.
 */
bool evsel_is_of_slots(const struct evsel *e);

/* Returns true if E competes for the counters of a CPU and waits for its turn. */
bool evsel_takes_turns(const struct evsel *e);

/* The group for one more event, and one that has no event yet.  Numbers from 0. */
size_t plan_group(const struct plan *p, size_t event);
size_t plan_new_group(const struct plan *p);

/* An event got its group: the first one is left to software if there are several now. */
void plan_placed(struct plan *p);

/* Spreads the events of GROUP, which never runs.  Returns false, and changes nothing, if it has one event. */
bool plan_split(struct plan *p, size_t group);

#endif
