/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void buf_fini(struct buf *b)
{
	free(b->bytes);
	memset(b, 0, sizeof(*b));
}

void buf_clear(struct buf *b)
{
	b->size = 0;
	if (b->bytes)
		b->bytes[0] = '\0';
}

void buf_truncate(struct buf *b, size_t size)
{
	b->size = size;
	if (b->bytes)
		b->bytes[size] = '\0';
}

static void buf_room(struct buf *b, size_t more)
{
	mem_grow((void **)&b->bytes, &b->capacity, b->size + more + 1, 1);
}

void buf_add(struct buf *b, const void *bytes, size_t size)
{
	buf_room(b, size);
	if (size) /* BYTES may be NULL then */
		memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	b->bytes[b->size] = '\0';
}

void buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_add_integer(struct buf *b, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[20]; /* -9223372036854775808 */
	size_t start = sizeof(text);

	do {
		text[--start] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		text[--start] = '-';
	buf_add(b, text + start, sizeof(text) - start);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n > 0) {
		buf_room(b, n);
		vsnprintf(b->bytes + b->size, n + 1, format, again);
		b->size += n;
	}
	va_end(again);
}
