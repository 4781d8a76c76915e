/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_PLACES_H
#define PTOP_NAMING_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/resolve.h"

/*
 * Addresses whose object was not loaded yet (or whose JIT compiler has not told of them yet), and those
 * of which it is being asked what is inlined there.  A sample is counted at once, so such an address
 * gets a placeholder (name.h).  When its name is known, the
 * call tree and the cells of the histogram are renamed (chains.h).
 * Bounded: what does not fit gets the object's frame without a name for good, and is counted.
 */
struct places;

#define PLACES_LIMIT 65536

/* Both borrowed. */
struct places *places_new(struct resolver *resolver, struct frame_table *frames);
void places_free(struct places *p); /* NULL is allowed */

/*
 * The placeholder of PLACE, which is shown as SHOWN meanwhile; SHOWN when there is no room.  MARK is the
 * newest one (chains_mark()).
 */
struct name places_add(struct places *p, const struct place *place, struct name shown,
		       uint64_t mark);

/*
 * The name that a snapshot shows for NAME: for a placeholder a frame or a list, otherwise NAME
 * itself.
 */
struct name places_shown(const struct places *p, struct name name);

/*
 * OBJECT was loaded: placeholders there may have names now.  RENAMED: its functions without a name may
 * have one now, too.  Returns true if places_name() has news.
 */
bool places_loaded(struct places *p, uint32_t object, bool renamed);

/* An interval is over: now and then what waits only for a JIT map to grow is given up.  Likewise. */
bool places_next_interval(struct places *p);

/*
 * A placeholder with a name is that frame, or list of frames, now.  A frame may have a better one in an
 * object that was loaded.  Any other NAME is itself.
 * places_renamed(): nothing in use has another name any more.
 */
struct name places_name(const struct places *p, struct name name);
void places_renamed(struct places *p);

size_t places_count(const struct places *p);      /* without a name */
uint64_t places_overflow(const struct places *p); /* frames that did not fit */

/* Returns true if a place from before MARK waits for its object to be loaded. */
bool places_waits(const struct places *p, uint64_t mark);

#endif
