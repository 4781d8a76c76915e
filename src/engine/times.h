/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_TIMES_H
#define PTOP_ENGINE_TIMES_H

#include <stdbool.h>

#include "engine/pieces.h"
#include "naming/late.h"
#include "perf/record/record.h"

/*
 * The events of time (perf/event/event.h): off-cpu, wall-clock, run-delay, wakers and latency.
 * Records of context switches go to offcpu.h, which returns pieces of time.  Each piece becomes a
 * sample of a cell like any other, with its nanoseconds as period.  So every view and format has them.
 *
 * A stack in which a thread waits ends in the function that called the scheduler.  If the thread
 * was preempted or had not run yet, a frame that says so follows.
 *
 * A sample of wakers is a wait that a wake-up ended, and has all of its time until then.  Behind the
 * stack of the wait a frame names the waker.  If the waker had waited meanwhile, a frame of that wait
 * and its waker follow, up to OFFCPU_LINKS of them.  Last is the stack in which the first waker woke:
 *
 *	main;consume;pipe_read;[woken by producer];ext4_file_read;[woken by interrupt];
 *		[stack of producer];main;produce;pipe_write
 *
 * With TIMES NULL all of these do nothing.
 */
struct times;
struct data_names;

/* NULL when no event of time is in the list.  All is borrowed; USE's chains have callers, DATA names wakers. */
struct times *times_new(const struct pieces *use, struct late *late, struct data_names *data);
void times_free(struct times *t);

/* SAMPLED: the source leaves out the stacks of most switches, on purpose. */
void times_stacks_sampled(struct times *t, bool sampled);

/*
 * SUMMED: the source tells waits by times_waits(), and no moments.  It has told all up to UNTIL_NS.  The first moments that it
 * tells may be from before: they say who waits since when, and time before UNTIL_NS has no length.
 */
void times_summed(struct times *t, bool summed, uint64_t until_ns);

uint64_t times_samples(const struct times *t); /* so many were counted */

void times_stack(struct times *t, struct thread *th, const struct record *r);
void times_switch(struct times *t, struct thread *th, const struct record *r);
/* R's thread is woken, by TH as far as it is known. */
void times_wake(struct times *t, const struct thread *th, const struct record *r);
void times_sample(struct times *t, struct thread *th, const struct record *r, uint32_t node,
		  const struct found_stack *found);
void times_start(struct times *t, struct thread *th, uint64_t time_ns);
void times_end(struct times *t, struct thread *th, uint64_t time_ns);
void times_gap(struct times *t, uint32_t cpu, uint64_t time_ns);

/* Waits of TH, NULL if it is not known any more, that the source has summed; WAKER as far as it is known. */
void times_waits(struct times *t, struct thread *th, const struct thread *waker,
		 const struct record *r);

/*
 * Objects were read.  Pieces of time are told when the stacks that they begin with are known
 * (naming/late.h), at the latest when the interval ends.
 */
void times_read(struct times *t);

/* All records up to NEWEST_NS were there, but for those that are still being written. */
void times_drained(struct times *t, uint64_t newest_ns);

/* The interval ends: cells and counters get what is known until NEWEST_NS. */
void times_count(struct times *t, uint64_t newest_ns);

/* Nothing is known of what was before: measuring stood still. */
void times_forget(struct times *t);

#endif
