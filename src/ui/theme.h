/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_THEME_H
#define PTOP_UI_THEME_H

#include <stdbool.h>

#include "ui/plain-curses.h"

#include "view/widget/grid.h"

/*
 * The appearance of the grid's meanings on this terminal.  The background is always the terminal's
 * own.  Every colour is readable on both white and black.
 */
struct theme {
	attr_t attributes[GRID_STYLES];
	short pairs[GRID_STYLES]; /* curses colour pairs; 0: the terminal's own colours */
};

/*
 * Call between newterm() and the first painting.  Without COLOR there is only bold, underline and
 * the like.
 */
void theme_init(struct theme *t, bool color);

#endif
