/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_WINDOW_H
#define PTOP_ENGINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/attribution.h"
#include "perf/record/source.h"
#include "proc/process.h"
#include "profile/histogram.h"
#include "profile/snapshot.h"

/*
 * The past.  The histogram keeps a history, which here gets what tasks counted as well; a window of it is
 * summed up for a snapshot.  A live session has a slice a second for ten minutes; a recording has all of
 * its time, in at most 1 024 slices.
 *
 * With WINDOWS NULL nothing is kept, and all of these do nothing.
 */
struct windows;
struct history;
struct record;

struct windows_options {
	const struct evlist *evlist; /* all borrowed */
	const struct clock *clock;
	const struct process_table *processes;
	struct counters *counters;
	struct attribution *attribution;
	struct histogram *histogram;
	enum source_tier tier;
	uint64_t memory_bytes; /* of which the past has a part (base/account.h); 0: the default */
};

#define WINDOW_SLICE_NS (1000000000ull) /* live */
#define WINDOW_KEPT_NS (600 * WINDOW_SLICE_NS)

/* A history of that shape, owned by the caller: for what else is to be kept as long. */
struct history *window_history_new(enum source_tier tier, uint64_t memory_bytes);

/* Before the first record. */
struct windows *windows_new(const struct windows_options *options);
void windows_free(struct windows *w);

/* The memory held, in bytes; it becomes BYTES or so, coarser from the old end. */
uint64_t windows_bytes(const struct windows *w);
void windows_shed(struct windows *w, uint64_t bytes);

/*
 * The newest record is of NEWEST_NS.  When the slice is over, what was counted in it goes there.  When
 * this is due again; UINT64_MAX: never.
 */
uint64_t windows_advance(struct windows *w, uint64_t newest_ns);
/* Call before counters are reset: moves what is left into the current slice. */
void windows_next_interval(struct windows *w, uint64_t newest_ns);
/* Forgets the past, and what was counted until now. */
void windows_zero(struct windows *w, uint64_t newest_ns);
/* R of a recording, of NEWEST_NS, tells what a task of the process SERIAL counted. */
void windows_read(struct windows *w, const struct record *r, uint32_t serial, uint64_t newest_ns);

/* The window that snapshots are of from now on; both 0: now. */
void windows_choose(struct windows *w, uint64_t from_ns, uint64_t to_ns);

/* The counts in the chosen window. */
struct window;
struct window *window_sum(struct windows *of, bool threads); /* NULL: none is chosen */
void window_free(struct window *w);                          /* NULL is allowed */

const struct histogram *window_cells(const struct window *w);
double window_span_s(const struct window *w);
uint64_t window_samples(const struct window *w, size_t event);
uint64_t window_begin_ns(const struct window *w);
uint64_t window_end_ns(const struct window *w);

/*
 * The counts of the process SERIAL, or with TID of that thread: one value an event, not scaled by
 * its unit, then its running time in ns.  A value is 0 if nothing was counted; NULL if there are
 * none at all.  Threads are told apart only when window_sum() was asked to.
 */
const double *window_counts(const struct window *w, uint32_t serial, uint32_t tid);
/* False when there are counts and it is not known who ran: nobody's time was told. */
bool window_has_times(const struct window *w);
/* The threads of a process that ran there; 0 when that is not known. */
size_t window_threads(const struct window *w, uint32_t serial);
double window_total(const struct window *w, size_t event); /* of all processes */

/* The slices and the WINDOW, or NULL, into S, whose events are there.  All of it began at BEGAN_NS. */
void windows_describe(const struct windows *w, const struct window *window, struct snapshot *s,
		      uint64_t began_ns, uint64_t now_ns);

/* Calls USED with the serial of each process that the past has something of; one may come twice. */
void windows_processes(const struct windows *w, void (*used)(void *context, uint32_t serial),
		       void *context);

#endif
