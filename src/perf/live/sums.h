/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_SUMS_H
#define PTOP_PERF_LIVE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/bpf/kernel-waits.h"

/*
 * Waits that the kernel sums (perf/bpf/kernel-waits.h), instead of a record of each switch.  They have all that
 * off-cpu and run-delay need.  With wakers, wall-clock or latency in the list each switch is told as before: a chain of
 * wakers, and what ran when, are not in sums.
 *
 * They are opened with the source, while ptop has all its privileges, or not at all.  With -p, and for a
 * command, the kernel leaves out most other processes.  The receiver takes those that it wants, as it does with records.
 *
 * A file of the live source: see live-state.h.  All of tier 1, and do nothing while `live.sums` is NULL.
 */
struct live;

/* Tries if the kernel sums waits at all.  Returns 0, or -1 with ERR set. */
int sums_try(struct error *err);

/*
 * Has the kernel begin to sum PART, for the options of L.  *BEGUN is owned by the caller; or it is NULL, and *REASON, owned,
 * says why.  Returns 0, or -1 with ERR set: ENGINE_BPF cannot be.
 */
int sums_begin(struct live *l, enum kernel_waits_part part, struct kernel_waits **begun,
	       char **reason, struct error *err);

/*
 * Opens them if the options want them and the list is served by them.  0, or -1 with ERR set: ENGINE_BPF cannot be.
 * With ENGINE_AUTO source.sums_reason then says why.
 */
int sums_open(struct live *l, struct error *err);

/* Drops what was summed since sums were last handed over; source.summed_ns says since when. */
void sums_close(struct live *l);

/* Returns true if all events of time in the list are told by sums. */
bool sums_suffice(const struct live *l);

/* Hands over what was summed: now, or after a drain at NOW_NS if that is due. */
void sums_settle(struct live *l);
void sums_drained(struct live *l, uint64_t now_ns);

/* Hands over what was summed, and closes.  source.stats.lost_waits counts those that cannot be taken. */
void sums_end(struct live *l);

/* Follows the source's reduction: of so many waits of a busy thread one has its stack; 0: each has. */
uint32_t sums_stack_period(struct live *l);

void sums_run(struct live *l, bool run);

#endif
