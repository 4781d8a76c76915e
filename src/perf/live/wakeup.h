/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_WAKEUP_H
#define PTOP_PERF_LIVE_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/event/evlist.h"

/*
 * Wake-ups of threads, from the tracepoint sched:sched_waking (before Linux 4.3 sched:sched_wakeup): from
 * the wake-up on a thread could run.  While run-delay or wakers is in the list, each CPU has one such event
 * beside its groups, in the same ring, whose samples become records with `woken_tid` (perf/record/source.h).
 * With wakers they bring the stack of who wakes, unless a budget takes few stacks.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct cpu;
struct live;
struct record;
struct record_layout;
struct perf_event_header;
struct wakeups;

bool evsel_needs_wakeups(const struct evsel *e);

/* Finds the tracepoint, in ENV.  0, or -1 with ERR set: where it is not described, or has other pids. */
int wakeups_find(struct wakeups *w, const struct event_env *env, struct error *err);

/*
 * Enables wake-ups for the events in the list that need them, or refuses these events.  Call it before
 * there is a CPU.
 */
void wakeups_enter(struct live *l);

/* The same for one more event, or one less, while CPUs are open.  0, or a negative errno: refused. */
int wakeups_add(struct live *l, size_t event);
void wakeups_remove(struct live *l);

/* Opens the event of one CPU, whose groups are there. */
void wakeups_open(struct live *l, struct cpu *c);
void wakeups_close(struct cpu *c);

/* Opens the events with stacks or without, as the list and the source's reduction say. */
void wakeups_follow(struct live *l);

/* Returns true if the event with that identifier tells of wake-ups on C. */
bool wakeups_made(const struct cpu *c, uint64_t id);

/* The layout of the record at H if it is of a wake-up; else NULL. */
const struct record_layout *wakeups_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h);

/* Sets who is woken; false: R is no such record. */
bool wakeups_sample(struct live *l, const struct cpu *c, struct record *r);

#endif
