/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_TABLES_H
#define PTOP_VIEW_LIST_TABLES_H

#include <stdbool.h>

#include "view/widget/column.h"

/*
 * The tables of columns, one for each type of row.
 */
enum { CHOICE_PROCESSES, CHOICE_SYMBOLS, CHOICE_EVENTS, CHOICE_OBJECTS, CHOICE_MAPPINGS, CHOICE_CALLS,
       CHOICE_CODE,
       CHOICE_TABLES };

extern const struct column process_columns[];	/* each ends with a row whose name is NULL */
extern const struct column symbol_columns[];
extern const struct column event_columns[];
extern const struct column object_columns[];
extern const struct column mapping_columns[];
extern const struct column call_columns[];
extern const struct column code_columns[];

struct column_table {
	const char *name;		/* of --table */
	const char *prefix;		/* "symbol.ipc" where more than one table has the name */
	const char *title;		/* N_(): of its columns in the help */
	const struct column *columns;
	const char *sort;		/* names of the columns that rows are sorted by at first */
	bool extended;			/* a person's own columns are in it, too */
};

extern const struct column_table column_tables[CHOICE_TABLES];

#endif
