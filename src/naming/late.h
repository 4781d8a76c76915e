/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_LATE_H
#define PTOP_NAMING_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/chains.h"
#include "naming/unwinding.h"
#include "perf/record/record.h"
#include "profile/histogram.h"

/*
 * Stacks whose rest comes later.  A sample is counted at once, with what is known of its stack.  A copy
 * of what it carried lies here until the rest is known; then the sample is moved to its whole stack.
 * There are two reasons to wait:
 *
 *   a cookie	The sample was taken in the kernel, which tells the user part before the task goes back
 *		to user space (Linux 6.19): one CALLCHAIN_DEFERRED record for all samples with that cookie.
 *   an object	Its call frame information is still being read.  In a program that has just begun that
 *		is so for most stacks.
 *
 * Bounded.  A sample stays as it is when it finds no room, when its task ends before, or when its
 * process maps something else by then.  If samples with a cookie find no room, the oldest ones make
 * room.
 */
struct late;

#define LATE_COOKIES 1024             /* samples that wait for one */
#define LATE_OBJECTS 1024             /* stacks that wait for one */
#define LATE_BYTES (8u * 1024 * 1024) /* of the latter */

/* Both are borrowed. */
struct late *late_new(struct chains *chains, struct histogram *histogram);
void late_free(struct late *l); /* NULL is allowed */

/* Borrowed.  Without it no stack waits for an object. */
void late_set_unwinding(struct late *l, struct unwinding *unwinding);

/*
 * By enum chain_end: how the stacks of the interval ended, CHAIN_ENDS of them.  Each stack is counted
 * once, when it is known or given up.
 */
const uint64_t *late_ends(const struct late *l);

/*
 * Sample S was counted in the cell KEY COUNT times with the stack CHAIN, which ends by END.  WAITS: for an object;
 * without a user part of its own the leaf's caller is what may be missing.
 */
void late_add(struct late *l, const struct chain *chain, const struct cell_key *key, uint32_t count,
	      const struct record_sample *s, enum chain_end end, bool waits);

/*
 * The same for a stack that is in no cell.  With WAITS a number above 0 to ask for it by; 0: it does not
 * wait, or there is no room.  END is CHAIN_ENDS when how it ends is counted elsewhere.
 */
uint32_t late_hold(struct late *l, const struct chain *chain, const struct record_sample *s,
		   enum chain_end end, bool waits);

/* A CALLCHAIN_DEFERRED record of LAYOUT came. */
void late_receive(struct late *l, const struct record *r, const struct record_layout *layout);

/*
 * Looks whether objects were read since the last time, and then tries all stacks in cells again.  True:
 * some were read, and who holds numbers shall ask.
 */
bool late_read(struct late *l);

/*
 * False: the stack NUMBER has to wait longer.  Else NUMBER is forgotten, and *NODE changed where more of
 * the stack is known by now.
 */
bool late_ask(struct late *l, uint32_t number, uint32_t *node);

/* Nobody will ask for numbers any more.  COUNTED: their stacks are counted as they are. */
void late_give_up(struct late *l, bool counted);

/* Returns true if a stack from before MARK (chains_mark()) still waits for an object. */
bool late_waits(const struct late *l, uint64_t mark);

/* Before processes that have exited are forgotten: an interval is over. */
void late_next_interval(struct late *l);

void late_clear(struct late *l); /* the histogram was zeroed; numbers stay */

#endif
