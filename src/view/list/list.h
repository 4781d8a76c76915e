/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_LIST_H
#define PTOP_VIEW_LIST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/list/code-rows.h"
#include "view/list/lists.h"
#include "view/list/rows.h"
#include "view/list/tables.h"

/*
 * Lists.  A list is one file with its rows, its columns and one struct list_kind, which is a row of
 * list_kinds[].  The rows are made of the newest snapshot when a view shows the list, or when an output asks
 * for it.
 */
#define LISTS_MAX 24 /* room for lists; tests/view/test-kinds counts them */

struct flame_path;
struct lists;

/* What the view shows.  Filled in by the view before a list is made; all is borrowed of it. */
struct list_scene {
	const struct snapshot *snapshot;               /* NULL: none yet */
	const struct snapshot *base;                   /* what is compared with, or NULL */
	struct rows_request request;                   /* which processes and samples are shown */
	const char *filters[CHOICE_TABLES];            /* by number of the table; NULL: none */
	const struct choice_sort *sort[CHOICE_TABLES]; /* likewise */
	const char *whole; /* "% of shown": what shares are of; NULL: of everything */
	bool alone;        /* the view has one list */
	bool with_symbols; /* the view shows symbols, so they are made with the processes */
	bool event_due;    /* the view's event is not measured */
	bool batch;        /* nobody opens branches */
	size_t limit_code; /* instructions and lines; 0: all */
	uint32_t focus;    /* the function that callers and code are of; FRAME_NONE */
	enum code_mode code_mode;
	const struct flame_path *path; /* to the box that fills the flame graph */
	const char *highlight;         /* what is searched for in it; NULL */
	uint32_t memory_process;       /* serial of the one whose mappings are shown; 0: none */
};

/*
 * A list.  BUILD returns how many items there are.  With ARRANGED these are filtered and sorted by their
 * columns; fill() and key() get the number that the item had for BUILD.  All but BUILD want the list made.
 */
struct list_kind {
	const struct column_table *table; /* of its columns, order and filter */
	const char *name;                 /* of --table of csv; NULL: it has no csv */
	bool of_event;                    /* the rows are of one event: csv writes its name */
	const struct list_kind
		*same; /* whose rows it shows, with a selection of its own; NULL: it has rows */
	size_t data_size; /* bytes that list_data() has for it, zeroed; then FINI frees what is in it */
	void (*fini)(void *data);
	bool arranged;
	bool of_code;           /* its limit is that of instructions and lines */
	bool bottom_up, around; /* of call trees: see struct calls_tree */
	unsigned extras;        /* bits of enum snapshot_extra that the rows need */
	size_t (*build)(struct lists *l, const struct list_kind *k);
	size_t (*count)(const struct lists *l, const struct list_kind *k); /* NULL: as BUILD said */
	void (*fill)(const struct lists *l, const struct list_kind *k, size_t i,
		     struct column_row *row);
	/* What row I is, the same from one snapshot to the next. */
	uint64_t (*key)(const struct lists *l, const struct list_kind *k, size_t i);
	/* Whether filter and search find TEXT in the row. */
	bool (*matches)(const struct lists *l, const struct column_row *row, const char *text);
	/* What stands at the right end of the title line; NOTE is about samples.  NULL: NOTE. */
	const char *(*note)(const struct lists *l, const struct list_kind *k, const char *note);
	const char *(*empty)(const struct lists *l); /* why there is no row */
	unsigned (*without)(
		const struct lists *l); /* columns with these extras are left out; NULL: none */
};

extern const struct list_kind *const list_kinds[]; /* ends with NULL */

size_t list_number(const struct list_kind *k);       /* its place there */
int list_table(const struct list_kind *k);           /* the number of its table */
const struct list_kind *list_find(const char *name); /* by its name, or NULL */

/* Rows that are chosen and ordered out of a list's items: their numbers. */
struct list_order {
	uint32_t *items;
	size_t count, capacity;
	bool whole; /* all of them, as BUILD has them */
};

struct list_state {
	void *data;              /* owned */
	struct list_order order; /* of an arranged list */
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
void lists_forget(struct lists *l); /* every list is to be made anew */
bool lists_made(const struct lists *l, const struct list_kind *k);
void lists_make(struct lists *l, const struct list_kind *k); /* unless it is made */

/* The request for lists of samples.  The processes are made first if they choose the samples. */
const struct rows_request *lists_request(struct lists *l);
/* What 100 % is of the event that is shown: all its samples, or what is shown of them. */
struct shares lists_shares(struct lists *l, bool of_all);
/* Makes the processes and, if wanted, the symbols. */
void lists_make_rows(struct lists *l, bool symbols);
/* The rows of the processes, also those below closed ones; ALL starts zeroed, rows_fini(). */
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

/* Why a list of samples has no row. */
const char *list_no_samples(const struct lists *l);

#endif
