/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_TABLE_H
#define PTOP_VIEW_WIDGET_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "view/widget/column.h"
#include "view/widget/grid.h"

/*
 * Draws a title line and rows below it.  Chooses the columns that have room, and their widths; each
 * cell is drawn by its column.  Columns are dropped, the highest priority first, until the column
 * that takes the rest of the line has room.  Columns without counts are dropped first; the sort
 * column never.
 *
 * With bars a share is a number with a bar behind it, to read many rows at a glance.  One share always has its bar:
 * the sort column, or the one that is dropped last.  The others have one where there is room.
 */
struct table {
	const struct choice_columns *columns;
	const struct choice_sort *sort;
	unsigned without;      /* enum snapshot_extra: hides columns of these */
	uint32_t counted;      /* column_counted(): other columns are dropped first */
	size_t count, first;   /* rows; the first one below the title */
	size_t selected;       /* TABLE_NONE: none */
	enum column_time time; /* kind of the event: hides columns that need more */
	bool threads;          /* rows are threads */
	bool bars;             /* shares are bars, too */
	uint32_t estimated;    /* bits as in column.needs: such columns are marked with "~" */
	const char *note;      /* right end of the title line; "": none */
	const char *empty;     /* text instead of rows if there are none */
	struct column_row (*row)(const void *context, const void *list, size_t i);
	const void *context, *list; /* for ROW */
};

#define TABLE_NONE ((size_t)-1)

/* The column at AT of a table COLUMNS wide, or NULL. */
const struct column *table_column_at(const struct table *t, int columns, int at);

/* Draws HEIGHT lines from ROW on, the title line first. */
void table_draw(struct grid *g, int row, int height, const struct table *t);

#endif
