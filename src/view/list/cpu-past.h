/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CPU_PAST_H
#define PTOP_VIEW_LIST_CPU_PAST_H

#include <stdint.h>

#include "base/hash.h"
#include "profile/snapshot.h"

/*
 * %CPU of the last intervals, for each process and thread of the newest snapshot: the column CPU~.  A snapshot
 * has the figures of its own interval, and the history behind it (profile/history.h) has samples.  So the view adds
 * each snapshot that it gets, as long as the column is chosen.  A row takes CPU_PAST floats and a slot of a map;
 * rows of what is gone are dropped with the next snapshot.  It starts zeroed.
 */
#define CPU_PAST 40 /* intervals: what the widest column has room for, with two points a column */

struct cpu_past {
	struct map rows;            /* by serial and tid: into `figures` */
	float (*figures)[CPU_PAST]; /* percent of one CPU, the oldest first; NAN: unknown; owned */
	uint64_t time_ns;           /* of the newest snapshot, as struct snapshot has it */
};

/* Adds the figures of S.  Does nothing if it was added last, or is a window of the past. */
void cpu_past_add(struct cpu_past *c, const struct snapshot *s);

/* The CPU_PAST figures of P; NULL: none.  Valid until the next snapshot is added. */
const float *cpu_past_of(const struct cpu_past *c, const struct snapshot_process *p);

/* The mean of the FIGURES that are known; NAN: none is, or FIGURES is NULL. */
double cpu_past_mean(const float *figures);

void cpu_past_fini(struct cpu_past *c); /* frees all; the empty one can be used again */

#endif
