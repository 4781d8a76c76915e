/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_MENU_H
#define PTOP_VIEW_WIDGET_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * A list over the whole screen to choose one item from, or to switch several on: events, sort
 * columns, users.  The selection stays on its item when the items are replaced.
 */
enum menu_mark {
	MENU_NO_MARK,
	MENU_OFF,
	MENU_ON, /* nothing, "[ ]", "[x]" */
	MENU_BLANK
}; /* as wide as a mark: cannot be switched */

struct menu_item {
	const char *name;
	const char *status; /* right of the name, dim; NULL none */
	enum menu_mark mark;
	bool disabled; /* can be selected, drawn dim: `status` says why */
};

struct menu;

/* HINT is the last row: the keys.  Both texts are copied. */
struct menu *menu_new(const char *title, const char *hint);
void menu_free(struct menu *m); /* NULL is allowed */

/* Replaces all items; copied.  The selection follows its name, or else keeps its row. */
void menu_set(struct menu *m, const struct menu_item *items, size_t count);

size_t menu_selected(const struct menu *m); /* 0 also without items */
bool menu_select(struct menu *m, size_t item);
/* The item in a row of the drawn screen; SIZE_MAX: none. */
size_t menu_at(const struct menu *m, int row);
bool menu_move(struct menu *m, long rows); /* LONG_MIN first, LONG_MAX last */
bool menu_turn(struct menu *m, int pages);

/* Selects the next item whose name has LETTER first of its letters and digits, in ASCII. */
bool menu_jump(struct menu *m, uint32_t letter);
void menu_draw(struct menu *m, struct grid *g);

#endif
