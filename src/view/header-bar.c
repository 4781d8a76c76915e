/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/header-bar.h"

#include <math.h>

#include "view/widget/text.h"

void header_bar_draw(struct grid *g, int row, int column, int width, const struct header_bar *b)
{
	int title = grid_text(g, row, column, width, STYLE_DIM, b->title);
	int left = column + title + 1, inner = width - title - 3, text = text_width(b->text);
	int room = inner - text - 1, from = 0;

	if (inner < 1)
		return;
	grid_text(g, row, left, 1, STYLE_DIM, "[");
	grid_text(g, row, left + inner + 1, 1, STYLE_DIM, "]");
	if (text <= inner)
		grid_text(g, row, left + 1 + inner - text, text, STYLE_NORMAL, b->text);
	for (size_t i = 0; i < 2 && room > 0; i++) {
		int size = isnan(b->part[i]) ? 0 : (int)lround(b->part[i] * room / 100);

		if (size > room - from)
			size = room - from;
		if (size > 0)
			grid_fill(g, row, left + 1 + from, size, b->style[i], "|");
		from += size > 0 ? size : 0;
	}
}
