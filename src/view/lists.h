/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LISTS_H
#define PTOP_VIEW_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/list/calls.h"
#include "view/list/code-rows.h"
#include "view/widget/column.h"
#include "view/list/flame.h"
#include "view/list/mapping-list.h"
#include "view/list/object-list.h"
#include "view/list/rows.h"

/*
 * The rows of every list of a view: made of the newest snapshot when the view that is shown has the
 * list, or when an output asks for it.  Inside of struct view.
 */
struct view;

/* The first ones are the only list of their table of columns. */
enum list_id {
	LIST_PROCESSES = CHOICE_PROCESSES, LIST_SYMBOLS = CHOICE_SYMBOLS,
	LIST_EVENTS = CHOICE_EVENTS, LIST_OBJECTS = CHOICE_OBJECTS,
	LIST_MAPPINGS = CHOICE_MAPPINGS,
	LIST_CALLS = CHOICE_CALLS, LIST_CODE = CHOICE_CODE, LIST_CALLERS, LIST_CALLEES, LIST_FLAME,
	LISTS
};

/* Rows that are chosen and ordered out of some array: numbers in it. */
struct list_order {
	uint32_t *items;
	size_t count, capacity;
};

struct lists {
	struct rows rows;		/* processes and symbols */
	struct objects objects;
	struct mappings mappings;
	struct buf memory_note;		/* of the process whose memory is shown, or empty */
	struct calls calls[LISTS];	/* of the last three */
	struct calls_state opened[2];	/* of trees, top-down and bottom-up */
	struct calls_state opened_around[2];	/* of callees and callers */
	struct flame flame;
	struct code_rows code;
	bool code_ordered;	/* all of them, as they lie in the function */
	int flame_columns;		/* that its boxes were made for */
	struct list_order orders[LISTS];
	bool made[LISTS];
};

/*
 * What a list can do.  The functions but BUILD want the rows to be there.
 */
struct list_kind {
	void (*build)(const struct view *v);
	size_t (*count)(const struct view *v);
	void (*fill)(const void *view, size_t i, struct column_row *row);
	/* What row I is, from one snapshot to the next. */
	uint64_t (*key)(const struct view *v, size_t i);
	/* What filter and search look into. */
	bool (*matches)(const struct view *v, const struct column_row *row, const char *text);
	const char *(*empty)(const struct view *v);	/* says why there is no row */
};

extern const struct list_kind list_kinds[LISTS];

void lists_make(const struct view *v, enum list_id list);	/* unless it is made */
void lists_forget(struct view *v);			/* all are to be made anew */
void lists_fini(struct lists *l);

/* What 100 % is of the event that is shown: all its samples, or what is shown of them. */
struct shares lists_shares(const struct view *v, bool of_all);

struct column_row list_row(const struct view *v, enum list_id list, size_t i);
/* The boxes for a screen of so many columns. */
void lists_layout_flame(const struct view *v, int columns);

/* Of the lists that are trees of calls: what is open, and as in calls.h. */
struct calls_state *lists_opened(const struct view *v, enum list_id list);
void lists_fold_calls(const struct view *v, enum list_id list, size_t i);
size_t lists_find_call(const struct view *v, enum list_id list, struct calls_search *search);

/* The rows of the processes, also those below closed ones; ALL starts zeroed, rows_fini(). */
void lists_all_processes(const struct view *v, struct rows *all);

int list_table(enum list_id list);		/* of its columns, order and filter */

#endif
