/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_EDGE_H
#define PTOP_UNWIND_EDGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The edges of a function of aarch64: where its caller is while a prologue makes its frame and an
 * epilogue takes it down, told by the instructions themselves (Arm Architecture Reference Manual
 * for A-profile, C4.1).  Nothing else tells where call frame information is "synchronous", as
 * that of clang before version 16: there it is true at calls.
 *
 * Both are straight lines.  A function begins with the stack pointer, x29 and x30 of its caller,
 * and where it leaves they are its caller's again (Procedure Call Standard for the Arm 64-bit
 * Architecture, 6): so they are known at each instruction between, whatever comes from elsewhere
 * to there, as long as each one's effect on the three is.  Words only, foreign ones: any are
 * allowed.
 */
struct edge {
	uint32_t size;  /* bytes from the stack pointer to the caller's */
	int32_t ra, fp; /* bytes from the stack pointer to the caller's x30, x29 */
};

#define EDGE_KEPT (-1) /* ra, fp: it is in the register */
#define EDGE_MAX  16   /* instructions */

/*
 * The first instructions of a function, of which WORDS are COUNT: FOUND[i] is what holds before
 * WORDS[i].  How many there are until one is anything but a part of a straight line.
 */
size_t edge_prologue(const uint32_t *words, size_t count, struct edge found[EDGE_MAX]);

/*
 * The instructions up to WORDS[LAST], if that leaves the function: ret, or a jump behind the load
 * of x30 from below where the stack pointer is by then, which is a tail call: the way back is in
 * that register alone.  FOUND[i] is what holds before WORDS[LAST - i].  How many; 0: it does not
 * leave.
 */
size_t edge_epilogue(const uint32_t *words, size_t last, struct edge found[EDGE_MAX]);

#endif
