/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_TABLE_H
#define PTOP_VIEW_WIDGET_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "view/widget/column.h"
#include "view/widget/grid.h"

/*
 * Draws a title line and rows below it: which of the columns have room, how wide they are, and each
 * cell by its column's own functions.  Columns go by their priority until the one that takes the
 * rest of the line has room enough; those without anything counted first, the one that rows are
 * sorted by never.
 */
struct table {
	const struct choice_columns *columns;
	const struct choice_sort *sort;
	unsigned without;      /* enum snapshot_extra: columns of these are left out */
	uint32_t counted;      /* column_counted(): the others give way first */
	size_t count, first;   /* rows; the one under the title */
	size_t selected;       /* TABLE_NONE: none is marked */
	enum column_time time; /* what the event is: columns of more than that are left out */
	bool threads;          /* rows are */
	bool estimated;        /* counters are: their columns are marked with "~" */
	const char *note;      /* right end of the title line; "" none */
	const char *empty;     /* instead of rows when there are none */
	struct column_row (*row)(const void *context, const void *list, size_t i);
	const void *context, *list; /* for ROW */
};

#define TABLE_NONE ((size_t)-1)

/* The column at AT of a table COLUMNS wide, or NULL. */
const struct column *table_column_at(const struct table *t, int columns, int at);

/* HEIGHT lines from ROW on, the title line first. */
void table_draw(struct grid *g, int row, int height, const struct table *t);

#endif
