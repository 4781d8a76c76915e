/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_EVENT_ID_H
#define PTOP_BASE_EVENT_ID_H

#include <stdbool.h>

/*
 * The identity of an event, whatever name a person gives it: its row in the event table
 * (perf/event/event.h).  perf/ finds the row by type and config.  Code that asks "is this cycles?"
 * compares this number.  A name is for people: `name=` of an event's text may be anything.
 */
enum event_id {
	EVENT_OTHER, /* no row: a tracepoint, a probe, an event of a PMU, ... */
	EVENT_CYCLES,
	EVENT_INSTRUCTIONS,
	EVENT_CACHE_REFERENCES,
	EVENT_CACHE_MISSES,
	EVENT_BRANCHES,
	EVENT_BRANCH_MISSES,
	EVENT_BUS_CYCLES,
	EVENT_STALLED_FRONTEND,
	EVENT_STALLED_BACKEND,
	EVENT_REF_CYCLES,
	EVENT_CPU_CLOCK,
	EVENT_TASK_CLOCK,
	EVENT_PAGE_FAULTS,
	EVENT_CONTEXT_SWITCHES,
	EVENT_CPU_MIGRATIONS,
	EVENT_MINOR_FAULTS,
	EVENT_MAJOR_FAULTS,
	EVENT_ALIGNMENT_FAULTS,
	EVENT_EMULATION_FAULTS,
	EVENT_DUMMY,
	EVENT_BPF_OUTPUT,
	EVENT_CGROUP_SWITCHES,
	EVENT_OFF_CPU,
	EVENT_WALL_CLOCK,
	EVENT_RUN_DELAY,
	EVENT_WAKERS,
	EVENT_LATENCY,
	EVENT_SYSCALLS,
	EVENT_NET_SENT,
	EVENT_NET_RECEIVED,
	EVENT_IDS
};

_Static_assert(EVENT_IDS <= 32, "a set of events is the bits of a uint32_t");

/* Returns true if a part of the event's time may be spent waiting for a CPU. */
static inline bool event_has_delays(enum event_id id)
{
	return id >= EVENT_OFF_CPU && id <= EVENT_RUN_DELAY;
}

/* Returns true if the values of the event are nanoseconds of some clock. */
static inline bool event_is_clock(enum event_id id)
{
	return id == EVENT_CPU_CLOCK || id == EVENT_TASK_CLOCK ||
	       (id >= EVENT_OFF_CPU && id <= EVENT_SYSCALLS);
}

#endif
