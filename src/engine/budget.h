/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_BUDGET_H
#define PTOP_ENGINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/source.h"

/*
 * --max-overhead: how much of the machine measuring may cost.  Figures of an interval go in, how
 * much is to be measured comes out; no clock, no kernel.
 *
 * The cost is what the collector thread used, and what the kernel spends on each record, which is
 * estimated: so many nanoseconds a record and counter in it (measured with `make bench`; see
 * budget.c).  It is a percentage of the time of all CPUs.
 *
 * The levels, in the order in which they are taken: the asked frequency, its half, its quarter, … down
 * to RATE_FLOOR_HZ; then, with the asked frequency again, counters that are read at ticks and no
 * more at each context switch, and its half, its quarter, ….  The first one that is predicted to fit
 * is taken at once, and a step at a time as long as that is not enough.  What the kernel drops or
 * throttles is over the budget as well.
 *
 * Back up it goes when the better level is predicted to need two thirds of the budget for some
 * intervals; if that turns out to be too early, the next attempt waits twice as long.
 */
struct budget_input {
	uint64_t elapsed_ns;
	uint32_t cpus;
	uint64_t own_ns;		/* CPU time of the collector */
	uint64_t samples;		/* records of sampled events */
	uint64_t switch_records;	/* records that only bring the counters at a context switch */
	uint64_t switches;		/* context switches, with a record or without; 0 unknown */
	uint64_t lost;			/* records that the kernel dropped */
	uint64_t throttled;		/* times that it stopped an event that was too fast */
	uint64_t asked_hz;		/* the highest asked frequency; 0: nothing is sampled by one */
	uint32_t counters;		/* values in a record */
	bool exact_only;		/* counters at ticks are no choice */
	bool stacks;			/* records of switches bring stacks; at ticks few of them do */
};

struct budget {
	double limit_percent;		/* 0: none, it never steps */
	struct source_reduction level;
	double cost_percent;		/* of the last interval */
	/* The rest is its own. */
	unsigned over, calm;		/* intervals in a row */
	unsigned patience;		/* calm intervals before it goes up */
	unsigned since_up;		/* intervals since it did */
};

void budget_init(struct budget *b, double limit_percent);

/* An interval, best about a second.  True when the level is another one now. */
bool budget_step(struct budget *b, const struct budget_input *in);

#endif
