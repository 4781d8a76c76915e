/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_PROMPT_H
#define PTOP_UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * A line that is being typed, in the last row.  It has no terminal: keys go in, a grid comes out.
 */
#define PROMPT_CHARACTERS 256 /* the longest answer; further keys are ignored */

struct prompt {
	uint32_t text[PROMPT_CHARACTERS]; /* Unicode */
	size_t length, cursor;            /* characters; the cursor stands before text[cursor] */
	char error[256];                  /* why the answer was refused; "" */
};

enum prompt_result { PROMPT_GOES_ON, PROMPT_CHANGED, PROMPT_ACCEPTED, PROMPT_CANCELLED };

void prompt_start(struct prompt *p, const char *text); /* the initial answer, UTF-8 */

/* KEY is as in key-code.h.  Editing keys are a shell's: Ctrl-A E U K W, Home, End, Delete. */
enum prompt_result prompt_key(struct prompt *p, uint32_t key);

/* The answer as UTF-8; owned by the caller. */
char *prompt_text(const struct prompt *p);

/*
 * Draws LABEL and the answer into the last row of G, with the error above.  Returns the cursor's
 * column.
 */
int prompt_draw(const struct prompt *p, const char *label, struct grid *g);

#endif
