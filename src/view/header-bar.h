/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_HEADER_BAR_H
#define PTOP_VIEW_HEADER_BAR_H

#include "view/widget/grid.h"

/* A bar of the header: "CPU [||||||||  98.7 %]". */
struct header_bar {
	const char *title;
	double part[2]; /* percent; NAN: unknown */
	enum grid_style style[2];
	char text[96]; /* in the bar, at its right end */
};

/* Draws it, WIDTH columns from COLUMN on. */
void header_bar_draw(struct grid *g, int row, int column, int width, const struct header_bar *b);

#endif
