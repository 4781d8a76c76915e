/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_SUMS_H
#define PTOP_PERF_LIVE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/bpf/kernel-waits.h"

/*
 * A live source has the kernel sum (perf/bpf/kernel-waits.h) waits (wait-sums.h), and system calls (call-sums.h).
 * Both are handed over once a second, when an interval ends, and at their end.  Losses are counted in source.stats.
 *
 * Both are opened with the source, while ptop has all its privileges, or not at all.  With -p, and for a command, the kernel
 * leaves out most other processes.  The receiver takes those that it wants, as it does with records.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct live;

/* One of the two.  It is in `live.sums` from its opening until it is closed. */
struct sums {
	struct kernel_waits *kernel;    /* owned */
	kernel_waits_receiver *receive; /* takes one sum; its context is the struct live */
	uint32_t moments;    /* so many moments that are not followed are one that is lost */
	uint64_t settled_ns; /* up to then they are handed over; CLOCK_MONOTONIC */
	uint64_t tried_ns;   /* when that was last tried */
	uint64_t lost, estimated, stacks; /* as last told */
};

/* Tries if the kernel sums waits at all.  Returns 0, or -1 with ERR set. */
int sums_try(struct error *err);

/*
 * Has the kernel begin to sum PART for S, whose RECEIVE and MOMENTS are set, or says in *REASON, owned, why not: OBSTACLE, or what
 * the kernel says.  Returns 1, 0 if it sums nothing, or -1 with ERR set: ENGINE_BPF cannot be.
 */
int sums_begin(struct live *l, struct sums *s, enum kernel_waits_part part, const char *obstacle,
	       char **reason, struct error *err);

/* Ends S without handing anything over. */
void sums_fini(struct sums *s);

/* Hands over what S has, for the last time.  sums_fini() follows. */
void sums_end(struct live *l, struct sums *s);

/* Hands over what was summed: now, LAST as source_ops.settle() says, or after a drain at NOW_NS if that is due. */
void sums_settle(struct live *l, bool last);
void sums_drained(struct live *l, uint64_t now_ns);

void sums_run(struct live *l, bool run);

#endif
