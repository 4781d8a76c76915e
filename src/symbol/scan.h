/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SCAN_H
#define PTOP_SYMBOL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads lists of symbols: text whose every byte is untrusted.  The text is borrowed, without a NUL.
 */
struct scan {
	const char *at;
	size_t left;
};

/*
 * Returns the next line, without its newline.  Returns false if no whole line is left; S is then at
 * the rest.
 */
static inline bool scan_line(struct scan *s, struct scan *line)
{
	const char *end = s->left ? memchr(s->at, '\n', s->left) : NULL;

	if (!end)
		return false;
	*line = (struct scan){ s->at, (size_t)(end - s->at) };
	s->left -= line->left + 1;
	s->at = end + 1;
	return true;
}

static inline bool scan_any(struct scan *s, char *c)
{
	if (!s->left)
		return false;
	*c = *s->at++;
	s->left--;
	return true;
}

static inline bool scan_char(struct scan *s, char c)
{
	if (!s->left || *s->at != c)
		return false;
	s->at++;
	s->left--;
	return true;
}

/* The text up to C, or to the end; C itself is not consumed. */
static inline struct scan scan_until(struct scan *s, char c)
{
	const char *end = s->left ? memchr(s->at, c, s->left) : NULL;
	struct scan text = { s->at, end ? (size_t)(end - s->at) : s->left };

	s->at += text.left;
	s->left -= text.left;
	return text;
}

static inline int scan_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads a number of 1 to 16 hexadecimal digits. */
static inline bool scan_hex(struct scan *s, uint64_t *value)
{
	size_t digits = 0;

	*value = 0;
	while (s->left && scan_digit(*s->at) >= 0) {
		if (++digits > 16)
			return false;
		*value = *value << 4 | (unsigned)scan_digit(*s->at++);
		s->left--;
	}
	return digits > 0;
}

#endif
