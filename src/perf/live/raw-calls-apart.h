/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RAW_CALLS_APART_H
#define PTOP_PERF_LIVE_RAW_CALLS_APART_H

#include <stdbool.h>
#include <stdint.h>

/*
 * System calls of threads that make too many for a record of each.  Such a thread has three events of its own.  One
 * counts all of its calls.  The other two are sys_enter and sys_exit with records, each of which the kernel stops
 * after some of them (PERF_EVENT_IOC_REFRESH).  So after each drain the next APART_CALLS (or more) calls in a row are told.
 *
 * A thread makes one call after the other, so these two events see the same calls, however long one of them takes.
 * Long calls are as likely to be told as short ones.  Each told call stands for its share of those that were
 * counted.  So a thread's sum is exact, and a call's or an error's share of it is a sample.
 *
 * While a thread gets or loses its events, some microseconds of its calls may be missing.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
#define APART_CALLS 4      /* with the stacks of all of them the ring is not full */
#define APART_CALLS_FEW 24 /* the same where few threads are left out, whose rings are larger */

struct live;
struct record;

/* Opens events for those that calls.busy leaves out and that have none. */
void raw_calls_apart_follow(struct live *l);

/* Ends those of threads that are not left out any more; the last of their calls are handed over. */
void raw_calls_apart_forget(struct live *l);

/* Hands over what threads have told, and lets them tell more. */
void raw_calls_apart_take(struct live *l);

/* The thread TID has ended, and is still known to the receiver. */
void raw_calls_apart_end(struct live *l, uint32_t tid);

/* Returns true if the calls of R's thread are counted here at the time of R. */
bool raw_calls_apart_has(const struct live *l, const struct record *r);

void raw_calls_apart_close(struct live *l);

#endif
