/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_UNWINDING_H
#define PTOP_NAMING_UNWINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "naming/resolve.h"
#include "perf/record/record.h"
#include "unwind/unwind.h"

/*
 * The user part of stacks, from the copies that samples carry.  It finds the objects of a process
 * that unwinding asks for, and has the loader read their call frame information.  It limits
 * unwinding to its share of the time.  It works in the collector's thread: a step takes about a
 * tenth of a microsecond, less than handing a copy of the stack to another thread.
 */
struct unwinding;

#define UNWINDING_FRAMES 1024

struct zygote;

struct unwinding_options {
	struct zygote *zygote;     /* whose workers read the files; NULL: this process does */
	struct resolver *resolver; /* all borrowed */
	struct dso_cache *objects;
	struct process_table *processes;
	const struct clock *clock;
	enum unwind_machine machine; /* that the samples are of */
	bool limited; /* to UNWINDING_SHARE of the time, choosing too, and a process and a user to a part of that; what is over it is skipped */
	bool stitch;  /* stacks that are larger than their copies (unwind/stitch.h) */
	bool no_copies;      /* only what chains of frame pointers leave out is looked for */
	bool choose;         /* per process: only where chains of frame pointers are not whole */
	uint16_t max_frames; /* 0: UNWINDING_FRAMES */
};

#define UNWINDING_SHARE 0.1 /* of one CPU */

struct unwinding *unwinding_new(const struct unwinding_options *options);

/* After dso_cache_free(), which may still have work of it.  NULL is allowed. */
void unwinding_free(struct unwinding *u);

/* The memory of what was read, and of the rules made from it, in bytes. */
uint64_t unwinding_bytes(const struct unwinding *u);

/*
 * Gives back the objects that were not used since SINCE_NS, by the clock; with BYTES also those unused for longest, until the
 * rest takes as much.  They are read again when they are wanted.
 */
void unwinding_shed(struct unwinding *u, uint64_t since_ns, uint64_t bytes);

/*
 * Returns true if the stack of a sample of P must be unwound.  It need not be if it has no copy, nor, with
 * CHOOSE, if all code that P maps keeps frame pointers: the kernel's chain is as good then.
 */
bool unwinding_is_needed(struct unwinding *u, struct process *p, const struct record_sample *s);

/*
 * The frames of the sample's stack, as the kernel tells chains: the program counter, then return
 * addresses.  Borrowed until the next call.  Their number, and why there are no more in *END.
 * TID is the thread of P whose next sample this is; 0: an older one, which is not stitched.
 */
const uint64_t *unwinding_frames(struct unwinding *u, struct process *p, uint32_t tid,
				 const struct record_sample *s, size_t *count,
				 enum unwind_end *end);

/*
 * Gets in *CALLER the return address that a chain of frame pointers skips (unwind_leaf()).  USER
 * has the first two words of the chain's user part, 0 where there is none.  *CALLER is 0 if nothing
 * is skipped, or if that is unknown.  False, with *CALLER 0: unwinding has used up its share of the
 * time.
 */
bool unwinding_leaf_caller(struct unwinding *u, struct process *p, const struct record_sample *s,
			   const uint64_t user[2], uint64_t *caller);

/*
 * unwinding_waits() returns true if the last stack passed an object that is still being read.  At
 * best, frame pointers were followed there.  unwinding_readings() returns the number of objects
 * that were read so far.
 */
bool unwinding_waits(const struct unwinding *u);
uint64_t unwinding_readings(const struct unwinding *u);

/* Returns a number that changes with the mappings of P. */
uint64_t unwinding_generation(struct unwinding *u, struct process *p);

#endif
