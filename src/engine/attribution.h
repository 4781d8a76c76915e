/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_ATTRIBUTION_H
#define PTOP_ENGINE_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "perf/record/record.h"
#include "proc/thread.h"
#include "profile/counters.h"

/*
 * Who gets the counts.  A record of a CPU's group carries the running totals of that CPU.  The
 * increase since the previous value of the same event there belongs to the task of the record (see
 * perf/record/source.h).  The invariant: of every event, what the slots got in an interval, the
 * unattributed one included, is the total of the interval, to the last count.
 */
struct attribution;

struct attribution *attribution_new(struct counters *counters); /* COUNTERS is borrowed */
void attribution_grow(struct attribution *a);                   /* after counters_grow() */
void attribution_free(struct attribution *a);                   /* NULL is allowed */

/*
 * READ holds totals of CPU: the increase goes to SLOT.  The first value of an event on a CPU is
 * only the base of the next; so is a value below its predecessor (the counter began again).  After
 * a gap the increase goes to COUNTERS_UNATTRIBUTED, once for each event; so do the times that READ
 * says are not the task's.
 */
void attribution_cpu(struct attribution *a, uint32_t cpu, uint32_t slot,
		     const struct record_read *read);
void attribution_gap(struct attribution *a, uint32_t cpu);

/*
 * Makes attribution_cpu() remember the increases of its last call, by event.  Each is scaled by the
 * time that the event was enabled / running on all CPUs until now.  NAN stands for no increase: not
 * in that record, a base, a gap, never running.  Borrowed.
 */
const double *attribution_increase(struct attribution *a);

/* READ holds the increase of one task: it goes to SLOT as it is, and to no CPU. */
void attribution_task(struct attribution *a, uint32_t slot, const struct record_read *read);

/* A sample of EVENT on CPU stands for PERIOD of it: all there is in a recording, and of an increase. */
void attribution_period(struct attribution *a, uint32_t cpu, uint32_t slot, size_t event,
			uint64_t period);

/* The slot of TH, made when it has none. */
uint32_t attribution_slot(struct attribution *a, struct thread *th);

/* COUNT samples of EVENT on CPU are shown; and how many were in the interval. */
#define ATTRIBUTION_NO_CPU UINT32_MAX /* not told */
void attribution_sample(struct attribution *a, uint32_t cpu, size_t event, uint32_t count);
uint64_t attribution_samples(const struct attribution *a, size_t event);

struct counter_value attribution_total(const struct attribution *a,
				       size_t event); /* in the interval */

/*
 * The counts of a CPU in the interval, and the number of its samples that are shown.  NULL: no
 * record told of it.  The sums of all CPUs are the totals, but for attribution_task() and what came
 * with ATTRIBUTION_NO_CPU.
 */
struct attribution_cpu {
	struct counter_value counted;
	uint64_t samples;
};
const struct attribution_cpu *attribution_cpu_find(const struct attribution *a, uint32_t cpu,
						   size_t event);
size_t attribution_cpus(const struct attribution *a); /* above the highest that a record told of */

void attribution_next_interval(struct attribution *a); /* totals and samples to zero, bases stay */

struct attribution_stats {
	uint64_t samples; /* that are shown */
	/* Values below their predecessor but for those behind a gap, or over what a sum can hold. */
	uint64_t resets;
	uint64_t gaps;     /* gaps that were told */
	uint64_t foreign;  /* values of no event of ours */
	uint64_t bad_cpus; /* records of a CPU number that no machine has, or of too many CPUs */
};
const struct attribution_stats *attribution_statistics(const struct attribution *a);

#endif
