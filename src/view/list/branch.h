/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_BRANCH_H
#define PTOP_VIEW_LIST_BRANCH_H

#include "view/list/rows.h"

/*
 * Shared by the rows of CPUs and of control groups: a tree that opens and closes, its filter and
 * order, and the process with the most samples below each row.  A row begins with a struct branch.
 */
struct branch {
	uint64_t key;    /* of the row, in every snapshot: above all serials of processes */
	uint32_t parent; /* the number of its row; its own: a root */
	bool closed_at_first;
	bool kept; /* passes the filter, or one below it does */
	double shown,
		shown_percent; /* samples that pass the filters, and their share of the first row's */
	const struct snapshot_cell *top; /* a cell of the process with most of these; NULL: none */
	double top_percent;              /* its share of them; NAN without */
};

/* Rows: ITEMS, of SIZE bytes each; the first one is the root of most. */
struct branches {
	void *items;
	size_t count, size;
};

static inline struct branch *branch_at(const struct branches *b, size_t i)
{
	return (struct branch *)((char *)b->items + i * b->size);
}

#define BRANCH_NONE UINT32_MAX

/* A person's choices for the rows. */
struct branch_choice {
	const struct rows_request *rows; /* the samples that count */
	const struct map *folded;        /* keys of rows that are the other way than at first */
	bool all_open;
	const char *text; /* filter, or NULL: it opens all rows */
	const struct choice_sort *sort;
};

/* A list of such rows. */
struct branch_kind {
	uint16_t name_columns; /* that a name needs */
	/* The number of the row that the cell is counted in, and in all above it; or BRANCH_NONE. */
	uint32_t (*item_of)(const void *context, const struct snapshot_cell *c);
	bool (*matches)(const void *row, const char *text);
	void (*fill)(struct column_row *row, const void *item); /* sets its pointer */
};

struct branch_request {
	const struct branch_kind *kind;
	const struct snapshot *snapshot;
	const struct rows *rows; /* built from the request of CHOICE */
	const struct branch_choice *choice;
	const void *context; /* of kind->item_of() */
};

/* The rows that are shown.  ORDER and PLACES are owned and replaced. */
struct branch_order {
	uint32_t *order; /* numbers of rows */
	struct tree_place *places;
	size_t count;
};

/*
 * Fills shown, shown_percent, top and top_percent, which are 0, NULL and NAN before.  Marks as kept
 * the rows that the filter lets pass, and those above them.  O gets the kept rows that no closed
 * row hides, siblings sorted.
 */
void branches_show(const struct branches *b, const struct branch_request *q,
		   struct branch_order *o);
void branch_order_fini(struct branch_order *o);

#endif
