/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_FALLBACK_H
#define PTOP_UNWIND_FALLBACK_H

#include "unwind/walk.h"

/*
 * libunwind, over the same sample: it passes on all registers and evaluates every expression.  It
 * never sees the process (no ptrace): what it reads is the stack copy and the object's section,
 * both checked and of a limited number, so that an expression that jumps in circles ends.
 */
struct fallback;

/* NULL when libunwind has no memory. */
struct fallback *fallback_new(void);
void fallback_free(struct fallback *f); /* NULL is allowed */

/* Can it unwind stacks of MACHINE? */
bool fallback_knows(enum unwind_machine machine);

/* Goes to the leaf of W, which must stay while the next is called.  False: it cannot. */
bool fallback_start(struct fallback *f, struct walk *w);

/* The next caller's place; false when there is none, and *END says why. */
bool fallback_next(struct fallback *f, struct walk_place *p, enum unwind_end *end);

#endif
