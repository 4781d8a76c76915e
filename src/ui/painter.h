/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_PAINTER_H
#define PTOP_UI_PAINTER_H

#include "ui/plain-curses.h"

#include "ui/theme.h"
#include "view/widget/grid.h"

/*
 * Copies a grid into a curses window, cell by cell.  curses knows what is on the terminal and sends
 * only the cells that changed.  Nothing is cleared, so nothing flickers.
 */
void painter_paint(WINDOW *window, const struct theme *theme, const struct grid *g);

#endif
