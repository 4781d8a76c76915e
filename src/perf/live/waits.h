/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_WAITS_H
#define PTOP_PERF_LIVE_WAITS_H

#include <stdint.h>

/*
 * Stacks of waits while a budget takes few of them.  The leader brings the stack of each switch.
 * It then does so at one switch in so many, of any thread, and would miss nearly all of the rare,
 * long waits.  Beside it each CPU has the tracepoint sched:sched_switch with a filter that leaves
 * out the threads that switch most (busy.h): it brings the stack of every wait of all others.
 *
 * Where the tracepoint cannot be had, the leader alone takes stacks; source.stack_threads tells.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct busy;
struct live;

/* TID gives up a CPU.  While tier 1 is open. */
void waits_count(struct live *l, uint32_t tid);

/* Who is left out; NULL: the events are not open. */
const struct busy *waits_busy(const struct live *l);

#endif
