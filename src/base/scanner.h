/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_SCANNER_H
#define PTOP_BASE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads numbers and words from a text, such as a file of /proc.  Bounded by `end`, so no NUL is needed;
 * allocates nothing.  Numbers that do not fit wrap around; the kernel writes none.
 */
struct scanner {
	const char *at, *end;
};

static inline struct scanner scanner_of(const char *text, size_t size)
{
	return (struct scanner){ .at = text, .end = text + size };
}

static inline bool scanner_char(struct scanner *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static inline void scanner_blanks(struct scanner *s)
{
	while (s->at != s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static inline size_t scanner_left(const struct scanner *s)
{
	return (size_t)(s->end - s->at);
}

/* Reads exactly WORD.  Returns false and reads nothing if something else is next. */
static inline bool scanner_word(struct scanner *s, const char *word)
{
	size_t length = strlen(word);

	if (scanner_left(s) < length || memcmp(s->at, word, length) != 0)
		return false;
	s->at += length;
	return true;
}

/* Makes PART a scanner of what comes before the next END, and reads END, too.  Returns false without one. */
static inline bool scanner_part(struct scanner *s, char end, struct scanner *part)
{
	const char *at = scanner_left(s) ? memchr(s->at, end, scanner_left(s)) : NULL;

	if (!at)
		return false;
	*part = (struct scanner){ .at = s->at, .end = at };
	s->at = at + 1;
	return true;
}

/* Returns true if what is left is exactly TEXT. */
static inline bool scanner_is(const struct scanner *s, const char *text)
{
	return scanner_left(s) == strlen(text) && !memcmp(s->at, text, strlen(text));
}

static inline bool scanner_at_digit(const struct scanner *s)
{
	return s->at != s->end && *s->at >= '0' && *s->at <= '9';
}

/* Reads a decimal number after blanks.  Returns false and leaves *OUT alone if there is none. */
static inline bool scanner_u64(struct scanner *s, uint64_t *out)
{
	uint64_t v = 0;

	scanner_blanks(s);
	if (!scanner_at_digit(s))
		return false;
	for (; scanner_at_digit(s); s->at++)
		v = v * 10 + (uint64_t)(*s->at - '0');
	*out = v;
	return true;
}

/* The same with a sign; *OUT holds a negative number as two's complement. */
static inline bool scanner_s64(struct scanner *s, uint64_t *out)
{
	bool negative;

	scanner_blanks(s);
	negative = scanner_char(s, '-');
	if (!scanner_u64(s, out))
		return false;
	if (negative)
		*out = -*out;
	return true;
}

static inline int scanner_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a hexadecimal number in lower case, without blanks before it. */
static inline bool scanner_hex(struct scanner *s, uint64_t *out)
{
	const char *start = s->at;
	uint64_t v = 0;

	for (; s->at != s->end && scanner_hex_digit(*s->at) >= 0; s->at++)
		v = v << 4 | (uint64_t)scanner_hex_digit(*s->at);
	*out = v;
	return s->at != start;
}

/* Reads "12.34" after blanks. */
static inline bool scanner_decimal(struct scanner *s, double *out)
{
	uint64_t whole, digits = 0;
	double scale = 1;

	if (!scanner_u64(s, &whole))
		return false;
	if (scanner_char(s, '.')) {
		for (; scanner_at_digit(s) && scale < 1e15; s->at++, scale *= 10)
			digits = digits * 10 + (uint64_t)(*s->at - '0');
	}
	*out = (double)whole + (double)digits / scale;
	return true;
}

/*
 * Makes LINE a scanner of the next line, without its newline.  Returns false at the end of the
 * text.
 */
static inline bool scanner_line(struct scanner *s, struct scanner *line)
{
	const char *newline;

	if (s->at == s->end)
		return false;
	newline = memchr(s->at, '\n', scanner_left(s));
	line->at = s->at;
	line->end = newline ? newline : s->end;
	s->at = newline ? newline + 1 : s->end;
	return true;
}

#endif
