/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_PLACES_H
#define PTOP_NAMING_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/resolve.h"

/*
 * Frames of stacks whose object was not loaded yet (or whose JIT compiler has not told of them yet).
 * A stack is interned at once, so such an address gets a frame number of its own, a placeholder,
 * which no frame table has; when its name is known, the whole call tree is renamed (chains.h).
 * Bounded: what does not fit gets the object's frame without a name for good, and is counted.
 */
struct places;

#define PLACE_FRAME	0x80000000u	/* set in placeholders, clear in numbers of a frame table */
#define PLACES_LIMIT	65536

/* Both borrowed. */
struct places *places_new(struct resolver *resolver, struct frame_table *frames);
void places_free(struct places *p);			/* NULL is allowed */

/* The placeholder of PLACE, which is shown as the frame SHOWN meanwhile; SHOWN when there is no room. */
uint32_t places_frame(struct places *p, const struct place *place, uint32_t shown);

/* What a snapshot shows for FRAME: what a placeholder stands for (a frame or a list), or itself. */
uint32_t places_shown(const struct places *p, uint32_t frame);

/* OBJECT was loaded: placeholders there may have names now.  Whether any does. */
bool places_loaded(struct places *p, uint32_t object);

/* An interval is over: now and then what waits only for a JIT map to grow is given up.  Likewise. */
bool places_next_interval(struct places *p);

/*
 * A placeholder with a name is that frame, or list of frames, now; any other FRAME is itself.
 * places_renamed(): no placeholder with a name is in use any more.
 */
uint32_t places_name(const struct places *p, uint32_t frame);
void places_renamed(struct places *p);

size_t places_count(const struct places *p);		/* without a name */
uint64_t places_overflow(const struct places *p);	/* frames that did not fit */

/* As pending_mark(), pending_waits(). */
uint64_t places_mark(struct places *p);
bool places_waits(const struct places *p, uint64_t mark);

#endif
