/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_COUNTERS_H
#define PTOP_PROFILE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Event counts of each task: a matrix slot × event, of the current interval.  A slot is a number
 * that the owner gives a task; slot 0 is "unattributed": what a lost record left unclaimed.
 * Values are raw; the time enabled and running of the event's group go with them, so that the
 * estimate is scaled once, when it is read.
 */
struct counters;

#define COUNTERS_UNATTRIBUTED 0u

struct counter_value {
	uint64_t value; /* raw, of the interval */
	uint64_t enabled_ns, running_ns;
};

struct counters *counters_new(size_t events);
void counters_free(struct counters *c);                /* NULL is allowed */
void counters_grow(struct counters *c, size_t events); /* more of them; all counts stay */
size_t counters_events(const struct counters *c);

/* A free slot, all zero; never 0.  It is the caller's until counters_slot_free(). */
uint32_t counters_slot_new(struct counters *c);
void counters_slot_free(struct counters *c, uint32_t slot); /* its counts are dropped */
size_t counters_slots(const struct counters *c);            /* in use, slot 0 counted */

/*
 * The counts of SLOT in this interval, EVENTS values, to be added to.  NULL if nobody has SLOT, or without events.  Borrowed until
 * counters_slot_new(), counters_grow() or the next interval.
 */
struct counter_value *counters_open_row(struct counters *c, uint32_t slot);

/* EVENTS values; borrowed until the next call that is not counters_row() or counters_touched(). */
const struct counter_value *counters_row(const struct counters *c, uint32_t slot);
bool counters_touched(const struct counters *c, uint32_t slot); /* in this interval */
void counters_next_interval(struct counters *c);                /* all to zero; cheap */

/* Adds V to *SUM. */
static inline void counter_value_add(struct counter_value *sum, const struct counter_value *v)
{
	sum->value += v->value;
	sum->enabled_ns += v->enabled_ns;
	sum->running_ns += v->running_ns;
}

/*
 * VALUE scaled by enabled / running; false when it never ran (nothing was measured), and then
 * *SCALED is untouched.
 */
bool counter_scaled(const struct counter_value *v, double *scaled);

#endif
