/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_TREE_H
#define PTOP_VIEW_WIDGET_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * Rows of a list as a tree: where each stands, and the lines in front of its name.
 */
struct tree_place {
	uint16_t depth; /* 0: a root */
	bool parent;    /* it has rows below it... */
	bool folded;    /* ...that are not shown */
	bool last;      /* no sibling follows */
	uint64_t more;  /* bit D: of its ancestor at depth D a sibling follows */
};

struct column_place;

#define TREE_DEPTH_DRAWN 64 /* deeper rows are not indented any further */

/* Draws the lines and marks into the field AT; the columns that it took. */
int tree_draw(struct grid *g, const struct column_place *at, const struct tree_place *t);

/*
 * Orders COUNT items, of which PARENTS has the index of each one's parent (itself: a root), so that
 * each comes in front of its children and siblings keep the order that they have.  FOLDED says of
 * which items the children are left out; NULL: of none.  A ring of parents is cut somewhere.  ORDER
 * and PLACES have room for COUNT; the number of rows.
 */
struct tree_request {
	const uint32_t *parents;
	size_t count;
	bool (*folded)(const void *context, size_t item);
	const void *context;
};
size_t tree_arrange(const struct tree_request *q, uint32_t *order, struct tree_place *places);

#endif
