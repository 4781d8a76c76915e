/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CUSTOM_H
#define PTOP_VIEW_CUSTOM_H

#include <stddef.h>

#include "base/error.h"
#include "view/widget/column.h"
#include "view/expression.h"

/*
 * The columns that there are: the program's own, and those that a person defines as NAME=EXPRESSION,
 * for processes and symbols.  The inputs of an expression are events, and these:
 *
 *	interval	seconds of the refresh interval; processes only
 *	cpu_time	seconds of CPU time in the interval; processes only
 *	samples		of the event that is shown
 *
 * What an event counts for a process is of the interval; of a symbol it is what its samples tell,
 * see struct symbol_row.
 */
struct custom;

#define CUSTOM_LIMIT 16     /* columns that a person may define */
#define CUSTOM_NAME_SIZE 16 /* bytes of their names, at most */

/* NAMES, which are the events, is borrowed for as long as definitions come; NULL: any name is one. */
struct custom *custom_new(const struct expression_names *names);
void custom_free(struct custom *c); /* NULL is allowed */

/* All columns of TABLE, ending with a row whose name is NULL; they stay where they are. */
const struct column *custom_table(const struct custom *c, int table);

/* A piece of a text that a person wrote. */
struct custom_text {
	const char *at;
	size_t size;
};

/*
 * Adds the column NAME, shown in capitals, to both of these tables.  0, or -1 with ERR set: the name is no
 * word, there is such a column, the expression is wrong.
 */
int custom_define(struct custom *c, struct custom_text name, struct custom_text expression,
		  struct error *err);

/* Finds the events of the expressions in S, from which the rows are taken from now on. */
void custom_link(struct custom *c, const struct snapshot *s);

/* The value of one of these columns; see struct column. */
double formula_number(const struct formula *f, const struct column_row *row);

/* The name of event number I that the expressions need; NULL past the last one. */
const char *custom_event(const struct custom *c, size_t i);

#endif
