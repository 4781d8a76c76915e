/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RAW_CALL_H
#define PTOP_PERF_LIVE_RAW_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/live/busy.h"
#include "perf/live/tracepoint.h"
#include "perf/live/tracepoints.h"

/*
 * Records of raw_syscalls:sys_enter and sys_exit, of a CPU (raw-calls.c) or of a thread (raw-calls-apart.h).
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct live;
struct record;

struct raw_calls {
	bool enabled;                    /* the events are open, or will be with their CPU */
	bool stacks;                     /* and those of returns bring stacks */
	uint32_t part;                   /* of so many threads one is told: a power of two */
	struct tracepoint entered, left; /* their field is the number of the call, */
	struct tracepoint returned;      /* and here what the call returned */
	struct busy busy;                /* who makes them; the busiest are left out */
	uint64_t count;                  /* calls since the last choice */
	uint64_t chosen_ns;              /* when the busy ones were */
	struct call_thread **apart;      /* of those that are left out; owned */
	size_t apart_count, apart_capacity;
};

enum raw_call_side {
	RAW_CALL_ENTERS,
	RAW_CALL_LEAVES,
};

/* The tracepoint of one side, with the caller's STACKS (stack_fields_layout) or without (fields_layout). */
struct tracepoint_wanted raw_call_wanted(const struct live *l, enum raw_call_side side,
					 bool stacks);

/* Makes R, which is a sample of one of them, the record of a begin, or of a return (LEAVES). */
void raw_call_record(const struct live *l, struct record *r, bool leaves);

#endif
