/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/painter.h"

#include <wchar.h>

static void paint_cell(WINDOW *window, const struct theme *theme, const struct grid_cell *cell,
		       int row, int column)
{
	wchar_t text[1 + GRID_COMBINING + 1] = { L' ' };
	cchar_t character;

	for (int i = 0; i <= GRID_COMBINING && cell->text[i]; i++)
		text[i] = (wchar_t)cell->text[i];
	setcchar(&character, text, theme->attributes[cell->style], theme->pairs[cell->style], NULL);
	/*
	 * Writing the last cell of the last row is always an error, because the cursor cannot move
	 * on.
	 */
	mvwadd_wch(window, row, column, &character);
}

void painter_paint(WINDOW *window, const struct theme *theme, const struct grid *g)
{
	int rows = grid_rows(g) < getmaxy(window) ? grid_rows(g) : getmaxy(window);
	int columns = grid_columns(g) < getmaxx(window) ? grid_columns(g) : getmaxx(window);

	for (int row = 0; row < rows; row++) {
		for (int column = 0; column < columns; column++) {
			const struct grid_cell *cell = grid_at(g, row, column);

			if (cell->width)
				paint_cell(window, theme, cell, row, column);
		}
	}
}
