/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_RETRY_H
#define PTOP_NAMING_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/chains.h"
#include "naming/unwinding.h"
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

/*
 * The same of a stack that is in no cell yet: a number above 0 to ask for it by; 0: there
 * is no room.  END is CHAIN_ENDS when how it ends is counted elsewhere.
 */
uint32_t retry_hold(struct retry *r, const struct chain *chain, const struct record_sample *s,
		    enum chain_end end);

/*
 * Objects may have been read: tries again where that is so, and moves samples to their whole stacks.
 * ENDS as deferred_receive() has it.
 */
void retry_run(struct retry *r, uint64_t *ends);

/*
 * Whether objects were read since the last time; then what is held is to be asked for.  False: it has to
 * wait longer.  Else NUMBER is forgotten, and *NODE changed where more of the stack is known by now.
 */
bool retry_is_due(struct retry *r);
bool retry_ask(struct retry *r, uint32_t number, uint32_t *node, uint64_t *ends);

/* Nobody will ask any more: what is there stays as it is. */
void retry_give_up(struct retry *r, uint64_t *ends);

/* Whether a stack from before MARK (chains_mark()) still waits. */
bool retry_waits(const struct retry *r, uint64_t mark);

/* Before processes that have exited are forgotten: how many samples of theirs were. */
size_t retry_forget_exited(struct retry *r);
void retry_clear(struct retry *r);			/* the histogram was zeroed */

#endif
