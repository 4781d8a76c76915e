/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_NETWORK_H
#define PTOP_PERF_LIVE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/event/evlist.h"

/*
 * Bytes that tasks send and receive by internet sockets, from the tracepoints sock:sock_send_length and
 * sock:sock_recv_length (Linux 6.3).  The events net-sent and net-received are no events of the kernel.  While one
 * is in the list, each CPU has its tracepoint beside the groups, in the same ring.  Each call that sent or received
 * makes a record, with the task and its bytes (`increase` in perf/record/source.h).
 *
 * A budget raises the period of the event as it does for any other.  Then one call in so many makes a record, and
 * stands for the bytes of all of them: an estimate.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct cpu;
struct event_env;
struct live;
struct perf_event_header;
struct record;
struct record_layout;

/* Finds the tracepoint of the event E, in ENV.  0, or -1 with ERR set: there is none. */
int network_probe(const struct evsel *e, const struct event_env *env, struct error *err);

/* Finds the tracepoints of the events in the list, or refuses these events.  Call it before there is a CPU. */
void network_enter(struct live *l);

/* The same for one more event, or one less, while CPUs are open.  0, or a negative errno: refused. */
int network_add(struct live *l, size_t event);
void network_remove(struct live *l, size_t event);

/* Its period is another now.  0, or a negative errno: refused. */
int network_retune(struct live *l, size_t event);

/* Opens the tracepoints of one CPU, whose groups are there. */
void network_open(struct live *l, struct cpu *c);
void network_close(struct cpu *c);

/* The groups of C have another ring. */
void network_redirect(const struct cpu *c);
void network_run(const struct live *l, const struct cpu *c, bool run);

/* Starts or stops the one of EVENT on all CPUs. */
void network_enable(const struct live *l, size_t event, bool enabled);

/* Returns true if the event with that identifier is one of these on C. */
bool network_made(const struct cpu *c, uint64_t id);

/* The layout of the record at H if it is of one of these; else NULL. */
const struct record_layout *network_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h);

/* Makes R the record of an increase; false: it is none of these. */
bool network_sample(struct live *l, const struct cpu *c, struct record *r);

#endif
