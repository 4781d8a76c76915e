/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_INVARIANT_H
#define PTOP_PROFILE_INVARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "profile/snapshot.h"

/*
 * Invariants: what is true of every snapshot, however the machine behaves.  A figure that cannot be
 * true is a defect of ptop: it is counted here, under the name of the invariant that it breaks, and
 * nobody sees it.  The engine checks each snapshot that it makes; tests check that nothing was
 * found.
 *
 * Percentages of CPUs have these tolerances, in percent of one CPU and with I as the interval:
 *
 *   2                              rounding of the interval's ends;
 *   2 × 10 ms / I                  for each row of /proc: it has user and system time in ticks of
 *                                  10 ms (ticks_per_s), each rounded down;
 *   100 × CPUs × read_s / I        /proc is read one process after the other, so two rows may be of
 *                                  moments that lie read_s apart.
 *
 * A window of the past and a recording have no figures of /proc, so of these only the first one.
 *
 * There is no lower bound for the sum of the CPU use: interrupts, stolen time and what ran without a row
 * are nobody's.  INVARIANT_COUNTER_SUM is exact instead, because there nobody's part is counted.
 */
enum invariant_id {
	INVARIANT_PROCESS_CPU,
	INVARIANT_CPU_SUM,
	INVARIANT_COUNTER,
	INVARIANT_COUNTER_SUM,
	INVARIANT_CPUS,
	INVARIANT_GROUPS,
	INVARIANT_SAMPLES,
	INVARIANT_SHARE,
	INVARIANT_PAST,
	INVARIANT_RECORDS,
	INVARIANTS
};

struct invariant {
	const char *name; /* for outputs: "process-cpu", … */
	const char *text; /* N_(): what must be true, one sentence */
	/*
	 * Returns the number of figures of S that break it.  Makes them absent: NAN, or no slice;
	 * what cannot be absent stays.
	 */
	size_t (*check)(struct snapshot *s);
};

extern const struct invariant invariants[INVARIANTS];

/*
 * Checks S, complete but for its violations.  TOTALS has INVARIANTS numbers: what was found since the
 * start, to which this adds.  S gets a violation for each invariant whose total is not 0.
 */
void invariants_check(struct snapshot *s, uint64_t *totals);

#endif
