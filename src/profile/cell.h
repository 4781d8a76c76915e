/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_CELL_H
#define PTOP_PROFILE_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct calltree;

/*
 * For events of time, what a cell counts.  If `wait` is B + 1: the last pieces of waits of bucket B
 * (distribution.h).  CELL_WAIT_LASTS: pieces of waits that go on.  CELL_RAN: pieces in which the
 * thread ran.
 */
enum { CELL_RAN = 0, CELL_WAIT_LASTS = 255 };

/* The key under which a sample is counted, in the histogram and in its history. */
struct cell_key {
	uint32_t process; /* process serial, see process.h */
	uint32_t tid;
	uint32_t frame;
	uint32_t
		data; /* the frame that names the mapping of the sample's data, or who ended a wait; 0 none */
	uint32_t node; /* the stack whose leaf FRAME is (calltree.h); CALL_ROOT without */
	uint16_t event;
	uint16_t cpu; /* its number + 1, while somebody looks at CPUs; 0: not told */
	uint8_t wait; /* of time: a bucket + 1, or CELL_…; 0 for others */
};

static inline bool cell_key_equal(const struct cell_key *a, const struct cell_key *b)
{
	return a->process == b->process && a->tid == b->tid && a->frame == b->frame &&
	       a->node == b->node && a->data == b->data && a->event == b->event &&
	       a->cpu == b->cpu && a->wait == b->wait;
}

static inline uint64_t cell_key_hash(const struct cell_key *key)
{
	uint64_t task = (uint64_t)key->process << 32 | key->tid;
	uint64_t place = (uint64_t)key->data << 48 ^ (uint64_t)key->event << 32 ^ key->frame;

	place ^= (uint64_t)key->node << 24 ^ (uint64_t)key->cpu << 40 ^ (uint64_t)key->wait << 56;
	return hash_u64(task * 0x9e3779b97f4a7c15u ^ place);
}

/* Returns true if KEY's node in T has a caller that is known. */
bool cell_key_has_callers(const struct cell_key *key, const struct calltree *t);

/* Returns what KEY is to become. */
typedef struct cell_key cell_renamer(void *context, const struct cell_key *key);

#endif
