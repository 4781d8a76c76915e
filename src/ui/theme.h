/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_THEME_H
#define PTOP_UI_THEME_H

#include <stdbool.h>

#include "ui/plain-curses.h"

#include "view/grid.h"

/*
 * What the meanings of the grid look like on this terminal.  The background is always the
 * terminal's own, and no colour is used that cannot be read on both white and black.
 */
struct theme {
	attr_t attributes[GRID_STYLES];
	short pairs[GRID_STYLES];	/* curses colour pairs; 0: the terminal's own colours */
};

/* Between newterm() and the first painting; without COLOR only bold, underlined and the like. */
void theme_init(struct theme *t, bool color);

#endif
