/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_COLUMN_TABLE_H
#define PTOP_VIEW_LIST_COLUMN_TABLE_H

#include <stdbool.h>

#include "view/widget/column.h"

/* The tables of columns, one for each type of row.  Lists with one type of row share a table. */
#define CHOICE_TABLES 16 /* at least the number of tables; a test compares */

/* Which metrics a table shows that is not named with them. */
enum column_metrics { METRICS_NONE, METRICS_OF_TASKS, METRICS_ALL };

struct column_table {
	const char *name;             /* "symbols": its section in the manual */
	const char *prefix;           /* "symbol.": for a name that several tables have */
	const char *title;            /* N_(): heading in the help */
	const char *filter;           /* N_(): the header shows it before the filter's text */
	const struct column *columns; /* ends with a row whose name is NULL */
	const char *sort;             /* columns of the default order */
	bool extended;                /* includes a person's own columns */
	enum column_metrics metrics;
	bool tasks;        /* rows are processes, or threads */
	bool counted_only; /* hides columns of uncounted events, unless a person chose them */
};

/* The table with that number, in the order of LISTS; NULL past the last one. */
const struct column_table *column_table(int number);

#endif
