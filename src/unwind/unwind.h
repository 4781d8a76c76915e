/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_UNWIND_H
#define PTOP_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/object.h"
#include "unwind/regs.h"

/*
 * From the registers of a sample and a copy of its stack to the chain of callers.  No I/O, no
 * system call: all it needs is handed in.
 *
 * A step looks up the rule of its code address in the object's table (unwind/rule.h): where the
 * caller's stack pointer, frame pointer and return address are.  A rule that is not there is made
 * from the object's call frame information.  What does not fit a rule unwinds that sample
 * with libunwind instead, on the machine that libunwind was built for.  Where there is no call
 * frame information (JIT code), the chain of frame pointers is followed as long as it makes sense.
 *
 * Objects may lie.  A step must move up the stack, into code that is mapped; frames, and what
 * libunwind reads, are limited; so a sample takes some ten microseconds at worst, plus
 * the first look-up of each address.
 */
struct unwind_mapping {
	uint64_t start, end;          /* [start, end), executable */
	uint64_t bias;                /* unwind_object_bias() */
	struct unwind_object *object; /* borrowed; NULL: JIT code, or not loaded (yet) */
};

/* The address space: false when no executable mapping is at PC. */
struct unwind_space {
	bool (*find)(void *context, uint64_t pc, struct unwind_mapping *m);
	void *context;
};

/* PERF_SAMPLE_STACK_USER: SIZE valid bytes (dyn_size) from address START, the stack pointer, up. */
struct unwind_stack {
	const void *bytes; /* borrowed */
	size_t size;
	uint64_t start;
};

/* Why a stack ends where it does.  The names and texts are those of unwind_ends[]. */
enum unwind_end {
	UNWIND_COMPLETE,
	UNWIND_TRUNCATED,
	UNWIND_OTHER_STACK,
	UNWIND_NOT_LOADED,
	UNWIND_NO_RULE,
	UNWIND_BAD_RULE,
	UNWIND_NOT_CODE,
	UNWIND_LOOP,
	UNWIND_LIMIT,
	UNWIND_BUDGET,
	UNWIND_NO_REGISTERS,
	UNWIND_STITCHED, /* given by who completes a truncated one (unwind/stitch.h) */
	UNWIND_ENDS
};

struct unwind_end_text {
	const char *name; /* for outputs; never translated */
	const char *text; /* for people; N_() */
};

extern const struct unwind_end_text unwind_ends[UNWIND_ENDS];

struct unwind_stats { /* since unwinder_new(), only ever growing */
	uint64_t samples, frames;
	uint64_t ends[UNWIND_ENDS];
	uint64_t rules_made; /* steps whose rule was not in a table; all others were */
	uint64_t guesses;    /* leaves without a description whose caller was found on the stack */
	uint64_t fp_steps;   /* by a frame pointer, where nothing described the code */
	uint64_t fallbacks;  /* samples that libunwind unwound */
	uint64_t signal_frames;
	uint64_t leaf_callers; /* that unwind_leaf() found */
};

enum unwind_method {
	UNWIND_BY_RULES, /* and by libunwind where they do not suffice: what is described above */
	UNWIND_BY_RULES_ONLY, /* for tests */
	UNWIND_BY_LIBUNWIND,
	UNWIND_BY_FP, /* frame pointers alone */
};

/* One thread's: nothing in it is shared. */
struct unwinder;

struct unwinder *unwinder_new(enum unwind_method method);
void unwinder_free(struct unwinder *u);

/*
 * Unwinds a sample.  FRAMES, room for MAX (at least 1), gets the leaf's address and then the return
 * addresses, as the kernel's chains have them: what stands before frames[i] - 1, for i > 0, is the
 * call.  (So look up frames[i] - 1.  It is true of a function that a signal interrupted, too: that
 * one's entry is its program counter + 1.)  The number of frames; 0 only without registers.
 * *END says why there are no more.
 */
size_t unwind_sample(struct unwinder *u, const struct unwind_regs *regs,
		     const struct unwind_stack *stack, const struct unwind_space *space,
		     uint64_t *frames, size_t max, enum unwind_end *end);

/*
 * Chains of frame pointers, as the kernel follows them, begin with the program counter and go on with
 * the return address in the record that the frame pointer points at.  While the innermost function
 * has no record of its own (a leaf that needs none, the first instructions of any function and the
 * last) that one is its caller's, and so the caller is left out.
 */
enum unwind_leaf_kind {
	UNWIND_LEAF_UNKNOWN, /* nothing says it, or not without what the sample lacks */
	UNWIND_LEAF_LINKED,  /* the record is the function's own: the chain has its caller */
	UNWIND_LEAF_OMITTED, /* the chain lacks it */
};

struct unwind_leaf {
	enum unwind_leaf_kind kind;
	uint64_t caller; /* OMITTED: the return address that belongs behind the program counter */
	/*
	 * What a chain that begins with the frame pointer has there; 0: not in the copy.  One that has
	 * something else was made otherwise, and lacks nothing: newer kernels of x86 read the return
	 * address of a function at whose first instruction there is a probe.
	 */
	uint64_t next;
};

/*
 * Whose record that is, by one step by the rule of the program counter: it compares where records
 * are, not return addresses, so recursion makes no difference.  REGS as unwind_regs_of_leaf() makes
 * them.  STACK may be empty (size 0): then only a return address that is in a register for sure is
 * found.  Code without a rule is never guessed about.  Tens of nanoseconds, plus the first look-up
 * of an address.
 */
struct unwind_leaf unwind_leaf(struct unwinder *u, const struct unwind_regs *regs,
			       const struct unwind_stack *stack, const struct unwind_space *space);

/*
 * The stack pointer in each frame of the last sample, as many as it had but no more than
 * UNWIND_SPS.  Borrowed until the next sample.
 */
#define UNWIND_SPS 1024
const uint64_t *unwind_sps(const struct unwinder *u);

/*
 * For who unwinds more than there is time for: counts a sample whose stack was not looked at, as
 * UNWIND_BUDGET.
 */
void unwind_skipped(struct unwinder *u);

/* Borrowed. */
const struct unwind_stats *unwind_stats(const struct unwinder *u);

#endif
