/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_REBASE_H
#define PTOP_PROFILE_REBASE_H

#include "profile/snapshot.h"

/*
 * Makes a snapshot of another engine comparable with those of this one: what has the same name gets
 * the same number.  Functions are those of an object and a symbol of the same names.  Events are
 * those that are the same (enum event_id) whatever they are called; others have the same name.
 * Processes with the same comm match in the order of their samples: the heaviest with the heaviest,
 * and so on.  Events, functions and processes without a counterpart keep numbers of their own.
 * Places in functions are those in the object of the function that is looked at, found by its build
 * id.  BASE needs its objects for that (EXTRA_OBJECTS).
 */
struct rebase;

/*
 * BASE is owned from here on.  FRAMES are numbers in the frame table of this engine for all frames of
 * BASE's own table, by number, made for it alone; copied.
 */
struct rebase *rebase_new(struct snapshot *base, const uint32_t *frames);
void rebase_free(struct rebase *r); /* NULL is allowed */

/* NOW may have names that none before it had.  The base for it, borrowed; the same each time. */
struct snapshot *rebase_update(struct rebase *r, const struct snapshot *now);

#endif
