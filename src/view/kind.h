/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_KIND_H
#define PTOP_VIEW_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "view/view.h"

/*
 * The views: each is a row of the table in view/views.c.  These read it: --view, its completion,
 * the keys, the line over the lists, the help, the check of the manual and the tests.
 *
 * A view has one to three lists below the header, each with a selection.  Only the lists of the
 * shown view are made.
 */
#define KIND_PANES 3

struct view_kind {
	const char *name;  /* for --view */
	char key;          /* shows the view unless a scheme or a person binds another; 0: none */
	const char *title; /* N_(): in the line over the lists */
	const char *help;  /* N_() */
	const char *table; /* for csv without --table */
	const char *lower_table; /* for csv: a table that only this view has; or NULL */
	const struct list_kind *panes[KIND_PANES]; /* its lists, top first */
	size_t pane_count;
	bool of_process;    /* zooms into the selected process */
	bool threads;       /* the snapshot must have rows of threads */
	bool tree;          /* processes under their parents */
	bool foldable;      /* rows are a tree that can be folded */
	bool bottom_up;     /* stacks from functions to callers */
	bool flame, icicle; /* boxes instead of rows; boxes grow downwards */
	bool of_function;   /* shows the selected function */
	bool of_wait; /* shows what follows the selected function where that waits; else all */
	bool code;    /* shows instructions */
	bool no_tab; /* its key is not in the line over the lists: 120 columns have no room for it */
	enum event_id event; /* its event; EVENT_OTHER: keeps the shown one */
	enum event_id also;  /* a second event to measure; EVENT_OTHER: none */
	/* Default --columns and --sort of its processes; NULL: the usual ones. */
	const char *columns, *sort;
	const char *other; /* name of the view in the other direction; NULL: none */
	/* Enter: one step deeper.  Returns true if something changed.  NULL: nothing is deeper. */
	bool (*enter)(struct view *v);
};

extern const struct view_kind view_kinds[]; /* ends with a row whose name is NULL */

bool view_kind_of_stacks(const struct view_kind *kind); /* the view shows stacks */

const struct view_kind *view_kind_find(const char *name); /* or NULL */
const struct view_kind *view_kind_of_key(char key);       /* or NULL */

#endif
