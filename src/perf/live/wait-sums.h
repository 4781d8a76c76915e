/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_WAIT_SUMS_H
#define PTOP_PERF_LIVE_WAIT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Waits that the kernel sums (sums.h), instead of a record of each switch.  They have all that off-cpu and run-delay need.
 * With wakers, wall-clock or latency in the list each switch is told as before: a chain of wakers, and what ran when, are
 * not in sums.
 *
 * A file of the live source: see live-state.h.  All of tier 1, and do nothing while `live.wait_sums` is NULL.
 */
struct live;

/*
 * Opens them if the options want them and the list is served by them.  0, or -1 with ERR set: ENGINE_BPF cannot be.
 * With ENGINE_AUTO source.sums_reason then says why.
 */
int wait_sums_open(struct live *l, struct error *err);

/* Drops what was summed since sums were last handed over; source.summed_ns says since when. */
void wait_sums_close(struct live *l);

/* Hands over what was summed, and closes. */
void wait_sums_end(struct live *l);

/* Returns true if all events of time in the list are told by sums. */
bool wait_sums_suffice(const struct live *l);

/* Follows the source's reduction: of so many waits of a busy thread one has its stack; 0: each has. */
uint32_t wait_sums_stack_period(struct live *l);

#endif
