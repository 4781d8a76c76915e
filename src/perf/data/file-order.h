/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_ORDER_H
#define PTOP_PERF_DATA_FILE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/data/file-input.h"

/*
 * Puts records in the order of their times.  A recording has one CPU's buffer after the other, each
 * in order or from its newest record to its oldest.  The queue keeps such runs apart and merges
 * them, so a record costs a comparison or two.  Records of one time keep the order of the file.
 * Inside perf/ only.
 */
struct file_order;

struct order_entry {
	uint64_t time_ns;
	uint64_t sequence;         /* ascending in the order of the file */
	const unsigned char *data; /* in BLOCK */
	struct file_block *block;  /* held by the entry */
	int event;                 /* for the owner's use */
};

struct file_order *file_order_new(void);
void file_order_free(struct file_order *o); /* releases what is queued; NULL is allowed */

/* Takes over the hold on E's block.  Not when the queue is full.  FALLING: times may fall in a buffer. */
void file_order_add(struct file_order *o, const struct order_entry *e, bool falling);

/*
 * It would take too much to hold more: as many records as a few rounds of hundreds of CPUs have, or
 * times that fall and fall.  The oldest must then be taken although older ones may follow.
 */
bool file_order_full(const struct file_order *o);
size_t file_order_count(const struct file_order *o);

/* The oldest, if it is not after LIMIT_NS: its block's hold is the caller's now.  False: none. */
bool file_order_next(struct file_order *o, uint64_t limit_ns, struct order_entry *e);

#endif
