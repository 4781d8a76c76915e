/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_HISTOGRAM_H
#define PTOP_PROFILE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/cell.h"

/*
 * The profile: samples and periods by (event, process, thread, frame).  One thread.  Adding is
 * integer arithmetic on one cell.  With decay a cell's weight halves every half-life, applied
 * lazily: a cell stores when it was last touched, and is caught up when it is added to or read.
 *
 * Bounded: before a new cell would exceed CELL_LIMIT, the lightest quarter merges into one
 * FRAME_REST cell for each event and process (thread 0).  `merged` counts the cells that went.
 * When these alone are too many, they merge into one for each event (process 0).
 *
 * With stacks the lightest give up their callers first: their node becomes that of their frame under
 * CALL_OTHERS, so that what is known of functions stays exact.
 */
struct calltree;
struct histogram;
struct history;

struct cell {
	struct cell_key key;
	uint32_t known;       /* where the history has the key, likely */
	uint64_t samples;     /* since it was zeroed, without decay */
	uint64_t period;      /* sum of periods, likewise */
	double weight;        /* of samples, with decay in DECAY mode, else as `samples` */
	double period_weight; /* of periods, likewise */
	uint64_t longest; /* the largest period, or what histogram_longest() said; never decays */
	uint64_t touched_ns; /* what the weights are valid for */
};

enum histogram_mode {
	HISTOGRAM_DECAY,      /* weights halve every half-life */
	HISTOGRAM_ZERO,       /* every interval starts at zero */
	HISTOGRAM_CUMULATIVE, /* nothing is forgotten */
};

#define HISTOGRAM_CELLS 65536  /* the default limit */
#define HISTOGRAM_CELLS_MIN 64 /* a lower limit is raised to this */
#define HISTOGRAM_HALF_LIFE_S 5.0

/* CELL_LIMIT 0: the default.  Begins in DECAY mode with the default half-life. */
struct histogram *histogram_new(size_t cell_limit);
void histogram_free(struct histogram *h); /* NULL is allowed */

/*
 * Changes the mode from now on; what was counted keeps its weight.  A HALF_LIFE_S that is not a
 * positive number leaves the one that was there.
 */
void histogram_set_mode(struct histogram *h, enum histogram_mode mode, double half_life_s);
enum histogram_mode histogram_mode(const struct histogram *h);

/*
 * One sample of PERIOD at NOW_NS.  Times may go back a little (records of several CPUs): an older
 * sample weighs what it would weigh had it come in order.
 */
void histogram_add(struct histogram *h, const struct cell_key *key, uint64_t period,
		   uint64_t now_ns);

/* The same for COUNT samples, whose periods are PERIOD together: none of them is taken for the longest. */
void histogram_add_many(struct histogram *h, const struct cell_key *key, uint32_t count,
			uint64_t period, uint64_t now_ns);

/* Notes that a sample, of which KEY's cell got a part, is PERIOD long in all.  No cell: does nothing. */
void histogram_longest(struct histogram *h, const struct cell_key *key, uint64_t period);

/*
 * Moves SAMPLES and PERIOD from one cell to another: how samples that waited for symbols get their
 * name.  Weights and interval counts move in proportion.  At most what is there moves, nothing when
 * FROM has been dropped or merged.
 */
void histogram_move(struct histogram *h, const struct cell_key *from, const struct cell_key *to,
		    uint64_t samples, uint64_t period);

void histogram_zero(struct histogram *h);          /* key Z: forgets everything */
void histogram_next_interval(struct histogram *h); /* in ZERO mode everything starts at 0 */

/*
 * Catches all cells up to NOW_NS, and drops those that were emptied or, in DECAY mode, weigh
 * nothing any more (under 0.05 samples).
 */
void histogram_settle(struct histogram *h, uint64_t now_ns);

/*
 * The time that the weights stand for, at the last settle: N samples a second weigh N times as
 * much.  It begins with the first settle or the last zero.
 */
double histogram_span_s(const struct histogram *h);

/*
 * How often a weight of the last settle halves until a moment that comes once in HISTOGRAM_HALVINGS half-lives: more than 0,
 * at most so many.  Outside DECAY mode 0.
 */
#define HISTOGRAM_HALVINGS 64
double histogram_halvings(const struct histogram *h);

/*
 * Lets a cell sum COUNT further values beside its samples, such as the increase of the CPU's
 * counters at each of its samples.  They are weighed, moved, merged and forgotten with the cell.
 * 0, the default: none, and they cost nothing.  Other values than before begin anew.
 */
void histogram_set_values(struct histogram *h, size_t count);

/* The same, but more of them than before: what was summed stays. */
void histogram_grow_values(struct histogram *h, size_t count);

/*
 * As histogram_add_many(), and each sample brings VALUES; NAN adds nothing, nor does NULL for all of them.  One that is
 * alone may be the longest.
 */
void histogram_add_values(struct histogram *h, const struct cell_key *key, uint32_t count,
			  uint64_t period, const double *values, uint64_t now_ns);

/*
 * The values of a cell of H that was just walked to or found: borrowed as the cell is.  NAN where
 * nothing was ever added, NULL when there are none.
 */
const double *histogram_values(const struct histogram *h, const struct cell *c);

/* The nodes of cells are T's, borrowed, in which those without callers are made.  NULL, at first: none. */
void histogram_set_tree(struct histogram *h, struct calltree *t);

/* From now on PAST, borrowed, is told of whatever is counted, moved or renamed.  NULL, as at first: nobody is. */
void histogram_set_history(struct histogram *h, struct history *past);

/* Adds to KEY's cell what was counted elsewhere, without decay; the history is not told. */
void histogram_add_sum(struct histogram *h, const struct cell_key *key, uint64_t samples,
		       uint64_t period);

/* Sets KEEP's bytes of the nodes that are in use, by the history, too. */
void histogram_mark_nodes(const struct histogram *h, unsigned char *keep);

/* Takes their callers from the lightest half of the cells that have some. */
void histogram_give_up_callers(struct histogram *h);
uint64_t histogram_without_callers(const struct histogram *h); /* cells that did, by now */

/* Gives every cell the key that RENAME makes of its own; merges cells whose keys become equal. */
void histogram_rename(struct histogram *h, cell_renamer *rename, void *context);

size_t histogram_count(const struct histogram *h);
uint64_t histogram_merged(const struct histogram *h);

/* Walks the cells in no order: start with *CURSOR 0, ends with NULL.  Borrowed until a change. */
const struct cell *histogram_next(const struct histogram *h, size_t *cursor);
/*
 * Takes a cell out, into *C, and gives its memory back: a caller that keeps them in another form would need
 * twice the room otherwise.  Returns false if there is none.  From the first call on cells cannot be found or
 * added until histogram_zero().
 */
bool histogram_take(struct histogram *h, struct cell *c);
const struct cell *histogram_find(const struct histogram *h, const struct cell_key *key);
size_t histogram_bytes(const struct histogram *h); /* memory held */

/* How many cells with VALUES further values take BYTES; HISTOGRAM_CELLS at most. */
size_t histogram_cells_of(uint64_t bytes, size_t values);

#endif
