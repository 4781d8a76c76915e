/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_THEME_H
#define PTOP_UI_THEME_H

#include <stdbool.h>

#include "ui/plain-curses.h"

#include "ui/themes.h"
#include "view/widget/grid.h"

/* The appearance of the grid's meanings on this terminal. */
struct theme {
	attr_t attributes[GRID_STYLES];
	short pairs[GRID_STYLES]; /* curses colour pairs; 0: the terminal's own colours */
};

/*
 * Call after newterm(), also to change to another theme.  Without COLOR, and on a terminal without colours,
 * it is that of theme_plain(): underlined, reversed and the like.
 */
void theme_init(struct theme *t, const struct theme_colors *colors, bool color);

#endif
