/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CPU_PAST_H
#define PTOP_VIEW_LIST_CPU_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "profile/snapshot.h"

/*
 * %CPU of the last intervals, for each process and thread of the newest snapshot: the column CPU~, and the graph of the
 * selected one.  A snapshot has the figures of its own interval, and the history behind it (profile/history.h) has
 * samples.  So the view adds each snapshot that it gets, as long as the column is chosen or the graph is shown.  A row
 * takes `kept` floats and a slot of a map; rows of what is gone are dropped with the next snapshot.  It starts zeroed.
 */
#define CPU_PAST 40 /* intervals: what the widest column has room for, with two points a column */
#define CPU_PAST_LONG 400 /* likewise for the graph */
/* Bytes of all figures for the graph.  Where there are more rows, each has fewer, down to CPU_PAST. */
#define CPU_PAST_BYTES (8u << 20)

struct cpu_past {
	struct map rows; /* by serial and tid: the first figure of a row */
	float *figures;  /* percent of one CPU, row by row, the oldest first; NAN: unknown; owned */
	int kept;        /* in a row: CPU_PAST to CPU_PAST_LONG */
	uint64_t time_ns; /* of the newest snapshot, as struct snapshot has it */
};

/*
 * Adds the figures of S, and from then on keeps as many as the graph needs if GRAPH.  Does nothing if S was added last, or
 * is a window of the past.
 */
void cpu_past_add(struct cpu_past *c, const struct snapshot *s, bool graph);

/* The newest CPU_PAST figures of P; NULL: none.  Valid until the next snapshot is added. */
const float *cpu_past_of(const struct cpu_past *c, const struct snapshot_process *p);

/* All C->kept figures of the row whose newest ones are FIGURES. */
const float *cpu_past_all(const struct cpu_past *c, const float *figures);

/* The mean of the FIGURES that are known; NAN: none is, or FIGURES is NULL. */
double cpu_past_mean(const float *figures);

void cpu_past_fini(struct cpu_past *c); /* frees all; the empty one can be used again */

#endif
