/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_STITCH_H
#define PTOP_UNWIND_STITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Completes stacks that are larger than their copies.
 *
 * A function that has not returned since an earlier sample of its thread still has the same
 * callers.  So the last two frames of a cut copy are looked for in the last whole stack of the
 * thread.  They must have the same stack pointers and return addresses; the callers are then taken
 * over.  (`perf report --stitch-lbr` does the same with stacks of branches.)
 *
 * The result is wrong if another function, with a frame of the same size, has meanwhile called the
 * same functions from the same depth.  It happened in 2 of 7 408 stacks of a compiler that copies
 * of 8, 16 and 32 KiB had cut and this had completed.
 *
 * No I/O.  For one thread, like the unwinder.
 */
struct stitches;

struct stitches *stitches_new(void);
void stitches_free(struct stitches *s); /* NULL is allowed */

/* A stack as unwind_sample() and unwind_sps() return it. */
struct stitch_stack {
	uint64_t thread;     /* any number that is unique to the thread */
	uint64_t generation; /* number of its address space; stacks of other spaces are ignored */
	const uint64_t *frames, *sps;
	size_t count;
};

/* Keeps a whole stack, whose callers may complete later ones. */
void stitches_keep(struct stitches *s, const struct stitch_stack *stack);

/*
 * Completes a stack whose copy ended: writes the callers behind its COUNT frames to TO, which has
 * room for MAX.  Returns their number; 0 if they are unknown or too many.  The completed stack is
 * kept as a whole one.
 */
size_t stitches_complete(struct stitches *s, const struct stitch_stack *stack, uint64_t *to,
			 size_t max);

#endif
