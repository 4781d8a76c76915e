/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_BUF_H
#define PTOP_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * Text or bytes that grow.  Start from a zeroed struct.  `bytes` is NULL until something is added;
 * from then on a NUL always follows the content.
 */
struct buf {
	char *bytes;
	size_t size; /* without the NUL */
	size_t capacity;
};

void buf_fini(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory */

void buf_truncate(struct buf *b,
		  size_t size); /* shortens to SIZE bytes, at most the present size */

/* The added bytes must not lie in the buffer itself, because it may move. */
void buf_add(struct buf *b, const void *bytes, size_t size);
void buf_add_str(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
void buf_add_integer(struct buf *b, int64_t value); /* as "%" PRId64 prints it, but faster */
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
