/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/painter.h"

#include <string.h>
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

static bool is_same(const struct grid_cell *a, const struct grid_cell *b)
{
	return !memcmp(a->text, b->text, sizeof(a->text)) && a->width == b->width &&
	       a->style == b->style;
}

/* A wide character that came or went changed both of its cells, so curses never blanks a half of one that is left alone. */
void painter_paint(WINDOW *window, const struct theme *theme, const struct grid *g,
		   const struct grid *shown)
{
	bool known =
		shown && grid_rows(shown) == grid_rows(g) && grid_columns(shown) == grid_columns(g);
	int rows = grid_rows(g) < getmaxy(window) ? grid_rows(g) : getmaxy(window);
	int columns = grid_columns(g) < getmaxx(window) ? grid_columns(g) : getmaxx(window);

	for (int row = 0; row < rows; row++) {
		for (int column = 0; column < columns; column++) {
			const struct grid_cell *cell = grid_at(g, row, column);

			if (cell->width && !(known && is_same(cell, grid_at(shown, row, column))))
				paint_cell(window, theme, cell, row, column);
		}
	}
}
