/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_GROUP_H
#define PTOP_PERF_LIVE_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Kernel groups: events that are scheduled together and whose values come together.  All CPUs and
 * tasks have the same events in the same groups: plan.h.  group-open.h opens them.
 */
struct member {
	int fd;
	int event;      /* index in the evlist; -1: the leader, when nobody asked for it */
	uint64_t id;    /* the kernel's */
	uint64_t value; /* when it was last read; tier 1: cpugroup.c's, last told */
	uint64_t late_enabled_ns, late_running_ns; /* grouptime.c's: behind the leader's times */
	bool moved; /* by groups_arrange(): counts from 0 again; whom it concerns clears it */
};

struct group {
	struct member *members; /* owned; the first one leads */
	size_t count, capacity;
	size_t writer; /* tier 1: the member that writes a record at a switch: 0, or 1 where `slots` leads */
	uint64_t enabled_ns, running_ns; /* when it was last read or made a record */
	uint64_t reported_enabled_ns,
		reported_running_ns; /* in the record handed over last; tier 1 */
	uint64_t last_record_ns;     /* when it made its last record; likewise */
	uint64_t shown, hidden; /* of the leader's count; likewise: cpugroup.c, leader_show() */
	uint64_t ran_ns,
		ran_at_ns; /* running_ns when it had grown, enabled_ns then; see group_waits() */
};

struct groups {              /* of one CPU or one task */
	struct group *items; /* owned */
	size_t count, capacity;
	int pid, cpu;        /* as perf_event_open(2) takes them */
	unsigned long flags; /* likewise: what PID is */
	int output_fd;       /* the event whose ring the sampled members write into; -1: none */
	bool counts_only; /* what is sampled is so elsewhere: a member refused is not an event refused */
	bool running; /* the leaders are on */
};

/* Starts or stops all groups; each member keeps its own switch.  0 or a negative errno. */
int groups_run(struct groups *g, bool run);

/*
 * Starts or stops the members that count EVENT, never a leader.  To start one its group stops for a
 * moment.  0 or a negative errno.
 */
int groups_enable(struct groups *g, size_t event, bool enabled);

/* Closes what counts EVENT, never a leader.  The kernel's id stays known: its records may be in a ring. */
void groups_remove(struct groups *g, size_t event);
void group_remove_member(struct group *g, size_t at);

/* Returns true if nobody is in G but what is there for its own sake. */
bool group_is_empty(const struct group *g);

/* Returns true if a member, or a leader, counts EVENT. */
bool groups_have(const struct groups *g, size_t event);

/* Changes the rate of the members that sample EVENT, or of the leaders.  0 or a negative errno. */
int groups_retune(const struct groups *g, size_t event, uint64_t value);
int groups_lead_at(const struct groups *g, uint64_t period);

size_t groups_fds(const struct groups *g); /* descriptors that are open */

/*
 * Takes the running totals of G.  Returns true if it has been enabled for PATIENCE_NS, in nanoseconds of its
 * own time, without running.
 */
bool group_waits(struct group *g, uint64_t enabled_ns, uint64_t running_ns, uint64_t patience_ns);

#endif
