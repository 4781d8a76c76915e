/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_TIMES_H
#define PTOP_ENGINE_TIMES_H

#include <stdbool.h>

#include "naming/callers.h"
#include "perf/record/record.h"
#include "proc/thread.h"

/*
 * The events of time (perf/event/event.h): off-cpu, wall-clock and run-delay.  What the records of context switches say
 * goes to offcpu.h, and the pieces of time that come back become samples of cells like any other, a
 * piece's nanoseconds being its period, so that every view and format has them.
 *
 * A stack in which a thread waits ends in the function that called the scheduler, which is what it
 * waits for; where a thread was preempted or had not run yet, a frame called so comes behind it.
 *
 * Inside of struct engine; with TIMES NULL all of these do nothing.
 */
struct engine;
struct times;

/* Of an engine that has stacks, when an event of time is in its list; else NULL. */
struct times *times_new(struct engine *e);
void times_free(struct times *t);

void times_stack(struct times *t, struct thread *th, const struct record *r);
void times_switch(struct times *t, struct thread *th, const struct record *r);
void times_wake(struct times *t, struct thread *th, const struct record *r);	/* TH: who is woken */
void times_sample(struct times *t, struct thread *th, const struct record *r, uint32_t node,
		  const struct found_stack *found);
void times_start(struct times *t, struct thread *th, uint64_t time_ns);
void times_end(struct times *t, struct thread *th, uint64_t time_ns);
void times_gap(struct times *t, uint32_t cpu, uint64_t time_ns);

/*
 * Objects were read.  Pieces of time are told when the stacks that they begin with are known
 * (naming/late.h), at the latest when the interval ends.
 */
void times_read(struct times *t);

/* All records up to the newest were there, but for those that are still being written. */
void times_drained(struct times *t);

/* The interval ends: cells and counters get what is known until now. */
void times_count(struct times *t);

/* Nothing is known of what was before: measuring stood still. */
void times_forget(struct times *t);

#endif
