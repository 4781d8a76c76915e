/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_TEXT_H
#define PTOP_VIEW_WIDGET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The one place where text from outside (names, command lines, paths, symbols) becomes harmless.
 * Each of these becomes U+FFFD, or '?' when ASCII is asked:
 *
 *   bytes that are not UTF-8	(overlong, surrogates, past U+10FFFF: one for each byte)
 *   C0, DEL, C1		(ESC, newline; U+009B is CSI for some terminals)
 *   bidirectional controls	(U+061C, U+200E, U+200F, U+202A-202E, U+2066-2069)
 *   line and paragraph ends	(U+2028, U+2029)
 *   what nobody sees		(U+00AD, U+180E, U+200B, U+2060-2065, U+206A-206F, U+FEFF,
 *				 U+FFF9-FFFB, U+E0000-E0FFF)
 *   non-characters		(U+FDD0-FDEF, U+xxFFFE, U+xxFFFF)
 *
 * Decoding and this table do not depend on the locale.  Widths come from wcwidth(3), because curses
 * and most terminals agree with it; a character that it does not know is shown as U+FFFD.
 */

/*
 * Appends SIZE bytes of S, sanitised, to OUT: valid UTF-8 without control characters.  Replaces
 * NUL, too.
 */
void text_sanitize(struct buf *out, const char *s, size_t size, bool ascii);

/*
 * The next character of *S (which ends at a NUL), made harmless, and its width in columns (0 for a
 * combining one, 1, 2).  0 at the end.  Zero width joiners and variation selectors are skipped:
 * what they join is drawn side by side, which has the same width everywhere.
 */
uint32_t text_next(const char **s, int *width);

int text_width(const char *s); /* columns of the sanitised string */
/*
 * The number of bytes of S for a line of WIDTH columns, at least one character.  Breaks at a space
 * or beside a wide character if possible.
 */
size_t text_wrap(const char *s, int width);
size_t text_encode(uint32_t character, char out[4]); /* UTF-8; the bytes written */

/*
 * A line of hints has parts, with three blanks between: "Enter sorts   Esc back".  Translations have the same parts.
 * text_part_at() returns the number of the part of S in COLUMN, those behind all: the last one.  text_part() returns
 * where part NUMBER begins, or the end of S.
 */
size_t text_part_at(const char *s, int column);
const char *text_part(const char *s, size_t number);

/* Returns true if HAYSTACK contains NEEDLE, ignoring case; "" is in every text. */
bool text_contains(const char *haystack, const char *needle);

/* Formats for people; "-" for NAN and negative numbers. */
void text_bytes(char out[16], int64_t bytes);     /* IEC, up to 5 columns: "3.2M" */
void text_count(char out[16], double count);      /* SI, up to 5: "1994", "21.3k", "<1" */
void text_duration(char out[16], double seconds); /* top's TIME+, up to 9: "1:02.33" */
void text_grouped(char out[32], uint64_t count);  /* "1 994" */

#endif
