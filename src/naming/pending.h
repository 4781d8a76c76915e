/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_PENDING_H
#define PTOP_NAMING_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/resolve.h"
#include "profile/histogram.h"

/*
 * Samples whose object was not loaded yet (or, of a JIT compiler's code, not told of yet) when they
 * came.  They are counted in the histogram under the object's frame without a name; here lies what
 * is needed to move them to their symbols later: cell, address, and how many.  Likewise those of
 * functions of which it is being asked what is inlined in them.  Bounded: what does not fit stays
 * without a name, or with the function's, and is counted.
 */
struct pending;

#define PENDING_LIMIT 16384

struct pending *pending_new(size_t limit);		/* 0: PENDING_LIMIT */
void pending_free(struct pending *p);			/* NULL is allowed */

/* One sample of PERIOD, counted in cell KEY, at PLACE. */
void pending_add(struct pending *p, const struct cell_key *key, const struct place *place,
		 uint64_t period);

/*
 * OBJECT was loaded: its samples move within H to what RESOLVER now names them.  What did not fit
 * moves from the object's FRAME_PENDING to its FRAME_UNKNOWN.
 */
void pending_loaded(struct pending *p, uint32_t object, struct resolver *resolver,
		    struct histogram *h);

/* An interval is over: what waits only for a JIT map to grow is given up after four. */
void pending_next_interval(struct pending *p);

void pending_clear(struct pending *p);			/* the histogram was zeroed */
size_t pending_count(const struct pending *p);

/*
 * For an answer that shall have the names of all that came before it: a mark between what is there
 * and what will come, and whether anything from before MARK still waits for an object to be loaded.
 */
uint64_t pending_mark(struct pending *p);
bool pending_waits(const struct pending *p, uint64_t mark);
uint64_t pending_overflow(const struct pending *p);	/* samples that did not fit */

#endif
