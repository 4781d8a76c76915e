/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_MEMORY_H
#define PTOP_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "proc/smaps.h"

/*
 * The memory of processes, on request.  A thread of its own reads smaps_rollup and smaps: the
 * kernel walks page tables for them, which may take long, and the rings must be drained meanwhile.
 *
 * A file is read once a second at most, and the thread's CPU time stays under 1 % of a core.  Half
 * of that is for smaps_rollup, half for smaps.  A reading that took a millisecond of CPU time makes
 * its half rest for 250.  The first reading of a process does not wait for that.
 */
struct memory;

#define MEMORY_INTERVAL_NS NS_PER_S
#define MEMORY_REST 250   /* times what a reading cost */
#define MEMORY_NAMES 4096 /* of mappings; those of more are "[others]" */

/* Both are borrowed. */
struct memory *memory_new(const struct procfs *procfs, const struct clock *clock);
void memory_free(struct memory *m); /* ends the thread; NULL is allowed */

struct memory_wish {
	uint32_t pid, serial; /* of the process, so that another one with its pid is told */
};

/*
 * From now on these are read, the first one before the others, and with MAPPINGS its smaps, too.
 * The results of earlier wishes stay.  COUNT 0: the thread rests.
 */
void memory_want(struct memory *m, const struct memory_wish *wishes, size_t count, bool mappings);

/* The process has another program: what is known of it is not true any more. */
void memory_forget(struct memory *m, uint32_t serial);

struct memory_answer {
	struct smaps_usage usage;
	int error;        /* negative errno of the last reading; 0 */
	uint64_t read_ns; /* by the clock; 0: not yet */
	uint64_t merged;  /* of mappings: those under "[others]" */
};

/* Gets the results for the process; false if it is not wished for. */
bool memory_find(struct memory *m, uint32_t serial, struct memory_answer *out);

/*
 * Mappings of the process, folded by path; RECEIVE is called with each, under the lock.  Its usage in
 * all in *OUT.  false when they are not wished for.
 */
typedef void memory_receiver(void *context, const char *path, uint64_t count,
			     const struct smaps_usage *usage);
bool memory_mappings(struct memory *m, uint32_t serial, memory_receiver *receive, void *context,
		     struct memory_answer *out);

#endif
