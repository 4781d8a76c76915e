/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_CURSOR_H
#define PTOP_BASE_CURSOR_H

#include "base/bytes.h"

/*
 * Additions to bytes.h for DWARF.
 *
 * LEB128, numbers of variable length (DWARF 5, 7.6): seven bits a byte, the lowest first; the top
 * bit says that more follow.  Bits above 64 are lost.
 */
static inline uint64_t cursor_leb(struct bytes *b, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct bytes *b)
{
	return cursor_leb(b, false);
}

static inline int64_t cursor_sleb(struct bytes *b)
{
	return (int64_t)cursor_leb(b, true);
}

/* Returns the text up to its NUL, in place.  Returns NULL and sets `failed` if there is no NUL. */
static inline const char *cursor_string(struct bytes *b)
{
	const uint8_t *end = b->left ? memchr(b->at, '\0', b->left) : NULL;

	if (!end)
		b->failed = true;
	return end ? bytes_take(b, (size_t)(end - b->at) + 1) : NULL;
}

/* A block: an unsigned LEB128 size, then that many bytes (such as an expression). */
static inline struct bytes cursor_block(struct bytes *b)
{
	uint64_t size = cursor_uleb(b);
	const void *at = bytes_take(b, size);

	return bytes_of(at, at ? size : 0);
}

#endif
