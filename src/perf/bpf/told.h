/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_TOLD_H
#define PTOP_PERF_BPF_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/bpf/wait-layout.h"

/*
 * Waits that go on when an interval ends: their part of it was told, and is taken off the whole that the kernel
 * reports when they end.  No system call here.
 *
 * The kernel reports a wait of which something can have been told by itself, with its start (wait_key.since_ns).
 */
struct told;

struct told *told_new(void);
void told_free(struct told *d); /* NULL is allowed */

/*
 * The wait of T, the thread TID, goes on: adds it up to UNTIL_NS.  Sets ONE to what was not told before, with count 0.
 * Returns false if that is nothing.
 */
bool told_add(struct told *d, uint32_t tid, const struct wait_thread *t, uint64_t until_ns,
	      struct wait_sum *one);

/* Takes off SUM, of the waits of KEY, what was told of them; their longest times stay whole. */
void told_take(struct told *d, const struct wait_key *key, struct wait_sum *sum);

/*
 * An interval ends: call after told_add() for all threads.  Forgets waits that were not added in this interval and the
 * one before: they have ended, and told_take() saw their sums.
 */
void told_next(struct told *d);

#endif
