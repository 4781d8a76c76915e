/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_LIVE_H
#define PTOP_PERF_LIVE_LIVE_H

#include "base/error.h"
#include "perf/event/evlist.h"
#include "perf/record/source.h"

/*
 * Opens the live kernel in the best tier that privilege and machine allow.  Tier 3 always works: where
 * there is no perf at all, the source never has a record.  Events that could not be opened have
 * open_error and why set.  When `cycles` is a default and there is no such counter, the sampled event
 * becomes cpu-clock in its place.
 *
 * Returns NULL with ERR set only if an explicit wish cannot be met at all: an event of -e that no
 * tier can open, a CPU that does not exist.  The caller owns the result and closes it; EVLIST must
 * outlive it.
 */
struct source *live_source_open(struct evlist *evlist, const struct source_options *options,
				struct error *err);

/* Tries if the kernel can sum waits here (perf/bpf/kernel-waits.h).  Returns 0, or -1 with ERR set. */
int live_sums_try(struct error *err);

/* Likewise, if it can walk Python's frames (perf/bpf/kernel-python.h). */
int live_walks_try(struct error *err);

#endif
