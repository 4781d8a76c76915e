/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CHOICE_H
#define PTOP_VIEW_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "view/custom.h"
#include "view/list/column-table.h"
#include "view/widget/column.h"

/*
 * The choices of --columns and --sort, for all tables at once, among the columns of a struct
 * custom.
 *
 * A name that several tables have (pid, ipc, miss%) means the first one; "symbol.ipc" means another
 * one.
 */
/*
 * Parses --columns.  "pid,ipc,command": only these of the tables that are named.  "+cycles,-user":
 * the defaults with and without these.  "cpb=cycles/branches" defines a column and shows it, with
 * the plain names or else with the defaults.  So does the name of a metric, or of a group of them, in
 * all tables that have such: "topdown"; or in one: "cpu.topdown".  Returns -1 with ERR set for an
 * unknown name or a wrong definition.
 */
int choice_columns_parse(struct choice_columns columns[CHOICE_TABLES], const char *text,
			 struct custom *custom, struct error *err);

/* Shows the columns of TABLE that need a base, after the first number; or hides them. */
void choice_columns_compare(struct choice_columns *columns, const struct column *table, bool base);

/*
 * Shows COLUMN, before the one that takes the rest of the line, or hides it.  Returns false if it is the only
 * one, which stays.
 */
bool choice_columns_toggle(struct choice_columns *columns, const struct column *column);
/* Moves COLUMN one place to the left (-1) or right (1).  Returns false if it is not shown, or at the end. */
bool choice_columns_move(struct choice_columns *columns, const struct column *column,
			 int direction);

/*
 * Appends the text that choice_columns_parse() turns into COLUMNS: "" if all tables have their defaults.
 */
void choice_columns_format(struct buf *out, const struct choice_columns columns[CHOICE_TABLES],
			   const struct custom *custom);

/* The default order of every table. */
void choice_sort_default(struct choice_sort sort[CHOICE_TABLES], const struct custom *custom);

/*
 * Parses --sort.  "ipc,-pid": '-' descending, '+' ascending, no sign the column's own direction.  A
 * table that is not named keeps its order.  A name that several tables have means table FIRST.
 * Returns -1 with ERR set for an unknown name; SORT may then hold the keys before it.
 */
int choice_sort_parse(struct choice_sort sort[CHOICE_TABLES], const char *text, int first,
		      struct custom *custom, struct error *err);

/* Appends the text that choice_sort_parse() turns into SORT: "-process.ipc,-symbol.overhead%". */
void choice_sort_format(struct buf *out, const struct choice_sort sort[CHOICE_TABLES]);

void choice_sort_reverse(struct choice_sort *sort); /* reverses every key */
void choice_sort_by(struct choice_sort *sort, const struct column *column);

/*
 * Returns true if a column or sort key needs a row for each process, or for each mapping of data.
 */
bool choice_per_process(const struct choice_columns *columns, const struct choice_sort *sort);
bool choice_per_data(const struct choice_columns *columns, const struct choice_sort *sort);

#endif
