/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RING_H
#define PTOP_PERF_LIVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

/*
 * A window on one kernel ring buffer (perf_event_open(2), "MMAP layout").  Memory only: no system
 * call here.  The kernel moves data_head, we move data_tail, both only ever grow; what lies between
 * is ours to read.
 *
 *	ring_begin(r);
 *	while (ring_peek(r, &err)) {
 *		use(ring_record(r));
 *		ring_skip(r);
 *	}
 *	ring_end(r);
 */
struct ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t size; /* of the data in bytes, a power of two */
	uint64_t head; /* where the window ends: data_head at ring_begin() */
	uint64_t tail; /* what was consumed; the kernel learns it at ring_end() */
	unsigned char *bounce;
};

#define RING_RECORD_MAX 65536 /* perf_event_header.size has 16 bits */

/*
 * PAGE is the mapping's first page, DATA its data part of SIZE bytes; BOUNCE has RING_RECORD_MAX
 * bytes and may be shared by rings that are read one after the other.  All are borrowed.
 */
void ring_init(struct ring *r, struct perf_event_mmap_page *page, const void *data, size_t size,
	       void *bounce);

/* Fixes the window: what the kernel writes from now on is for the next time. */
void ring_begin(struct ring *r);

/*
 * The header of the next record, in place; the record behind it may wrap around.  NULL when the
 * window is empty (*ERR 0), or when the bytes cannot be a record (*ERR -EBADMSG).  In the latter
 * case the whole window has been dropped, because the next record's start cannot be found.
 */
const struct perf_event_header *ring_peek(struct ring *r, int *err);

/* Word at byte OFFSET of the record that ring_peek() just returned; OFFSET is a multiple of 8. */
uint64_t ring_word(const struct ring *r, size_t offset);

/*
 * The record that ring_peek() just returned in one piece of header.size bytes.  Valid until the
 * next use of the same bounce buffer, and no longer than until ring_end().
 */
const void *ring_record(struct ring *r);

/*
 * Has the CPU fetch the record behind the one that ring_peek() just returned, while that is read.  The kernel has written
 * it on another CPU, maybe, so each line of it would be waited for.
 */
void ring_prefetch(const struct ring *r);

/* Consumes the record that ring_peek() just returned. */
void ring_skip(struct ring *r);

/* Returns true if the window that ring_begin() fixed is more than half of the ring. */
bool ring_is_tight(const struct ring *r);

/* Gives the consumed space back to the kernel: one store, however many records it were. */
void ring_end(struct ring *r);

#endif
