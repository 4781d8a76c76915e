/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_DEFERRED_H
#define PTOP_NAMING_DEFERRED_H

#include <stddef.h>
#include <stdint.h>

#include "naming/chains.h"
#include "perf/record/record.h"
#include "profile/histogram.h"

/*
 * Stacks whose user part comes later (Linux 6.19): a sample that was taken in the kernel has a cookie in
 * its place, and before the task goes back to user space one CALLCHAIN_DEFERRED record tells the
 * user part of all its samples with that cookie.
 *
 * Such a sample is counted at once, with what is known of its stack; here lies what is needed to move it
 * to the whole stack.  Bounded: of the samples that find no room, or whose task ends before, the user
 * part stays unknown.
 */
struct deferred;

#define DEFERRED_SAMPLES 1024

/* Both borrowed. */
struct deferred *deferred_new(struct chains *chains, struct histogram *histogram);
void deferred_free(struct deferred *d);			/* NULL is allowed */

/* Whether the user part of a sample's stack will come later; and its cookie. */
bool deferred_is_due(const struct chain *chain, uint64_t *cookie);

/* A sample of PERIOD was counted in the cell KEY.  How many others were forgotten for room: 0 or 1. */
size_t deferred_add(struct deferred *d, const struct chain *chain, const struct cell_key *key,
		    uint64_t period);

/*
 * A CALLCHAIN_DEFERRED record of LAYOUT came: moves its samples.  ENDS, of CHAIN_ENDS, is increased for
 * each by how its stack ends.
 */
void deferred_receive(struct deferred *d, const struct record *r,
		      const struct record_layout *layout, uint64_t *ends);

/* Before processes that have exited are forgotten: how many samples of theirs were. */
size_t deferred_forget_exited(struct deferred *d);
void deferred_clear(struct deferred *d);		/* the histogram was zeroed */

#endif
