/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_BYTES_H
#define PTOP_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The one bounds-checked reader of foreign bytes (records, files).  A read past the end yields 0
 * and sets `failed`, which stays set: a parser reads a whole structure and asks once at its end.
 */
struct bytes {
	const unsigned char *at;
	size_t left;
	bool swap;		/* the data has the other byte order */
	bool failed;
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
	return (struct bytes){ .at = data, .left = size };
}

/* The next SIZE bytes in place, borrowed from the data; NULL (and `failed`) when there are fewer. */
static inline const void *bytes_take(struct bytes *b, size_t size)
{
	const unsigned char *here = b->at;

	if (size > b->left) {
		b->failed = true;
		b->left = 0;
		return NULL;
	}
	b->at = size ? here + size : here;	/* which may be NULL */
	b->left -= size;
	return here;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	const void *p = bytes_take(b, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	const void *p = bytes_take(b, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->swap ? __builtin_bswap32(v) : v;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	const void *p = bytes_take(b, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->swap ? __builtin_bswap16(v) : v;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	const unsigned char *p = bytes_take(b, 1);

	return p ? *p : 0;
}

/*
 * A text of at most SIZE bytes, of which all SIZE are consumed.  Borrowed; NULL and `failed` when
 * the bytes are not there or hold no NUL.
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
