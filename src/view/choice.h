/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CHOICE_H
#define PTOP_VIEW_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "view/custom.h"
#include "view/list/tables.h"
#include "view/widget/column.h"

/*
 * What a person chose with --columns and --sort, for all tables at once, out of the columns in a
 * struct custom.
 *
 * A name that several tables have (pid, ipc, miss%) is the first one's, if nothing else is said;
 * "symbol.ipc" is the other.
 */
/*
 * "pid,ipc,command": these and no others of the tables that are named.  "+cycles,-user": the
 * default ones with and without.  "cpb=cycles/branches" defines a column and shows it: among those
 * that are named without a sign, or, without any, beside the default ones.  -1 with ERR set for an
 * unknown name or a wrong definition.
 */
int choice_columns_parse(struct choice_columns columns[CHOICE_TABLES], const char *text,
			 struct custom *custom, struct error *err);

/* Shows the columns of TABLE that tell of a base, behind the first number; or hides them. */
void choice_columns_compare(struct choice_columns *columns, const struct column *table, bool base);

/* As the tables of columns have it. */
void choice_sort_default(struct choice_sort sort[CHOICE_TABLES], const struct custom *custom);

/*
 * "ipc,-pid": '-' descending, '+' ascending, else the column's own direction.  A table that is not
 * named keeps its order; a name that several have is of the table FIRST.  -1 with ERR set for an
 * unknown name, and then SORT may hold the keys before it.
 */
int choice_sort_parse(struct choice_sort sort[CHOICE_TABLES], const char *text, int first,
		      struct custom *custom, struct error *err);

/* Adds what choice_sort_parse() makes the same SORT of: "-process.ipc,-symbol.overhead%". */
void choice_sort_format(struct buf *out, const struct choice_sort sort[CHOICE_TABLES]);

void choice_sort_reverse(struct choice_sort *sort); /* every key's direction */
void choice_sort_by(struct choice_sort *sort, const struct column *column);

/* Whether a column that is shown, or sorted by, needs a row for each process, or mapping of data. */
bool choice_per_process(const struct choice_columns *columns, const struct choice_sort *sort);
bool choice_per_data(const struct choice_columns *columns, const struct choice_sort *sort);

#endif
