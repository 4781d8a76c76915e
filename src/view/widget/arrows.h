/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_ARROWS_H
#define PTOP_VIEW_WIDGET_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * The arrows of jumps beside a list, from each row with a jump to its target row.  Jumps with one
 * target share an arrow.  Each arrow has a lane of its own, short arrows next to the rows.  Without
 * a free lane an arrow is left out.
 */
#define ARROW_LANES 6

struct arrow_row {
	uint8_t lanes[ARROW_LANES]; /* bits, the lane next to the row first */
	uint8_t ends;               /* likewise: lanes that end at the row */
};

struct arrows {
	struct arrow_row *rows;
	size_t count, capacity;
	int lanes; /* lanes in use */
};

struct arrow_jump {
	uint32_t from, to; /* rows */
};

/* Rebuilds A, which starts zeroed, for COUNT rows and their jumps.  Sorts JUMPS. */
void arrows_make(struct arrows *a, size_t count, struct arrow_jump *jumps, size_t jump_count);
void arrows_fini(struct arrows *a);

/* The width in columns, 0 without arrows; draws row I from COLUMN on. */
int arrows_width(const struct arrows *a);
void arrows_draw(struct grid *g, int row, int column, const struct arrows *a, size_t i,
		 enum grid_style style);

#endif
