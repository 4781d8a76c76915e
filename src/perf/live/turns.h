/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TURNS_H
#define PTOP_PERF_LIVE_TURNS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Groups that never run.  That a group does not fit the PMU is seen in two ways.  The kernel
 * refuses one more member with EINVAL; then the plan (plan.h) starts the next group.  Or the group
 * opens and never runs.  The kernel does not count disabled events when another one is added, nor
 * counters that the NMI watchdog or another profiler has pinned.  Then all hardware events are
 * spread over groups of half its size.
 *
 * A file of the live source: see live-state.h.
 */
struct live;
struct groups;

/* Longer than it takes until each of several profilers had its turn. */
#define TURNS_PATIENCE_NS 100000000u

/*
 * Returns the first group of G that has been enabled for PATIENCE_NS of its own time without running, or -1.
 * Asks the kernel if need be.
 */
int turns_look(const struct live *l, struct groups *g, uint64_t patience_ns);

/* The same by the totals that were last read, without asking. */
int turns_look_again(const struct live *l, struct groups *g, uint64_t patience_ns);

/*
 * G has just been started: splits what does not run at once, so that no interval begins without
 * values.  That costs one read of each group when all run, else 20 ms each time it halves them.
 */
void turns_settle(struct live *l, struct groups *g);

/*
 * Makes the plan by opening all groups as *LIKE says (its pid, cpu, flags, counts_only) for a
 * moment.  Groups that are opened afterwards are as planned from the start.  A software leader that
 * hardware events joined later would stay in the hardware context and take turns with it (Linux
 * 6.18).
 */
void turns_try(struct live *l, const struct groups *like);

/* Group GROUP starves: splits it, or says that nothing helps. */
void turns_relieve(struct live *l, size_t group);

#endif
