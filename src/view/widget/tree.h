/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_TREE_H
#define PTOP_VIEW_WIDGET_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/* Rows of a list as a tree: the place of each row, and the lines before its name. */
struct tree_place {
	uint16_t depth; /* 0: a root */
	uint16_t name;  /* columns that a name needs; 0: as many as a command */
	bool parent;    /* it has children */
	bool folded;    /* its children are hidden */
	bool last;      /* it is the last sibling */
	uint64_t more;  /* bit D: its ancestor at depth D has a later sibling */
};

struct column_place;

#define TREE_DEPTH_DRAWN 64 /* deeper rows are indented as this one */

/* Draws the lines and marks into the field AT.  Returns their width in columns. */
int tree_draw(struct grid *g, const struct column_place *at, const struct tree_place *t);

/*
 * Orders COUNT items so that each comes before its children; siblings keep their order.  PARENTS
 * has the index of each item's parent, or its own for a root.  FOLDED returns true for items whose
 * children are hidden; NULL: none.  A cycle of parents is cut at some item.  ORDER and PLACES have
 * room for COUNT.  Returns the number of rows.
 */
struct tree_request {
	const uint32_t *parents;
	size_t count;
	bool (*folded)(const void *context, size_t item);
	const void *context;
};
size_t tree_arrange(const struct tree_request *q, uint32_t *order, struct tree_place *places);

#endif
