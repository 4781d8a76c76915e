/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_EDGE_H
#define PTOP_UNWIND_EDGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The edges of an aarch64 function: where its caller is while a prologue builds the frame and an
 * epilogue takes it down.  The instructions themselves tell it (Arm Architecture Reference Manual
 * for A-profile, C4.1).  Nothing else does where call frame information is "synchronous", true at
 * calls only, as from clang before version 16.
 *
 * Both edges are straight lines.  A function begins with its caller's stack pointer, x29 and x30.
 * Where it leaves, they are its caller's again (Procedure Call Standard for the Arm 64-bit
 * Architecture, 6).  So they are known at each instruction between, wherever a jump to it comes
 * from, while the effect of every instruction on the three is known.
 *
 * The input is foreign words; any value is allowed.
 */
struct edge {
	uint32_t size;  /* bytes from the stack pointer to the caller's */
	int32_t ra, fp; /* bytes from the stack pointer to where the caller's x30, x29 are stored */
};

#define EDGE_KEPT (-1) /* ra, fp: still in the register */
#define EDGE_MAX 16    /* instructions */

/*
 * Follows the first instructions of a function, COUNT of them at WORDS.  FOUND[i] holds before
 * WORDS[i].  Returns how many there are before the first that is not part of a straight line.
 */
size_t edge_prologue(const uint32_t *words, size_t count, struct edge found[EDGE_MAX]);

/*
 * Follows the instructions backwards from WORDS[LAST], if that one leaves the function.  It leaves
 * by ret, or by a jump after x30 was loaded from below the present stack pointer.  Such a jump is a
 * tail call: the return address is in x30 alone.  FOUND[i] holds before WORDS[LAST - i].  Returns
 * how many; 0 if WORDS[LAST] does not leave.
 */
size_t edge_epilogue(const uint32_t *words, size_t last, struct edge found[EDGE_MAX]);

#endif
