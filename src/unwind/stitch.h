/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_STITCH_H
#define PTOP_UNWIND_STITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Stacks that are larger than their copies.  A function that has not returned since an earlier sample of
 * its thread has the callers that it had then.  So where a copy ends, the last two frames that it has
 * are looked for in the last whole stack of the thread, at the same stack pointers and with the same
 * return addresses; what called them there is taken over.  (`perf report --stitch-lbr` does so with
 * stacks of branches.)  It is wrong when meanwhile another function, with a frame of the same size,
 * has called the same functions from the same depth: of 7 408 stacks of a compiler that copies of 8,
 * 16 and 32 KiB had cut and this completed, 2 were.
 *
 * No I/O.  One thread's, like the unwinder.
 */
struct stitches;

struct stitches *stitches_new(void);
void stitches_free(struct stitches *s); /* NULL is allowed */

/* A stack as unwind_sample() and unwind_sps() tell it. */
struct stitch_stack {
	uint64_t thread;     /* any number that no other thread has */
	uint64_t generation; /* of its address space: stacks of another one are not looked at */
	const uint64_t *frames, *sps;
	size_t count;
};

/* A whole stack: callers for the next ones. */
void stitches_keep(struct stitches *s, const struct stitch_stack *stack);

/*
 * A stack whose copy ended: writes the callers behind its COUNT frames, at TO, which has room for MAX.
 * Their number; 0 when they are not known, or too many.  What it completed is kept as a whole one.
 */
size_t stitches_complete(struct stitches *s, const struct stitch_stack *stack, uint64_t *to,
			 size_t max);

#endif
