/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_WINDOW_H
#define PTOP_ENGINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/histogram.h"
#include "profile/snapshot.h"

/*
 * The engine's past: its histogram keeps a history, which here gets what tasks counted as well, and of
 * which a window is summed up for a snapshot.  Live that is a slice a second for ten minutes; of a
 * recording all of it, in at most 1 024 slices.
 */
struct engine;
struct history;
struct record;

#define WINDOW_SLICE_NS (1000000000ull)		/* live */
#define WINDOW_KEPT_NS	(600 * WINDOW_SLICE_NS)

/* One of that shape, owned by the caller: what else is to be kept as long. */
struct history *window_history_new(const struct engine *e);

/* Makes the engine keep its past; before the first record. */
void window_open(struct engine *e);
void window_close(struct engine *e);		/* without one, nothing */

/* The engine's slice_end_ns has come: what was counted until now goes to the slice that ends. */
void window_slice_ends(struct engine *e);
/* Call before counters are reset: moves what is left into the current slice. */
void window_next_interval(struct engine *e);
/* Forgets the past, and what was counted until now.  Without one, nothing. */
void window_zero(struct engine *e);
/* Of a recording: what a task counted is told by R. */
void window_read(struct engine *e, const struct record *r, uint32_t process);

/* The window that snapshots are of from now on; both 0: now. */
void window_choose(struct engine *e, uint64_t from_ns, uint64_t to_ns);

/* What was counted in the chosen window. */
struct window;
struct window *window_sum(struct engine *e, bool threads);	/* NULL: none is chosen */
void window_free(struct window *w);				/* NULL is allowed */

const struct histogram *window_cells(const struct window *w);
double window_span_s(const struct window *w);
uint64_t window_samples(const struct window *w, size_t event);
uint64_t window_begin_ns(const struct window *w);
uint64_t window_end_ns(const struct window *w);

/*
 * What the process SERIAL, or with TID that thread of it, counted there: one value an event, not scaled
 * by its unit, and behind them how long it ran, in ns.  0 where nothing came; NULL when nothing at all
 * did.  Threads are told apart only when window_sum() was asked to.
 */
const double *window_counts(const struct window *w, uint32_t serial, uint32_t tid);
/* False when there are counts and it is not known who ran: nobody's time was told. */
bool window_has_times(const struct window *w);
/* The threads of a process that ran there; 0 when that is not known. */
size_t window_threads(const struct window *w, uint32_t serial);
double window_total(const struct window *w, size_t event);	/* of all processes */

/* The slices and the window, into S, whose events are there. */
void window_describe(const struct engine *e, const struct window *w, struct snapshot *s);

/* Calls USED with the serial of each process that the past has something of; one may come twice. */
void window_processes(const struct engine *e, void (*used)(struct engine *e, uint32_t serial));

#endif
