/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_BAR_H
#define PTOP_VIEW_WIDGET_BAR_H

#include <stddef.h>

#include "view/widget/grid.h"

/*
 * The function bar: pairs of a key and its action, on one row.  A narrow screen leaves out pairs
 * before the last one, which is the way out.
 */
struct bar_pair {
	char *key, *text; /* owned */
};

struct bar_keys {
	struct bar_pair *pairs;
	size_t count;
};

void bar_set(struct bar_keys *b, const char *const (*pairs)[2], size_t count); /* copies */
void bar_fini(struct bar_keys *b);
void bar_draw(struct grid *g, int row, const struct bar_keys *b);
/* The index of the pair at COLUMN of a bar COLUMNS wide; SIZE_MAX: none. */
size_t bar_at(const struct bar_keys *b, int columns, int column);

#endif
