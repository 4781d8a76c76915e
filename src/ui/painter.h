/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_PAINTER_H
#define PTOP_UI_PAINTER_H

#include "ui/plain-curses.h"

#include "ui/theme.h"
#include "view/widget/grid.h"

/*
 * Copies a grid into a curses window, cell by cell.  curses knows what is on the terminal and sends
 * only the cells that changed.  Nothing is cleared, so nothing flickers.
 *
 * SHOWN: the grid that was painted last, in the same theme, if the window still has it.  Cells that are the same are
 * left alone, as most of a refresh are.  NULL, or another size: all are painted.
 */
void painter_paint(WINDOW *window, const struct theme *theme, const struct grid *g,
		   const struct grid *shown);

#endif
