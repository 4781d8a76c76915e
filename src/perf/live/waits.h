/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_WAITS_H
#define PTOP_PERF_LIVE_WAITS_H

#include <stdbool.h>
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
struct cpu;
struct perf_event_header;
struct waits;
struct live;
struct record;
struct record_layout;

/* Opens or closes the events as the source's reduction says. */
void waits_follow(struct live *l);

/* The event of one more CPU, whose groups are there. */
void waits_open(struct live *l, struct cpu *c);

/* TID gives up a CPU. */
void waits_count(struct live *l, uint32_t tid);

/* After a drain, at NOW_NS: other threads may be the busy ones now. */
void waits_look(struct live *l, uint64_t now_ns);
void waits_fini(struct waits *w);

/* The layout of the sample of C at H, if it is a wait's stack; else NULL. */
const struct record_layout *waits_layout(const struct live *l, const struct cpu *c,
					 const struct perf_event_header *h);

/* Makes R the record of a switch with its stack; false: it is none of these. */
bool waits_sample(struct live *l, const struct cpu *c, struct record *r);

#endif
