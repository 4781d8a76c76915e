/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_HISTORY_H
#define PTOP_PROFILE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/calltree.h"
#include "profile/cell.h"

/*
 * The past of a histogram: slices of time, each with the cells that grew in it and by how much.
 * Any range of slices can be summed up as if it alone had been measured.  A histogram that was
 * given one (histogram_set_history()) passes on all that changes it.  One thread.
 *
 * Bounded in two ways.  In time: slices that are older than KEEP_NS go; with KEEP_NS 0 none goes,
 * and when there are more than SLICES all become twice as wide.  In memory: if they take more than
 * BYTES, the oldest eighth of the slices loses its functions.  Where the same keys come again and again, as in
 * recordings, neighbours among the older half merge in pairs before.  In the end processes go as well.  The rest is
 * under FRAME_REST, and `merged` counts those samples.
 *
 * Counter values at the samples of a cell (histogram_set_values()) are not kept, so a function of
 * the past has no IPC; tasks have.  It would be seven numbers a key and slice beside an entry of 16
 * bytes.  Two busy CPUs make some 600 entries a second without stacks and 1 700 with them.  Ten
 * minutes of these take 6 and 16 MiB; with such numbers, of four bytes each, 17 and 45.  So BYTES
 * would keep a third of the time, and less with more CPUs.  They would also have to move, and be
 * renamed, with samples whose symbols come later, for which an entry only knows how many these
 * were.
 */
struct history;

struct history_options {
	uint64_t width_ns; /* of a slice, at first; slices begin at its multiples */
	uint64_t keep_ns;  /* 0: all */
	size_t slices;     /* the most there are; at least 16 */
	size_t bytes;      /* the most they take, within a tenth; at least 256 KiB */
};

struct history *history_new(const struct history_options *options);
void history_free(struct history *h); /* NULL is allowed */

/* When a record of TIME_NS is counted.  No clock tells a later time than half of what 64 bits hold. */
static inline uint64_t history_time(uint64_t time_ns)
{
	return time_ns < UINT64_MAX / 2 ? time_ns : UINT64_MAX / 2;
}

/*
 * COUNT samples at TIME_NS, whose periods are PERIOD together.  In no slice where the newest ended long ago: one is made.  A time
 * that lies between two older slices is counted in the next one.
 *
 * *KNOWN is the key's number as an earlier call said it, or any other: the key is at hand there, or is looked for.
 */
void history_add(struct history *h, const struct cell_key *key, uint32_t *known, uint32_t count,
		 uint64_t period, uint64_t time_ns);

/*
 * A task counted VALUE of EVENT until TIME_NS, at most: its process's serial, its tid.  It comes out of
 * history_sum() as the period of a key whose frame is FRAME_NONE, and is no sample.
 */
void history_count(struct history *h, uint32_t process, uint32_t tid, uint16_t event,
		   uint64_t value, uint64_t time_ns);

/* As the histogram's functions of these names do, in all slices; the newest samples move first. */
void history_move(struct history *h, const struct cell_key *from, const struct cell_key *to,
		  uint64_t samples, uint64_t period);
void history_rename(struct history *h, cell_renamer *rename, void *context);
void history_zero(struct history *h);

/*
 * Takes their callers from the older half of the keys that have some, by the time of their last sample.  T has
 * their nodes.
 */
void history_give_up_callers(struct history *h, struct calltree *t);

/* Sets KEEP's bytes of the nodes that are in use. */
void history_mark(const struct history *h, unsigned char *keep);

struct history_slice {
	uint64_t from_ns, to_ns; /* to: behind it */
	const uint64_t *samples; /* by event; borrowed until a change */
	size_t events;           /* of higher ones it has none */
};
size_t history_slices(const struct history *h);
struct history_slice history_slice(const struct history *h, size_t i); /* the oldest is 0 */

/*
 * Each key that has something in the slices that overlap FROM_NS to TO_NS, once, with its sums there.
 * The receiver changes nothing.
 */
typedef void history_receiver(void *context, const struct cell_key *key, uint64_t samples,
			      uint64_t period);
void history_sum(struct history *h, uint64_t from_ns, uint64_t to_ns, history_receiver *receive,
		 void *context);

/* Walks the keys, maybe some that no slice has any more: as histogram_next(). */
const struct cell_key *history_next(const struct history *h, size_t *cursor);

/* Becomes coarser, as if it could have no more than BYTES. */
void history_shed(struct history *h, size_t bytes);

uint64_t history_merged(const struct history *h); /* samples that lost their function */
size_t history_bytes(const struct history *h);    /* memory held */

#endif
