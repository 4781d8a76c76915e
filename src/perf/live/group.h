/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_GROUP_H
#define PTOP_PERF_LIVE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/event/evlist.h"

/*
 * Kernel groups: events that are scheduled together and whose values come together.  Which event is
 * in which group is the same for all CPUs and tasks: turns.h.
 *
 * A file of the live source: see live-state.h.
 */
struct live;

struct member {
	int fd;
	int event;		/* index in the evlist; -1: the leader, when nobody asked for it */
	uint64_t id;		/* the kernel's */
	uint64_t value;		/* when it was last read; tier 1: cpugroup.c's, last told */
	uint64_t late_enabled_ns, late_running_ns;	/* grouptime.c's: behind the leader's times */
	bool moved;		/* by groups_arrange(): counts from 0 again; whom it concerns clears it */
};

struct group {
	struct member *members;	/* owned; the first one leads */
	size_t count, capacity;
	uint64_t enabled_ns, running_ns;	/* when it was last read or made a record */
	uint64_t told_enabled_ns, told_running_ns;	/* in the record handed over last; tier 1 */
	uint64_t heard_ns;		/* when it made its last record; likewise */
	uint64_t ran_ns, ran_at_ns;	/* running_ns when it had grown, enabled_ns then; turns.c's */
};

struct groups {			/* of one CPU or one task */
	struct group *items;	/* owned */
	size_t count, capacity;
	int pid, cpu;		/* as perf_event_open(2) takes them */
	unsigned long flags;	/* likewise: what PID is */
	int output_fd;		/* the event whose ring the sampled members write into; -1: none */
	bool counts_only;	/* what is sampled is so elsewhere: a member refused is not an event refused */
	bool running;		/* the leaders are on */
};

enum { GROUP_NONE = -1, GROUP_UNPLACED = -2 };

bool evsel_is_clock(const struct evsel *e);
bool evsel_is_hardware(const struct evsel *e);
/* A sample is made where it occurs: software events but clocks, tracepoints, breakpoints, probes. */
bool evsel_is_occurrence(const struct evsel *e);
bool evsel_has_address(const struct evsel *e);	/* of what was touched: page faults, breakpoints */

/* No event has a group yet. */
void groups_plan_init(struct live *l);

/* Opens one more leader, stopped.  0 or a negative errno. */
int groups_lead(struct live *l, struct groups *g);

/*
 * Opens all members; the first leader is there.  An event that the machine does not have is marked
 * in the evlist the first time and costs nothing afterwards; one that cannot be sampled is counted.
 * 0, or a negative errno when nothing more can be opened.
 */
int groups_fill(struct live *l, struct groups *g);

/*
 * Closes members that the plan has in another group, and opens them there: their counts begin again.
 * 1 when some moved, 0, or a negative errno.
 */
int groups_arrange(struct live *l, struct groups *g);

/* Starts or stops all groups; each member keeps its own switch.  0 or a negative errno. */
int groups_run(struct groups *g, bool run);

/*
 * Starts or stops the members that count EVENT, never a leader.  To start one its group stops for a
 * moment.  0 or a negative errno.
 */
int groups_enable(struct groups *g, size_t event, bool enabled);

/*
 * Opens one more event in running groups and starts it.  The groups stop for a moment.  0, also when
 * the machine does not have it, or a negative errno.
 */
int groups_add(struct live *l, struct groups *g, size_t event);

/* Closes what counts EVENT, never a leader. */
void groups_remove(struct live *l, struct groups *g, size_t event);

/* Changes the rate of the members that sample EVENT, or of the leaders.  0 or a negative errno. */
int groups_retune(const struct groups *g, size_t event, uint64_t value);
int groups_lead_at(const struct groups *g, uint64_t period);

void groups_close(struct live *l, struct groups *g);

size_t groups_fds(const struct groups *g);	/* descriptors that are open */

/* The descriptors that groups_fill() needs at most for one more CPU or task. */
size_t groups_need(const struct live *l);

/* The sampled event that nobody named turns into the clock: true when E may be tried again. */
bool evsel_fall_back(struct evsel *e);

/*
 * EVENT, which is open, can be counted but not sampled, and is so from now on.  In the place of one
 * that nobody named the clock is sampled, as one more event at the end of the list.
 */
void live_count_only(struct live *l, size_t event);

bool error_is_absence(int err);		/* the machine or this CPU does not have that event */
bool error_is_shortage(int err);	/* descriptors or memory: no event's fault */

#endif
