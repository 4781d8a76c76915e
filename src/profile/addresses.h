/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_ADDRESSES_H
#define PTOP_PROFILE_ADDRESSES_H

#include <stdint.h>

#include "profile/histogram.h"

/*
 * The places of samples in their objects, in a histogram of its own.  Its cells are places in code
 * instead of functions.  They decay, are merged and are forgotten as cells of functions are.  A
 * place needs no name here: symbols may come later, or change.
 */

struct address_key {
	uint32_t process, tid; /* as struct cell_key */
	uint16_t event, cpu;
	uint32_t object;  /* below UINT32_MAX - 1 */
	uint64_t address; /* in it: a file's offset; absolute for the kernel and JIT code */
};

/* The lowest numbers of frames are no function's: FRAME_REST marks what was merged. */
#define ADDRESSES_FIRST 2u

/* The cell of a sample that KEY counts in a function. */
static inline struct cell_key address_cell(const struct cell_key *key, uint32_t object,
					   uint64_t address)
{
	struct cell_key cell = *key;

	cell.frame = object + ADDRESSES_FIRST;
	cell.data = (uint32_t)(address >> 32);
	cell.node = (uint32_t)address;
	cell.wait = 0;
	return cell;
}

/* `object` is 0 in what was merged. */
static inline struct address_key address_of_cell(const struct cell_key *c)
{
	return (struct address_key){
		.process = c->process,
		.tid = c->tid,
		.event = c->event,
		.cpu = c->cpu,
		.object = c->frame < ADDRESSES_FIRST ? 0 : c->frame - ADDRESSES_FIRST,
		.address = (uint64_t)c->data << 32 | c->node,
	};
}

/*
 * All of them as they were at one moment, for who later asks where in a function samples were then.
 * Shared by reference, as code is (profile/code.h), and not changed by anybody.
 */
struct address_sum {
	struct address_key key;
	double samples, period; /* with decay, as cells have them */
};

struct address_sums {
	unsigned references;
	size_t count;
	struct address_sum items[]; /* in no order */
};

struct address_sums *address_sums_new(const struct histogram *h); /* a reference */
struct address_sums *address_sums_alloc(size_t room);             /* one with none yet */
struct address_sums *address_sums_get(struct address_sums *a);    /* another; NULL is allowed */
void address_sums_put(struct address_sums *a);                    /* likewise */

#endif
