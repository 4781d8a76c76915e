/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_STACK_H
#define PTOP_UNWIND_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The inputs of a walk up a stack: a sample's registers and copy, the mappings of its code.  And
 * the reasons for its end.
 */
struct unwind_object;

struct unwind_mapping {
	uint64_t start, end;          /* [start, end), executable */
	uint64_t bias;                /* unwind_object_bias() */
	struct unwind_object *object; /* borrowed; NULL: JIT code, or not loaded (yet) */
};

/* Finds the executable mapping at PC in the address space.  Returns false if there is none. */
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

/* Why a stack ends.  The names and texts are those of unwind_ends[]. */
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
	UNWIND_STITCHED, /* set by the code that completes a truncated stack (unwind/stitch.h) */
	UNWIND_ENDS
};

struct unwind_end_text {
	const char *name; /* for outputs; never translated */
	const char *text; /* for people; N_() */
};

#endif
