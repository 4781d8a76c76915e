/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_TABLES_H
#define PTOP_VIEW_LIST_TABLES_H

#include <stdbool.h>

#include "view/widget/column.h"

/*
 * The tables of columns, one for each type of row.  Lists with the same type of row share one.
 */
#define CHOICE_TABLES 16 /* room for tables; tests/view/test-column counts them */

struct column_table {
	const char *name;             /* "symbols": in the manual */
	const char *prefix;           /* "symbol.ipc" where more than one table has the name */
	const char *title;            /* N_(): of its columns in the help */
	const char *filter;           /* N_(): in front of the filter's text in the header */
	const struct column *columns; /* ends with a row whose name is NULL */
	const char *sort;             /* names of the columns that rows are sorted by at first */
	bool extended;                /* a person's own columns are in it, too */
	bool tasks;                   /* rows are processes, or threads */
	bool counted_only; /* columns that nobody counts are hidden, unless a person asked for them */
};

/* The table with that number, in the order of list_kinds[]; NULL past the last one. */
const struct column_table *column_table(int number);

#endif
