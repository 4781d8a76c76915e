/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * The size in bytes of the UTF-8 character at P.  0 if it is invalid or a control, U+0080 to U+009F
 * included.
 */
static size_t character_bytes(const unsigned char *p)
{
	size_t n = *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 && *p < 0xf0 ? 3 : 2;

	if (*p < 0x80)
		return *p >= 0x20 && *p != 0x7f;
	if (*p < 0xc2 || *p >= 0xf5 || (*p == 0xc2 && p[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) /* the terminating NUL included */
			return 0;
	}
	return n;
}

/* Removes the last character if the end of the room has cut it. */
static void drop_cut_character(char *text, size_t length)
{
	size_t start = length;

	while (start && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start && (unsigned char)text[start - 1] >= 0xc2 &&
	    !character_bytes((unsigned char *)text + start - 1))
		text[start - 1] = '\0';
}

int error_set(struct error *err, const char *format, ...)
{
	va_list args;
	int length;

	if (!err)
		return -1;
	va_start(args, format);
	length = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (length >= (int)sizeof(err->text))
		drop_cut_character(err->text, sizeof(err->text) - 1);
	for (char *p = err->text; *p;) {
		size_t n = character_bytes((unsigned char *)p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	return -1;
}
