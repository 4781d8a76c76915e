/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_RETRY_H
#define PTOP_ENGINE_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/chains.h"
#include "engine/unwinding.h"
#include "profile/histogram.h"

/*
 * Stacks that came through an object whose call frame information was still being read: of a
 * program that has just begun that is most of them.  Such a sample is counted at once, with the
 * frames that were found; a copy of what it carried lies here until the object was read, and then it
 * is moved to its whole stack.  Bounded: what finds no room, or whose process maps something else by
 * then, stays as it is.
 */
struct retry;

#define RETRY_SAMPLES	512
#define RETRY_BYTES	(4u * 1024 * 1024)

/* All borrowed. */
struct retry *retry_new(struct chains *chains, struct histogram *histogram,
			struct unwinding *unwinding);
void retry_free(struct retry *r);			/* NULL is allowed */

/*
 * Sample S, counted in the cell KEY with the stack CHAIN, which ends by END; without a user part of its
 * own the leaf's caller is what may be missing.  False: there is no room.
 */
bool retry_add(struct retry *r, const struct chain *chain, const struct cell_key *key,
	       const struct record_sample *s, enum chain_end end);

/* Objects may have been read: tries again where that is so.  ENDS as deferred_receive() has it. */
void retry_run(struct retry *r, uint64_t *ends);

/* Before processes that have exited are forgotten: how many samples of theirs were. */
size_t retry_forget_exited(struct retry *r);
void retry_clear(struct retry *r);			/* the histogram was zeroed */

#endif
