/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CUSTOM_H
#define PTOP_VIEW_CUSTOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/metric.h"
#include "view/widget/column.h"
#include "view/expression.h"

/*
 * All columns: the program's own, and those that a person defines as NAME=EXPRESSION for processes
 * and symbols.  The inputs of an expression are events and these variables:
 *
 *	interval	seconds of the refresh interval; processes only
 *	cpu_time	seconds of CPU time in the interval; processes only
 *	samples		of the shown event
 *	mbm_total_bytes, mbm_local_bytes, llc_occupancy
 *			what resctrl counts, by its names: bytes per second, and bytes; CPUs only
 *
 * The count of an event is for the interval in a process, and from samples in a symbol: see struct
 * symbol_row.
 */
struct custom;

#define CUSTOM_LIMIT 32     /* most columns that a person may define, with those of metrics */
#define CUSTOM_NAME_SIZE 16 /* longest name in bytes */

/* NAMES are the events; borrowed while columns are defined.  NULL accepts any name. */
struct custom *custom_new(const struct expression_names *names);
void custom_free(struct custom *c); /* NULL is allowed */

/* All columns of TABLE; the last one has the name NULL.  They never move. */
const struct column *custom_table(const struct custom *c, int table);

/* A part of a person's text. */
struct custom_text {
	const char *at;
	size_t size;
};

/*
 * Adds the column NAME, shown in capitals, to the tables of processes and symbols.  Returns -1 with
 * ERR set if NAME is no word or is used, or if the expression is wrong.
 */
int custom_define(struct custom *c, struct custom_text name, struct custom_text expression,
		  struct error *err);

/* Metrics I with FIRST <= I < END of a group. */
struct custom_metrics {
	const struct metric_group *group;
	size_t first, end;
};

/*
 * Finds what NAME means: all metrics of the group with that name, or the metric.  Returns false if there is none; a
 * group without metrics is one that this machine cannot count.  FOUND is untouched if it returns false.
 */
bool custom_find_metrics(const struct custom *c, const char *name, struct custom_metrics *found);

/* Returns true if COLUMN is one of a metric. */
bool custom_is_metric(const struct column *column);

/* Adds the column of M, as custom_define() does; M must live as long as C.  Nothing happens if it is there. */
int custom_define_metric(struct custom *c, const struct metric *m, struct error *err);

/* Appends a person's definitions as --columns takes them: "cpb=cycles/branches,…". */
void custom_format(const struct custom *c, struct buf *out);

/* Finds the events of the expressions in S.  Call before using rows of S. */
void custom_link(struct custom *c, const struct snapshot *s);

/* The value of a person's column; see struct column. */
double formula_number(const struct column *c, const struct column_row *row);

/* The name of event I that the expressions need; NULL past the last one. */
const char *custom_event(const struct custom *c, size_t i);

#endif
