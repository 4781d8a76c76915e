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

struct tracepoint_event {
	int fd;             /* -1: none is open */
	uint64_t id;        /* the kernel's; 0: none is open */
	uint64_t former_id; /* of the one before, whose records may still be in the ring; 0: none */
	uint64_t period, former_period; /* calls that a record of each stands for */
};

/*
 * Opens ATTR on the CPUs and tasks of the groups WHERE, with FILTER (NULL: without), starts it, and
 * closes the one that was open.  Returns 0, or a negative errno and nothing is changed.
 */
int tracepoint_open(struct tracepoint_event *b, struct perf_event_attr *attr,
		    const struct groups *where, const char *filter);
void tracepoint_close(struct tracepoint_event *b);
void tracepoint_redirect(const struct tracepoint_event *b,
			 int output_fd); /* the groups have another ring */
void tracepoint_run(const struct tracepoint_event *b, bool run);

/* Returns true if the event with that identifier is B, or was before B was opened anew. */
bool tracepoint_is(const struct tracepoint_event *b, uint64_t id);

/* Returns the number of calls that a record with that identifier of B stands for. */
uint64_t tracepoint_calls(const struct tracepoint_event *b, uint64_t id);

/* Returns true if B made the sample at H, whose first word is the identifier. */
bool tracepoint_made(const struct tracepoint_event *b, const struct perf_event_header *h);

#endif
