/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_WATCH_H
#define PTOP_ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "naming/resolve.h"
#include "profile/histogram.h"
#include "profile/snapshot.h"
#include "symbol/lines.h"

/*
 * The function that a person looks at: its samples by address, its instructions, their source
 * lines.  Addresses of all samples are kept, so a function has a history when a person opens it.
 * Code is read for that one function, by a thread of its own, and kept as long as the function is
 * shown.
 */
struct watch;
struct address_sums;

struct watch_options {
	struct resolver *resolver; /* borrowed, as the next ones */
	struct dso_cache *objects;
	const struct frame_table *frames;
	struct lines_options lines; /* `synchronous`: code is read in watch_ask() */
	size_t cell_limit;
};

struct watch *watch_new(const struct watch_options *options);
void watch_free(struct watch *w); /* NULL is allowed */

/* Keeps them by time, too, in PAST, which W owns from here on: for watch_describe() of a window. */
void watch_keep_past(struct watch *w, struct history *past);

void watch_zero(struct watch *w); /* forgets all addresses */

/* The memory of the past, in bytes; it becomes BYTES or so, coarser from the old end. */
uint64_t watch_past_bytes(const struct watch *w);
void watch_shed_past(struct watch *w, uint64_t bytes);

/* The addresses (profile/addresses.h): for its mode, its intervals and its end.  Borrowed. */
struct histogram *watch_addresses(struct watch *w);

/* COUNT samples of A are counted in the cell KEY, with VALUES beside each (NULL: none). */
void watch_samples(struct watch *w, const struct address *a, const struct cell_key *key,
		   uint32_t count, uint64_t period, const double *values, uint64_t now_ns);

/*
 * From now on snapshots tell of these addresses, which an earlier one had, and have them; NULL: of those of
 * their own time.  Another reference is taken.
 */
void watch_hold(struct watch *w, struct address_sums *held);

/* FRAME is what is looked at from now on; FRAME_NONE: nothing.  No effect when it was before. */
void watch_choose(struct watch *w, uint32_t frame);

/*
 * Asks for the code of what was chosen, as soon as a sample has told where it is.  Returns true if
 * that is still being read.
 */
bool watch_ask(struct watch *w);
bool watch_is_waiting(const struct watch *w);

int watch_fd(const struct watch *w); /* for poll; -1: not yet, see watch_ask() */
bool watch_take(struct watch *w);    /* answers; whether there was one */

/*
 * Gives S the addresses, and tells it of the function; events come before, cells do not matter.
 * Describes the function in S now or, if TO_NS is not 0, in that time, as far as its past is kept.
 */
void watch_describe(struct watch *w, struct snapshot *s, uint64_t from_ns, uint64_t to_ns);

#endif
