/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_BUSY_H
#define PTOP_PERF_LIVE_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"

/*
 * Finds the threads that switch (or make system calls: raw-calls.c) so often that the stacks of their waits do not fit.  The busiest
 * ones are left out, one after the other, until all switches of the others fit.  A thread that
 * waits long switches rarely, so the least waiting time loses its stack.  Counts go in, a choice
 * comes out; no clock, no kernel.
 */
#define BUSY_THREADS_MAX 128  /* that are left out: the kernel compares with each of them in turn */
#define BUSY_PERIOD_MIN 64u   /* busy_period is a power of two from here … */
#define BUSY_PERIOD_MAX 4096u /* … up to here */

struct busy_thread {
	uint32_t tid;
	uint32_t switches; /* since the last choice */
	bool left_out;
};

struct busy { /* all zeros: nothing was counted, nobody is left out */
	struct busy_thread
		*threads; /* owned; after a choice those that are left out, the busiest first */
	size_t count, capacity;
	struct map by_tid; /* a tid -> its index + 1 */
	uint64_t others;   /* switches of who is not left out, since the last choice */
	size_t left_out;
	uint32_t
		others_period; /* of the others' switches one in so many fits; 1: all.  0: no choice yet */
	uint32_t
		busy_period; /* of all switches one in so many is a quarter of what fits, or less */
};

void busy_fini(struct busy *b);

/* TID gave up a CPU COUNT times. */
void busy_count(struct busy *b, uint32_t tid, uint32_t count);

/*
 * Chooses anew, so that ALLOWED of the switches since the last choice would have fitted; what was counted
 * is forgotten.  True when the choice is another one.
 */
bool busy_choose(struct busy *b, uint64_t allowed);

/* Returns true if the last choice left TID out. */
bool busy_leaves_out(const struct busy *b, uint32_t tid);

/*
 * Appends to the filter of a tracepoint that FIELD is none of those that are left out: "FIELD!=4711&&FIELD!=12", at
 * most 21 bytes for each, for the kernel takes a page.  The busiest comes first: the first that is equal ends the comparison.
 */
void busy_filter(const struct busy *b, const char *field, struct buf *filter);

/* Forgets what was counted, and who is left out. */
void busy_forget(struct busy *b);

#endif
