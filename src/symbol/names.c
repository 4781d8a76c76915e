/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CHUNK_BYTES ((size_t)1 << NAMES_CHUNK_BITS)

struct names *names_new(size_t bytes_max)
{
	struct names *n = mem_alloc(sizeof(*n));

	n->bytes_max = bytes_max;
	return names_hold(n);
}

struct names *names_hold(struct names *n)
{
	atomic_fetch_add(&n->holders, 1);
	return n;
}

void names_release(struct names *n)
{
	if (!n || atomic_fetch_sub(&n->holders, 1) > 1)
		return;
	for (size_t i = 0; i < n->count; i++)
		free(n->chunks[i]);
	free(n->chunks);
	free(n);
}

uint32_t names_add(struct names *n, const char *text, size_t size)
{
	char *here;

	size = strnlen(text, size < NAMES_TEXT_MAX ? size : NAMES_TEXT_MAX);
	if (!n->count || n->used + size + 1 > CHUNK_BYTES) {
		if (n->count >= n->bytes_max / CHUNK_BYTES)
			return NAMES_FULL;
		mem_grow((void **)&n->chunks, &n->capacity, n->count + 1, sizeof(*n->chunks));
		n->chunks[n->count++] = mem_alloc(CHUNK_BYTES);
		n->used = 0;
	}
	here = n->chunks[n->count - 1] + n->used;
	memcpy(here, text, size);
	here[size] = '\0';
	n->used += size + 1;
	return (uint32_t)((n->count - 1) << NAMES_CHUNK_BITS | (n->used - size - 1));
}

void names_trim(struct names *n)
{
	char *last;

	if (!n->count)
		return;
	last = realloc(n->chunks[n->count - 1], n->used);
	if (last)
		n->chunks[n->count - 1] = last;
}

size_t names_bytes(const struct names *n)
{
	if (!n->count)
		return 0;
	return (n->count - 1) * CHUNK_BYTES + n->used + n->capacity * sizeof(*n->chunks);
}

size_t names_text_bytes(const struct names *n)
{
	return n->count ? (n->count - 1) * CHUNK_BYTES + n->used : 0;
}
