/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNWIND_TRACER_H
#define PTOP_TESTS_UNWIND_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

/*
 * Truth about stacks that needs no unwinder: runs a program one instruction at a time and keeps its
 * call path, by watching the stack pointer.  A call is an instruction that leaves the address
 * behind itself, a return is one that leaves the stack above it.  The same rule covers other moves
 * of the stack: tail calls, longjmp, exceptions, alloca.  A signal's handler is entered where the
 * kernel says.
 */
struct tracer_place {
	struct unwind_regs regs;
	struct unwind_stack stack;
	const uint64_t *truth; /* as unwind_sample() would give them, the leaf first */
	size_t depth;
	bool from_start;  /* the truth goes down to _start; else only to where the trap was */
	bool rewritten;   /* a return address is not what its call left: exceptions do that */
	bool other_stack; /* some of it is on a stack that the copy cannot have */
	const struct objects_space *space;
};

/* Called at every STRIDE-th instruction, counted in all threads that are followed: the first. */
typedef void tracer_receiver(void *context, const struct tracer_place *place);

struct tracer_options {
	unsigned stride;
	size_t stack_bytes; /* how much of it is copied, at most */
	bool from_trap;     /* begin where the program traps, in a function that never returns */
	struct objects *objects;
	tracer_receiver *receive;
	void *context;
};

/*
 * Runs ARGV up to its end.  Its exit status, 128 + a signal that killed it, or -1 when it could not
 * be traced.  *STEPS: its instructions.
 */
int tracer_run(char *const argv[], const struct tracer_options *options, uint64_t *steps);

#endif
