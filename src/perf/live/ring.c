/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/ring.h"

#include <errno.h>
#include <string.h>

#define CACHE_LINE 64
#define PREFETCH_BYTES \
	1024 /* of a record: its values, and of a copied stack what most frames are in */

/*
 * Records are multiples of 8 bytes, and so is the ring: a header or a word never wraps.  A size that
 * breaks this rule is corruption.
 */
#define RECORD_ALIGN 8u

void ring_init(struct ring *r, struct perf_event_mmap_page *page, const void *data, size_t size,
	       void *bounce)
{
	*r = (struct ring){ .page = page, .data = data, .size = size, .bounce = bounce };
	r->tail = r->head = page->data_tail;
}

void ring_begin(struct ring *r)
{
	/* Pairs with the kernel's barrier before it publishes data_head: the data is there. */
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

static const unsigned char *ring_at(const struct ring *r, uint64_t position)
{
	return r->data + (position & (r->size - 1));
}

const struct perf_event_header *ring_peek(struct ring *r, int *err)
{
	uint64_t left = r->head - r->tail;
	const struct perf_event_header *header;

	*err = 0;
	if (!left)
		return NULL;
	header = (const struct perf_event_header *)ring_at(r, r->tail);
	if (left <= r->size && left % RECORD_ALIGN == 0 && header->size >= sizeof(*header) &&
	    header->size % RECORD_ALIGN == 0 && header->size <= left)
		return header;
	r->tail = r->head;
	*err = -EBADMSG;
	return NULL;
}

uint64_t ring_word(const struct ring *r, size_t offset)
{
	uint64_t word;

	memcpy(&word, ring_at(r, r->tail + offset), sizeof(word));
	return word;
}

const void *ring_record(struct ring *r)
{
	const unsigned char *start = ring_at(r, r->tail);
	size_t size = ((const struct perf_event_header *)start)->size;
	size_t straight = (size_t)(r->data + r->size - start);

	if (size <= straight)
		return start;
	memcpy(r->bounce, start, straight);
	memcpy(r->bounce + straight, r->data, size - straight);
	return r->bounce;
}

static uint64_t next_record(const struct ring *r)
{
	return r->tail + ((const struct perf_event_header *)ring_at(r, r->tail))->size;
}

void ring_prefetch(const struct ring *r)
{
	const uint64_t next = next_record(r);

	for (size_t i = 0; i < PREFETCH_BYTES && next + i < r->head; i += CACHE_LINE)
		__builtin_prefetch(ring_at(r, next + i));
}

void ring_skip(struct ring *r)
{
	r->tail = next_record(r);
}

bool ring_is_tight(const struct ring *r)
{
	return r->head - r->tail > r->size / 2;
}

void ring_end(struct ring *r)
{
	/* All our reads are done before the kernel may overwrite what they read. */
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}
