/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_SETTINGS_H
#define PTOP_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Texts of settings: the configuration, profiles, themes.  They have lines such as
 *
 *   # comment
 *   delay = 2.5
 *   bind F12 kill
 *
 * Nothing is quoted.  The text may hold any bytes.
 */
struct settings {
	const char *at, *end; /* what is left of the text */
	size_t number;        /* of the line, from 1 */
	const char *raw;      /* the line as it is in the text, */
	size_t raw_size;      /* with its newline */
	char *line;           /* owned: without blanks around it; "" for a comment */
	bool binary;          /* it has a NUL byte; then `line` is cut there */
};

void settings_init(struct settings *s, const char *text, size_t size); /* TEXT is borrowed */

/* Goes to the next line.  Returns false at the end, where it has released the last line. */
bool settings_next(struct settings *s);
void settings_fini(struct settings *s); /* only needed before the end */

/*
 * Cuts LINE at its first '=': it becomes the name.  Returns the value, both without blanks around them;
 * NULL if there is no '='.
 */
char *settings_split(char *line);

/* Takes one line that is no comment; it may change it.  0, or -1 with ERR set if it cannot use it. */
typedef int settings_take(void *context, char *line, struct error *err);

/*
 * Hands all lines to TAKE.  Those that cannot be used are named in NOTES, a line each: "PATH:3: ...".  At most
 * MAX of them; a last line then has the number of the others.  Returns how many could be used.
 */
size_t settings_read(const char *path, const struct buf *text, settings_take *take, void *context,
		     size_t max, struct buf *notes);

/* Returns -1 with ERR set to the first line of NOTES, or 0 if there is none. */
int settings_first_note(const struct buf *notes, struct error *err);

#endif
