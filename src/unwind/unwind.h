/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_UNWIND_H
#define PTOP_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/regs.h"
#include "unwind/stack.h"
#include "unwind/unwind-object.h"

/*
 * From a sample's registers and stack copy to its chain of callers.  No I/O, no system call: the
 * caller passes in all that is needed.
 *
 * A step looks up the rule of its code address in the object's table (unwind/rule.h).  The rule
 * says where the caller's stack pointer, frame pointer and return address are.  Without call frame
 * information (JIT code), the chain of frame pointers is followed as long as it makes sense.
 *
 * Objects may lie.  A step must go up the stack, into mapped code.  Frames are limited.  So a sample takes
 * some ten microseconds at worst.
 */

/* The names and texts of all ends. */
extern const struct unwind_end_text unwind_ends[UNWIND_ENDS];

struct unwind_stats { /* since unwinder_new(); never decrease */
	uint64_t samples, frames;
	uint64_t ends[UNWIND_ENDS];
	uint64_t guesses;  /* leaves without a description whose caller was found on the stack */
	uint64_t fp_steps; /* steps by a frame pointer, because nothing described the code */
	uint64_t signal_frames;
	uint64_t leaf_callers; /* callers that unwind_leaf() found */
};

enum unwind_method {
	UNWIND_BY_RULES, /* as described above */
	UNWIND_BY_FP,    /* frame pointers only */
};

/* For one thread; shares nothing. */
struct unwinder;

struct unwinder *unwinder_new(enum unwind_method method);
void unwinder_free(struct unwinder *u);

/*
 * Unwinds a sample.  FRAMES has room for MAX (at least 1).  It gets the leaf's address and then the
 * return addresses, as in the kernel's chains.
 *
 * For i > 0 the call ends at frames[i] - 1, so look up frames[i] - 1.  This is right for a function
 * that a signal interrupted, too: its entry is its program counter + 1.
 *
 * Returns the number of frames; 0 only without registers.  *END says why there are no more.
 */
size_t unwind_sample(struct unwinder *u, const struct unwind_regs *regs,
		     const struct unwind_stack *stack, const struct unwind_space *space,
		     uint64_t *frames, size_t max, enum unwind_end *end);

/*
 * The frame that a chain of frame pointers, as the kernel follows it, lacks behind its leaf.
 *
 * Such a chain begins with the program counter.  Then comes the return address in the record that
 * the frame pointer points at.  That record is the caller's while the innermost function has none
 * of its own: in a leaf that needs none, and in the first and last instructions of any function.
 * The chain then leaves out the caller.
 */
enum unwind_leaf_kind {
	UNWIND_LEAF_UNKNOWN, /* unknown, or only known with data that the sample lacks */
	UNWIND_LEAF_LINKED,  /* the record is the function's own: the caller is in the chain */
	UNWIND_LEAF_OMITTED, /* the caller is not in the chain */
};

struct unwind_leaf {
	enum unwind_leaf_kind kind;
	uint64_t
		caller; /* for OMITTED: the return address that belongs behind the program counter */
	/*
	 * The second address of a chain that follows the frame pointer; 0: not in the copy.  A
	 * chain with another second address was made differently, and lacks nothing.  Newer kernels
	 * of x86 read the return address of a function that has a probe at its first instruction.
	 */
	uint64_t next;
};

/*
 * Decides whose record it is, with one step by the rule of the program counter.  It compares the
 * places of records, not return addresses, so recursion makes no difference.  REGS are as from
 * unwind_regs_of_leaf().  STACK may be empty (size 0): then a return address is found only if it is
 * certainly in a register.
 *
 * There is no guess for code without a rule.  Takes tens of nanoseconds.
 */
struct unwind_leaf unwind_leaf(struct unwinder *u, const struct unwind_regs *regs,
			       const struct unwind_stack *stack, const struct unwind_space *space);

/*
 * The stack pointer in each frame of the last sample, for at most UNWIND_SPS frames.  Borrowed
 * until the next sample.
 */
#define UNWIND_SPS 1024
const uint64_t *unwind_sps(const struct unwinder *u);

/* Counts a sample that the caller had no time to unwind, as UNWIND_BUDGET. */
void unwind_skipped(struct unwinder *u);

/* Borrowed. */
const struct unwind_stats *unwind_stats(const struct unwinder *u);

#endif
