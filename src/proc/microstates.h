/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_MICROSTATES_H
#define PTOP_PROC_MICROSTATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/microstate.h"
#include "proc/stat.h"

/*
 * How a thread spent an interval, from two looks at it.  The time on a CPU and in its queue is the kernel's, in
 * nanoseconds (schedstat).  The rest is one state if the thread did not change it, which its voluntary
 * switches tell.  Otherwise the kernel's count of waits for I/O is taken off, and what remains is sleep.
 */
struct microstates {
	double ns[MICROSTATES]; /* NAN unknown; the known ones never exceed `all_ns` */
	double all_ns;          /* the interval; NAN unknown */
};

extern const struct microstates microstates_unknown, microstates_none;

struct microstate_looks {
	const struct task_stat *before,
		*now; /* BEFORE with state 0: the thread has begun since then */
	/* Growth of its counts; -1 unknown. */
	int64_t run_ns, delay_ns, voluntary_switches;
	uint64_t elapsed_ns, tick_ns;
	bool delays_counted; /* the kernel counts delays: kernel.task_delayacct */
};

/*
 * Unknown is all of it, if a count is; user and system, if no tick of the thread was counted yet; sleep and stop,
 * if it stopped or went on; I/O, if the kernel has never counted any of the thread.  Sleep then includes I/O.
 */
struct microstates microstates_between(const struct microstate_looks *looks);

/* Adds that of one thread to SUM, which starts as microstates_none. */
void microstates_add(struct microstates *sum, const struct microstates *one);

/* The shares of all of the time in per cent; NAN unknown. */
void microstates_percent(const struct microstates *m, double percent[MICROSTATES]);

#endif
