/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TRACEPOINT_H
#define PTOP_PERF_LIVE_TRACEPOINT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/event/evlist.h"
#include "perf/live/group.h"
#include "perf/record/trace-format.h"

/*
 * Tracepoints that a CPU has beside its groups: they count nothing for anybody, and their samples come
 * in the ring of the groups.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct tracepoint {
	uint64_t id;              /* perf_event_attr.config */
	struct trace_field field; /* the one that was asked for */
	struct trace_field flags; /* common_flags; of SIZE 0 where there is none */
};

/*
 * The tracepoint NAME ("sock:sock_send_length"), if it has a number FIELD.  0, or -1 with ERR set: ENV has no
 * tracefs that may be read, or there is no such tracepoint.
 */
int tracepoint_read(struct tracepoint *t, const struct event_env *env, const char *name,
		    const char *field, struct error *err);

/* The same for one whose fields or filter have pids: -1 also where these are not those of our namespace. */
int tracepoint_find(struct tracepoint *t, const struct event_env *env, const char *name,
		    const char *field, struct error *err);

#endif
