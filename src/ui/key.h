/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_KEY_H
#define PTOP_UI_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "ui/key-code.h"

struct ui;

/*
 * A key is one row of one table.  The function bar, the help and the check of the manual page come
 * from it.
 */
#define KEYS_OF_ROW 10

struct key_row {
	uint32_t keys[KEYS_OF_ROW]; /* zeros at the end */
	const char *bar;            /* N_(): word in the function bar; NULL: not in the bar */
	const char *help;           /* N_() */
	void (*act)(struct ui *u, const struct key_row *row);
	long argument; /* for ACT */
};

extern const struct key_row key_table[]; /* ends with a row whose act is NULL */

const struct key_row *key_find(uint32_t key);                   /* the row of KEY, or NULL */
void key_label(uint32_t key, char out[16]);                     /* "q", "F10", "PgUp", "Space" */
void key_row_names(const struct key_row *row, struct buf *out); /* "q F10" */

/* Movement, the same in tables, menus and pages; `argument` is a number of rows or pages. */
void key_move(struct ui *u, const struct key_row *row);
void key_page(struct ui *u, const struct key_row *row);
void key_back(struct ui *u, const struct key_row *row); /* Esc */
void key_quit(struct ui *u, const struct key_row *row);

#endif
