/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_KIND_H
#define PTOP_VIEW_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "view/view.h"

/*
 * The views: each is a row of the table in view/views.c.  --view, its completion, the keys, the line above the
 * lists, the help, the check of the manual page and the tests read it.
 *
 * A view has one to three lists under the header.  Each has a selection of its own.  Only the lists of the view
 * that is shown are made.
 */
#define KIND_PANES 3

struct view_kind {
	const char *name;        /* of --view */
	char key;                /* that shows it; 0: none */
	const char *title;       /* N_(): in the line over the tables */
	const char *help;        /* N_() */
	const char *table;       /* of csv, unless --table names another */
	const char *lower_table; /* of csv, where only this view has it; NULL: none */
	const struct list_kind *panes[KIND_PANES]; /* its lists, from above */
	size_t pane_count;
	bool of_process;     /* shown for one process: the selected one is zoomed into */
	bool threads;        /* the snapshot must have rows of threads */
	bool tree;           /* processes under their parents */
	bool foldable;       /* the rows are a tree: what is below one can be hidden */
	bool bottom_up;      /* of stacks: from each function to its callers */
	bool flame, icicle;  /* boxes instead of rows; they grow downwards */
	bool of_function;    /* shown for one function: the selected one */
	bool code;           /* its instructions */
	enum event_id event; /* that is shown at first; EVENT_OTHER: as it was */
	enum event_id also;  /* another one that it is of; EVENT_OTHER: none */
	/* Of its processes, unless a person chose some: as --columns and --sort; NULL as anywhere. */
	const char *columns, *sort;
	const char *other;             /* name of the same, seen the other way round; NULL none */
	bool (*enter)(struct view *v); /* Enter: one step deeper; whether something changed */
};

extern const struct view_kind view_kinds[]; /* ends with a row whose name is NULL */

bool view_kind_of_stacks(const struct view_kind *kind); /* it shows stacks */

const struct view_kind *view_kind_find(const char *name); /* or NULL */
const struct view_kind *view_kind_of_key(char key);       /* or NULL */

#endif
