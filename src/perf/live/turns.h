/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TURNS_H
#define PTOP_PERF_LIVE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The plan: which kernel group each event is in (live.group_of), the same for all CPUs and tasks.
 *
 * Software events are in the first group, whose leader writes the records of tier 1.  Hardware events
 * are there as well as long as one group holds them all, since then one record a switch tells
 * everything.  Where they need several groups they have groups of their own, each with its own leader,
 * that the kernel lets take turns; the first group, and with it the switches and faults, never waits.
 *
 * That a group does not fit the PMU is seen in two ways.  The kernel refuses one more member with
 * EINVAL; then it starts the next group.  Or it opens and never runs: a disabled event is not
 * reckoned with when another one is added, and neither is a counter that the NMI watchdog or another
 * profiler has pinned.  Then all hardware events are spread over groups of half its size.
 *
 * An uncore PMU has groups of its own, which compete with nobody.  So has each event that is pinned or
 * exclusive, for to the kernel that is a matter of a whole group.
 *
 * A file of the live source: see live-state.h.
 */
struct live;
struct group;
struct groups;
struct evsel;

struct turns {
	size_t room;		/* hardware events in one group, at most; 0: no limit is known */
	bool apart;		/* the first group has none */
	bool stale;		/* the plan has changed and some groups may not be as it says */
	bool hopeless;		/* one event alone does not run */
	uint64_t looked_ns;	/* when the groups were last looked at */
};

/* Whether E is a group of its own: pinned or exclusive. */
bool evsel_is_apart(const struct evsel *e);

/* Whether E competes for the counters of a CPU, and waits for its turn. */
bool evsel_takes_turns(const struct evsel *e);

/* The group for one more event, and one that has no event yet.  Numbers from 0. */
size_t turns_group(const struct live *l, size_t event);
size_t turns_new_group(const struct live *l);

/* An event got its group: the first one is left to software when there are now several. */
void turns_placed(struct live *l);

/* Spreads what is in GROUP, which never runs.  False, and nothing is changed, when it has one event. */
bool turns_split(struct live *l, size_t group);

/*
 * Of a group with those running totals: whether it has been enabled for PATIENCE_NS, in nanoseconds
 * of its own time, without running.
 */
bool turns_waits(struct group *g, uint64_t enabled_ns, uint64_t running_ns, uint64_t patience_ns);

/* Longer than it takes until each of several profilers had its turn. */
#define TURNS_PATIENCE_NS 100000000u

/* The first group of G that waits for a turn that does not come, or -1.  Asks the kernel if need be. */
int turns_look(const struct live *l, struct groups *g, uint64_t patience_ns);

/* Likewise, by what was last read of them alone. */
int turns_told(const struct live *l, struct groups *g, uint64_t patience_ns);

/*
 * G has just been started: splits what does not run at once, so that no interval begins without
 * values.  That costs one read of each group when all run, else 20 ms each time it halves them.
 */
void turns_settle(struct live *l, struct groups *g);

/*
 * Makes the plan by opening all groups as *LIKE says (its pid, cpu, flags, counts_only) for a moment.
 * What is opened afterwards is as planned from the start: a software leader that hardware events have
 * followed stays among the hardware for good, and takes part in their turns (Linux 6.18).
 */
void turns_try(struct live *l, const struct groups *like);

/* Group GROUP starves: splits it, or says that nothing helps. */
void turns_relieve(struct live *l, size_t group);

#endif
