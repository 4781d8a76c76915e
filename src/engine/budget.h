/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_BUDGET_H
#define PTOP_ENGINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/record/source.h"

/*
 * --max-overhead: how much of the machine measuring may cost.  Figures of an interval go in, how
 * much is to be measured comes out; no clock, no kernel.
 *
 * The cost is the CPU time of all threads of this process, and what the kernel spends on each record,
 * which is estimated: so many nanoseconds a record and counter in it (measured with `make bench`; see
 * budget.c).  It is a percentage of the time of all CPUs.
 *
 * As little as possible is lost.  Events that are sampled by a period have a ceiling, so many samples a
 * second each, which their periods are doubled to keep; it is halved from 50 000 a CPU down to
 * RATE_FLOOR_HZ.  Events below it stay as asked, and no sum is lost.  Only where the lowest ceiling does
 * not suffice, the asked frequency is halved, and again, down to RATE_FLOOR_HZ; and where that does not,
 * with the asked frequency again, counters are read at ticks and no more at each context switch, and
 * the frequency is halved again.  With each of these the ceiling is as high as fits.  What the kernel
 * drops or throttles is over the budget as well.  Where even the least does not fit, only what makes a
 * difference is reduced.
 *
 * Back up it goes when the better level is predicted to need two thirds of the budget for some
 * intervals, ceilings one doubling at a time; if that turns out to be too early, the next attempt
 * waits twice as long.  A burst of an event by period is remembered for some seconds, and for longer
 * when it filled half of a ring: the next one would lose samples if it made twice as many.
 */
struct budget_event {
	uint64_t samples; /* records of it */
	double requested; /* as many as there would be with the period that was asked for */
	bool thins;       /* sampled by a period, which may be raised */
};

struct budget_input {
	uint64_t elapsed_ns;
	uint32_t cpus;
	uint64_t own_ns;    /* CPU time of all threads */
	uint64_t record_ns; /* what of it the thread that takes the records used */
	uint64_t samples;   /* records of all sampled events */
	struct budget_event events[SOURCE_EVENTS_MAX];
	uint64_t switch_records; /* records that only bring the counters at a context switch */
	uint64_t switches;       /* context switches, with a record or without; 0 unknown */
	uint64_t lost;           /* records that the kernel dropped */
	uint64_t tight;          /* times that a ring was more than half full */
	uint64_t throttled;      /* times that it stopped an event that was too fast */
	uint64_t asked_hz;       /* the highest asked frequency; 0: nothing is sampled by one */
	uint32_t counters;       /* values in a record */
	bool exact_only;         /* counters at ticks are no choice */
	bool sample_stacks;      /* samples bring stacks */
	bool stacks;             /* records of switches bring stacks; at ticks few of them do */
};

struct budget {
	double limit_percent; /* 0: none, it never steps */
	struct source_reduction level;
	double cost_percent; /* of the last interval */
	bool exceeded;       /* it costs more, and there is nothing left that would help */
	/* The rest is its own. */
	unsigned ceiling; /* 0: none */
	double rates
		[SOURCE_EVENTS_MAX]; /* samples a second as asked, at most in the last seconds */
	unsigned over, calm;         /* intervals in a row */
	unsigned patience;           /* calm intervals before it goes up */
	unsigned since_up;           /* intervals since it did */
	unsigned held;               /* intervals in which nothing is sampled more often */
};

void budget_init(struct budget *b, double limit_percent);

/*
 * An interval, best about a second.  True when the level is another one now.  Where counters are read at ticks
 * and records of switches bring stacks, it has as many stacks a second (stacks_hz) as fit beside all else.
 */
bool budget_step(struct budget *b, const struct budget_input *in);

#endif
