/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_PYTHON_NAMES_H
#define PTOP_NAMING_PYTHON_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "perf/record/record.h"
#include "perf/record/source.h"
#include "proc/process.h"
#include "proc/procfs.h"
#include "profile/frame.h"
#include "runtime/python.h"

/*
 * The Python functions of a sample's stack.  The kernel copies the C stack at the moment of the sample.  The
 * frames of the interpreter are elsewhere in memory.  Where the kernel runs our program (perf/bpf/kernel-python.h) samples
 * bring them, but for a thread's first one.  These are exact, and only names are read.
 *
 * Otherwise, and for a sample whose frames the program could not read, they are read when the record is looked at, some
 * milliseconds later.  By then the thread has run on.  So a reading is a claim, and what the sample has decides:
 *
 *   - The C stack has the address of the innermost frame of each entry into the evaluator.  All must be those
 *     that were read.  Before 3.11 it is not known where; they are searched for, from the innermost outwards.
 *   - The evaluator keeps an address within the instructions of the function that runs, on its stack or in a
 *     register of the sample.  It must be of the code object that was read.
 *   - The callers within an entry have left no trace on the C stack.  They must have been the same in the reading
 *     before the sample, too.
 *
 * The caller compares the number of entries with the native frames of the evaluator.  A stack that fails in one
 * of these keeps its native frames, and is counted: no frame is ever guessed.  Callers that changed and
 * changed back between two readings are what can still be wrong.
 *
 * Nothing foreign is trusted: one process has PYTHON_SHARE of the time, all together twice as much.  That is for looking
 * at what it maps, for the search of its interpreter whenever that changes, and for readings.  64 processes are read
 * at a time; one that runs keeps its place.
 */
struct python_names;

#define PYTHON_SHARE 0.02 /* of one CPU */

struct python_names_options {
	struct process_table *processes; /* all borrowed */
	const struct procfs *procfs;
	struct frame_table *frames;
	const struct clock *clock;
	/* Brings the frames with the samples of threads that it is told; NULL, or it cannot: they are read. */
	struct source *walker;
	/* Reads the memory of a process, as process_vm_readv(2) does; NULL: that. */
	bool (*read)(void *context, uint32_t pid, uint64_t address, void *to, size_t size);
	void *context;
};

struct python_names *python_names_new(const struct python_names_options *options);
void python_names_free(struct python_names *n); /* NULL is allowed */

/* The functions of a stack, in place of its calls of the evaluator, the innermost first. */
struct python_calls {
	size_t entries;               /* calls of the evaluator */
	bool walked;                  /* the kernel walked them when the sample was taken */
	uint16_t ends[PYTHON_LEVELS]; /* by entry: the end of its functions in FRAMES */
	uint32_t frames[PYTHON_FRAMES];
};

/*
 * Returns true if P runs CPython, as what it maps is called.  Then *CALLS are the functions of R, a sample of thread TID
 * whose time is of CLOCK_MONOTONIC; borrowed until the next call; NULL: it is not sure.
 */
bool python_names_find(struct python_names *n, struct process *p, uint32_t tid,
		       const struct record *r, const struct python_calls **calls);

/*
 * IP, or that of the evaluator if IP is in its part that has no name.  That part is known of a process since
 * python_names_find() found its interpreter.
 */
uint64_t python_names_address(const struct process *process, uint64_t ip);

/*
 * Returns true if Python was read since the last call: then records should be looked at soon, because readings age.
 */
bool python_names_are_wanted(struct python_names *n);

#endif
