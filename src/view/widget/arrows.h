/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_ARROWS_H
#define PTOP_VIEW_WIDGET_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * The arrows of jumps at the side of a list: from each row that jumps to the row where it goes.  Jumps
 * to one row share an arrow.  Each arrow has a lane to itself from its first row to its last, short
 * ones next to the rows; those for which there is no lane left have none.
 */
#define ARROW_LANES 6

struct arrow_row {
	uint8_t lanes[ARROW_LANES]; /* bits, the lane next to the row first */
	uint8_t ends;               /* likewise: what is at the row */
};

struct arrows {
	struct arrow_row *rows;
	size_t count, capacity;
	int lanes; /* that are used */
};

struct arrow_jump {
	uint32_t from, to; /* rows */
};

/* Makes A, zeroed at first, of COUNT rows and the jumps among them, which are put in an order. */
void arrows_make(struct arrows *a, size_t count, struct arrow_jump *jumps, size_t jump_count);
void arrows_fini(struct arrows *a);

/* The columns that they take, 0 without any; and row I of them, from COLUMN on. */
int arrows_width(const struct arrows *a);
void arrows_draw(struct grid *g, int row, int column, const struct arrows *a, size_t i,
		 enum grid_style style);

#endif
