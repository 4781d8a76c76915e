/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_FALLBACK_H
#define PTOP_UNWIND_FALLBACK_H

#include "unwind/walk.h"

/*
 * libunwind over the same sample: it passes on all registers and evaluates every expression.
 *
 * It never sees the process (no ptrace).  It reads only the stack copy and the object's section.
 * Both are checked, and the number of reads is limited, so that an expression that jumps in circles
 * ends.
 */
struct fallback;

/* NULL if libunwind has no memory. */
struct fallback *fallback_new(void);
void fallback_free(struct fallback *f); /* NULL is allowed */

/* Returns true if it can unwind stacks of MACHINE. */
bool fallback_knows(enum unwind_machine machine);

/*
 * Goes to the leaf of W, which must not move while unwind_fallback_next() is called.  Returns false
 * if it cannot.
 */
bool fallback_start(struct fallback *f, struct walk *w);

/* Goes to the next caller.  Returns false if there is none; *END then says why. */
bool fallback_next(struct fallback *f, struct walk_place *p, enum unwind_end *end);

#endif
