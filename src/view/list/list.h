/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_LIST_H
#define PTOP_VIEW_LIST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "view/list/code-rows.h"
#include "view/list/cpu-rows.h"
#include "view/list/group-rows.h"
#include "view/list/lists.h"
#include "view/list/rows.h"
#include "view/list/column-table.h"

/*
 * Lists.  A list is one file with its rows, its columns and one struct list_kind, and a row of
 * LISTS.  The rows are made from the newest snapshot when a view shows the list or an output reads
 * it.
 */
#define LISTS_MAX 24 /* at least the number of lists; a test compares */

struct flame_path;
struct lists;

/*
 * The scene that the view shows.  The view fills it in before it makes a list, and owns everything
 * here.
 */
struct list_scene {
	const struct snapshot *snapshot;               /* NULL: none yet */
	const struct snapshot *base;                   /* the base, or NULL */
	struct rows_request request;                   /* which processes and samples are shown */
	const char *filters[CHOICE_TABLES];            /* by table number; NULL: none */
	const struct choice_sort *sort[CHOICE_TABLES]; /* likewise */
	const char *whole;        /* "% of shown": what the whole is; NULL: everything */
	bool alone;               /* the view has one list */
	bool with_symbols;        /* the view shows symbols, so they are made with the processes */
	bool event_due;           /* the view's event is not measured */
	bool paused;              /* nothing is measured anew for the screen */
	bool batch;               /* nobody opens branches */
	size_t limit_code;        /* instructions or lines; 0: all */
	enum cpu_level cpu_level; /* of CPUs: rows of it and of finer levels are closed at first */
	uint32_t focus;           /* the function of callers and code; FRAME_NONE: none */
	enum code_mode code_mode;
	const struct flame_path *path; /* to the box with the full width */
	const char *highlight;         /* text of the search in the flame graph; NULL: none */
	const struct list_kind *calls; /* the list whose waits are shown; NULL: any */
	uint64_t call_key;             /* its selected row; 0: all rows */
	uint32_t memory_process;       /* serial of the process whose mappings are shown; 0: none */
};

/*
 * A list.  BUILD returns the number of items.  With ARRANGED they are filtered and sorted by their
 * columns.  FILL and KEY get the number that BUILD gave the item.  All functions but BUILD need a
 * made list.
 */
struct list_kind {
	const struct column_table *table; /* its columns, order and filter */
	const char *name;                 /* for --table of csv; NULL: no csv */
	bool of_event;                    /* rows belong to one event: csv writes its name */
	const struct list_kind *same;     /* shows the rows of this one; or NULL */
	size_t data_size; /* size of list_data(), which starts zeroed; FINI frees its members */
	void (*fini)(void *data);
	bool arranged;
	bool of_code;           /* its limit is `limit_code` */
	bool brief;             /* below another list it takes no more lines than it has rows */
	bool bottom_up, around; /* for lists of calls, see struct calls_tree */
	bool from_focus; /* likewise: from the function in focus on if there is one, else all */
	unsigned extras; /* bits of enum snapshot_extra that its rows need */
	size_t (*build)(struct lists *l, const struct list_kind *k);
	size_t (*count)(const struct lists *l, const struct list_kind *k); /* NULL: as BUILD */
	void (*fill)(const struct lists *l, const struct list_kind *k, size_t i,
		     struct column_row *row);
	/* Identifies item I from one snapshot to the next. */
	uint64_t (*key)(const struct lists *l, const struct list_kind *k, size_t i);
	/* Returns true if filter and search find TEXT in ROW. */
	bool (*matches)(const struct lists *l, const struct column_row *row, const char *text);
	/*
	 * The text at the right end of the title line; NOTE is about samples.  NULL: NOTE itself.
	 */
	const char *(*note)(const struct lists *l, const struct list_kind *k, const char *note);
	const char *unmatched; /* N_(): its filter leaves no row; NULL: EMPTY says that, too */
	const char *(*empty)(const struct lists *l); /* why the list has no row */
	unsigned (*without)(const struct lists *l);  /* hides columns of these extras */
};

extern const struct list_kind *const list_kinds[]; /* ends with NULL */

size_t list_number(const struct list_kind *k);       /* its index in list_kinds[] */
int list_table(const struct list_kind *k);           /* the number of its column table */
const struct list_kind *list_find(const char *name); /* the first one of that name, or NULL */
void list_names(struct buf *out,
		const char *separator); /* appends the names that list_find() knows */

/* The items of a list that are shown, in their order. */
struct list_order {
	uint32_t *items;
	size_t count, capacity;
	bool whole; /* all items in the order of BUILD */
};

struct list_state {
	void *data;              /* owned */
	struct list_order order; /* for an arranged list */
	size_t count;
	bool made;
};

struct lists {
	struct list_scene scene;
	struct rows rows;                    /* processes and symbols */
	struct list_state states[LISTS_MAX]; /* as list_kinds[] */
};

void lists_init(struct lists *l); /* L is zeroed */
void lists_fini(struct lists *l);
void lists_forget(struct lists *l); /* every list must be made again */
void lists_forget_one(struct lists *l, const struct list_kind *k); /* that one must be */
bool lists_made(const struct lists *l, const struct list_kind *k);
void lists_make(struct lists *l, const struct list_kind *k); /* does nothing if it is made */

/* The request for lists of samples.  Makes the processes first if they choose the samples. */
const struct rows_request *lists_request(struct lists *l);
/* The choices for the rows of K, a list of branches.  Borrows from L. */
struct branch_choice lists_branch_choice(struct lists *l, const struct list_kind *k);
/* The whole of the shown event: all its samples, or the shown ones. */
struct shares lists_shares(struct lists *l, bool of_all);
/* Makes the processes and, if wanted, the symbols. */
void lists_make_rows(struct lists *l, bool symbols);
/* Fills ALL, which starts zeroed, with all processes, even below closed rows.  rows_fini(). */
void lists_all_processes(const struct lists *l, struct rows *all);

void *list_data(const struct lists *l, const struct list_kind *k);
const struct list_order *list_order(const struct lists *l, const struct list_kind *k);
const char *list_filter(const struct lists *l, const struct list_kind *k); /* NULL none */
size_t list_count(const struct lists *l, const struct list_kind *k);
struct column_row list_row(const struct lists *l, const struct list_kind *k, size_t i);
uint64_t list_key(const struct lists *l, const struct list_kind *k, size_t i);
bool list_matches(const struct lists *l, const struct list_kind *k, size_t i, const char *text);
const char *list_note(const struct lists *l, const struct list_kind *k, const char *note);
const char *list_empty(const struct lists *l, const struct list_kind *k);
unsigned list_without(const struct lists *l, const struct list_kind *k);

/* Says why a list of samples has no row. */
const char *list_no_samples(const struct lists *l);
const char *list_measuring(void); /* likewise, before there is an interval */

/* Says what gives stacks to a snapshot without any. */
const char *list_no_stacks(const struct lists *l);

#endif
