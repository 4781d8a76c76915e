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
 * The cost is the CPU time of all threads of this process, and an estimate of the kernel's time.
 * That estimate is so many nanoseconds a record and counter in it (measured with `make bench`; see
 * budget.c).  It is a percentage of the time of all CPUs.
 *
 * Work that can wait, such as reading files for names, has what all else leaves of the budget, and an eighth of it in any
 * case.  Records have five sixths of it in any case: nothing else lowers the frequency further.
 *
 * A lower level saves what the records of it cost, and nothing of the rest: rounds of /proc, the
 * screen.  Even among records are such costs, as mappings of a new process.  They come in bursts, so the price of
 * a record falls at once and at most doubles from one interval to the next.
 *
 * As little as possible is lost.  Events that are sampled by a period have a ceiling of samples a
 * second; their periods are doubled until it holds.  The ceiling is halved step by step, from 50
 * 000 a CPU down to RATE_FLOOR_HZ.  Events below it stay as asked, and no sum is lost.  If the
 * lowest ceiling does not suffice, the asked frequency is halved, down to RATE_FLOOR_HZ.  If that
 * does not suffice either, counters are read at ticks instead of at each context switch.  The
 * frequency starts again at the asked one then, and is halved as before.  It is so at once if there are more switches
 * than samples, and their records are what is too much: one user's threads take no samples from others.  With each of these the
 * ceiling is as high as fits.  Records that the kernel drops or throttles count as over the budget
 * as well.  Where even the least does not fit, only what makes a difference is reduced.
 *
 * Events with plain records, of calls of sockets, keep 1 000 a second on each CPU: these cost nearly nothing.
 *
 * System calls have a fixed share of the budget (call_ns), within which the source keeps by itself.
 *
 * A better level is tried when it is predicted to need at most two thirds of the budget for some
 * intervals; ceilings rise one doubling at a time.  If that was too early, the next attempt waits
 * twice as long.  A burst of an event by period is remembered for some seconds, because the next
 * one would lose samples if it made twice as many.  It is remembered longer if it filled half of a
 * ring.
 */
struct budget_event {
	uint64_t samples; /* records of it */
	double requested; /* as many as there would be with the period that was asked for */
	bool thins;       /* sampled by a period, which may be raised */
	bool plain; /* its records have neither counters nor a stack, and are not in budget_input.samples */
};

struct budget_input {
	uint64_t elapsed_ns;
	uint32_t cpus;
	uint64_t own_ns;   /* CPU time of all threads, without spare_ns */
	uint64_t spare_ns; /* and for work that can wait (base/spare-time.h) */
	uint64_t
		record_ns; /* of it, while records were taken: not for snapshots, rounds of /proc, symbols */
	uint64_t samples; /* records of all sampled events, but for plain ones */
	struct budget_event events[SOURCE_EVENTS_MAX];
	uint64_t switch_records; /* records that only bring the counters at a context switch */
	uint64_t switches;       /* context switches, with a record or without; 0 unknown */
	uint64_t lost;           /* records that the kernel dropped */
	uint64_t tight;          /* times that a ring was more than half full */
	uint64_t throttled;      /* times that it stopped an event that was too fast */
	uint64_t asked_hz;       /* the highest asked frequency; 0: nothing is sampled by one */
	uint64_t calls;          /* records of system calls, */
	uint64_t
		call_stacks; /* and of these those with a stack: no level but call_ns changes them */
	uint64_t
		sum_stacks; /* stacks of waits that the kernel sums; at ticks no more than stacks_hz */
	uint32_t counters;  /* values in a record */
	bool exact_only;    /* counters at ticks are no choice */
	bool sample_stacks; /* samples bring stacks */
	bool stacks;        /* records of switches bring stacks; at ticks few of them do */
};

struct budget {
	double limit_percent; /* 0: none, it never steps */
	struct source_reduction level;
	double cost_percent;  /* of the last interval */
	double fixed_percent; /* the part of it that cannot wait, */
	double fixed_limit;   /* and what that may be */
	bool exceeded;        /* it costs more, and there is nothing left that would help */
	double spare_percent; /* for work that can wait, until the next step */
	/* The rest is its own. */
	double record_ns; /* of one record for the collector; 0: there never were enough to tell */
	unsigned ceiling; /* 0: none */
	double rates
		[SOURCE_EVENTS_MAX]; /* samples a second as asked, at most in the last seconds */
	unsigned over, calm;         /* intervals in a row, */
	unsigned costly;             /* those of them over it because of the cost; */
	unsigned losing;             /* those that lost most records */
	uint64_t costly_ns;          /* how long the costly ones took, */
	uint64_t exceeding_ns;       /* and those that cost more in all */
	unsigned patience;           /* calm intervals before it goes up */
	unsigned since_up;           /* intervals since it did */
	unsigned held;               /* intervals in which nothing is sampled more often */
};

void budget_init(struct budget *b, double limit_percent, uint32_t cpus);

/*
 * An interval, best about a second.  True when the level is another one now.  Where counters are read at ticks
 * and records of switches bring stacks, it has as many stacks a second (stacks_hz) as fit beside all else.
 */
bool budget_step(struct budget *b, const struct budget_input *in);

#endif
