/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RAW_CALLS_H
#define PTOP_PERF_LIVE_RAW_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * System calls, from the tracepoints raw_syscalls:sys_enter and sys_exit.  While syscalls is in the list, each
 * CPU has both beside its groups, in the same ring.  Their samples become records with `call`
 * (perf/record/source.h).  Samples of returns bring the caller's stack.
 *
 * They may cost source_reduction.call_ns.  If they would cost more, the stacks are left out first.  If that does not
 * suffice, the threads with the most calls are left out (busy.h) by a filter, and get events of their own
 * (raw-calls-apart.h).  If there are too many of these, only one thread in so many is told.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct raw_calls;
struct cpu;
struct event_env;
struct live;
struct perf_event_header;
struct record;
struct record_layout;

/* Finds both tracepoints, in ENV.  0, or -1 with ERR set: tracefs is not there, or does not describe them. */
int raw_calls_find(struct raw_calls *calls, const struct event_env *env, struct error *err);

/* Has system calls told if the event is in the list, or refuses the event.  Call it before there is a CPU. */
void raw_calls_enter(struct live *l);

/* The same while CPUs are open.  0, or a negative errno: refused. */
int raw_calls_add(struct live *l, size_t event);
void raw_calls_remove(struct live *l);

/* Opens the events of one CPU, whose groups are there. */
void raw_calls_open(struct live *l, struct cpu *c);
void raw_calls_close(struct cpu *c);

/* The groups of C have another ring. */
void raw_calls_redirect(const struct cpu *c);
void raw_calls_run(const struct cpu *c, bool run);

/* The layout of samples has changed: opens all events anew. */
void raw_calls_renew(struct live *l);

/* After a drain, at NOW_NS: takes what threads that are left out have told, and looks what all of it costs. */
void raw_calls_look(struct live *l, uint64_t now_ns);

/* After the last CPU. */
void raw_calls_fini(struct live *l);

/* Returns true if the event with that identifier tells of system calls on C. */
bool raw_calls_made(const struct cpu *c, uint64_t id);

/* The layout of the record at H if it is of a system call; else NULL. */
const struct record_layout *raw_calls_layout(const struct live *l, const struct cpu *c,
					     const struct perf_event_header *h);

/* Makes R the record of a system call; false: it is none. */
bool raw_calls_sample(struct live *l, const struct cpu *c, struct record *r);

#endif
