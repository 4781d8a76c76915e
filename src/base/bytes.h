/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_BYTES_H
#define PTOP_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The only bounds-checked reader of foreign bytes (records, files).  A read past the end yields 0
 * and sets `failed`, which stays set.  A parser reads a whole structure and checks `failed` once at
 * its end.
 */
struct bytes {
	const unsigned char *at;
	size_t left;
	bool swap; /* the data has the other byte order */
	bool failed;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
	return (struct bytes){ .at = data, .left = size };
}

/*
 * Returns the next SIZE bytes in place, borrowed from the data.  Returns NULL and sets `failed` if
 * fewer are left.
 */
static inline const void *bytes_take(struct bytes *b, size_t size)
{
	const unsigned char *here = b->at;

	if (size > b->left) {
		b->failed = true;
		b->left = 0;
		return NULL;
	}
	b->at = size ? here + size : here; /* which may be NULL */
	b->left -= size;
	return here;
}

/* Consumes SIZE bytes and returns them, read in the same order.  If they are missing, both have failed. */
static inline struct bytes bytes_part(struct bytes *b, size_t size)
{
	const void *start = bytes_take(b, size);
	struct bytes part = bytes_of(start, b->failed ? 0 : size);

	part.failed = b->failed;
	part.swap = b->swap;
	return part;
}

/* Reads the next SIZE bytes into TO as they are, or zeros if fewer are left. */
static inline void bytes_read(struct bytes *b, void *to, size_t size)
{
	if (size > b->left) {
		b->failed = true;
		b->left = 0;
		memset(to, 0, size);
		return;
	}
	memcpy(to, b->at, size);
	b->at += size;
	b->left -= size;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	uint64_t v;

	bytes_read(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	uint32_t v;

	bytes_read(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap32(v) : v;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	uint16_t v;

	bytes_read(b, &v, sizeof(v));
	return b->swap ? __builtin_bswap16(v) : v;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	const unsigned char *p = bytes_take(b, 1);

	return p ? *p : 0;
}

/*
 * Consumes SIZE bytes, which hold a NUL-terminated text, and returns it borrowed.  Returns NULL and
 * sets `failed` if the bytes are missing or hold no NUL.
 */
static inline const char *bytes_text(struct bytes *b, size_t size)
{
	const char *p = bytes_take(b, size);

	if (p && !memchr(p, '\0', size)) {
		b->failed = true;
		return NULL;
	}
	return p;
}

#endif
