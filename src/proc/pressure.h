/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PRESSURE_H
#define PTOP_PROC_PRESSURE_H

#include "base/pressure-facts.h"
#include "proc/group-stat.h"
#include "proc/procfs.h"

/*
 * Two readings of sums, of the machine or of a control group, and what they say of the time between them.
 * Starts zeroed: nothing was read yet.
 */
struct group_reading {
	int64_t now[GROUP_VALUES], before[GROUP_VALUES]; /* -1 unknown */
	uint64_t now_ns, before_ns;                      /* CLOCK_MONOTONIC; 0: none */
};

/* The last reading is the former one; all values of the new one, at NOW_NS, are unknown. */
void group_reading_next(struct group_reading *r, uint64_t now_ns);

/* How much a sum grew; NAN: unknown, or it is another sum, since it went back. */
double group_reading_grown(const struct group_reading *r, enum group_value what);

struct pressure pressure_between(const struct group_reading *r);

/*
 * Reads the machine's into R: /proc/pressure/{cpu,memory,io}, which a kernel may lack, or refuse (psi=0).
 */
struct pressure pressure_refresh(struct group_reading *r, const struct procfs *procfs,
				 uint64_t now_ns);

#endif
