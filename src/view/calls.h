/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CALLS_H
#define PTOP_VIEW_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "profile/callgraph.h"
#include "view/choice.h"
#include "view/column.h"
#include "view/rows.h"
#include "view/tree.h"

/*
 * Stacks as rows: the open part of a call tree, and the callers and callees of one function.  What is
 * counted are the cells that the same filters let pass as symbols have, so that all sums agree with
 * the symbols'; shares are of the same whole.
 */
struct calls_request {
	const struct snapshot *snapshot;
	const struct rows *rows;		/* as rows_cell_passes() wants it */
	const struct rows_request *filters;
	const char *text;			/* only stacks through functions that match; NULL */
	const struct choice_sort *sort;		/* of siblings */
};

/*
 * By node of the snapshot whether its stack has a frame whose function or object contains TEXT; owned
 * by the caller.  Without stacks, NULL.
 */
unsigned char *calls_hits(const struct snapshot *s, const char *text);

/* A filter on cells, for callgraphs and sums; the request is borrowed. */
struct calls_filter {
	const struct calls_request *request;
	unsigned char *hits;			/* NULL: no text */
	double whole;				/* the period of what 100 % is */
	struct calls_waits waits;		/* what can be summed beside */
};

void calls_filter_init(struct calls_filter *f, const struct calls_request *q);
void calls_filter_fini(struct calls_filter *f);
bool calls_shows(const void *filter, const struct snapshot_cell *c);
/* FRAME: only what is around it, as in callgraph.h. */
struct callgraph *calls_graph(const struct calls_filter *f, bool bottom_up, uint32_t frame);

/* The same graph of what is compared with, and in *WHOLE the period of its 100 %.  NULL: nothing is. */
struct callgraph *calls_base_graph(const struct calls_request *q, bool bottom_up, uint32_t frame,
				   double *whole);

/*
 * Sets ROW's place in BASE, that of its caller's place PARENT, and what its share, which is set, is
 * more than there.  BASE may be NULL.
 */
void calls_compare(struct callgraph *base, double whole, uint32_t parent, struct call_row *row);

/* What a person opened and closed, by the key of a row, which is that of its whole path. */
struct calls_state {
	struct map open;	/* its value is one of the two below */
};

extern const char calls_open, calls_closed;

/* The key of a child with FRAME; of the root's children PARENT is 0. */
static inline uint64_t calls_key(uint64_t parent, uint32_t frame)
{
	return hash_u64(parent ^ ((uint64_t)frame + 1) * 0x9e3779b97f4a7c15u);
}

struct calls {
	struct callgraph *graph;	/* NULL: of no event */
	struct callgraph *base;		/* NULL: nothing is compared */
	double base_whole;		/* as WHOLE, of the base */
	double whole;			/* the period of what 100 % is */
	struct call_row *rows;
	size_t count, capacity;
	struct calls_waits waits;	/* of all rows */
};

/*
 * The tree down to what is open.  What nobody opened or closed is open when it has at least
 * OPEN_PERCENT of all; with STATE not const that is kept, so that rows do not come and go.
 *
 * With FRAME its callers (bottom-up), or what it calls (top-down): of each stack what is around the
 * outermost of its frames.  Among what it calls its own part is a row of FRAME, too.  Both add up
 * to what is spent in FRAME and below it, but callers do not where nobody called it.
 */
struct calls_tree {
	bool bottom_up;
	uint32_t frame;			/* FRAME_NONE: everything */
	double open_percent;
	struct calls_state *state;
	size_t limit;			/* rows; 0: no */
};
void calls_build_tree(struct calls *c, const struct calls_request *q, const struct calls_tree *t);

/*
 * Makes the rows below row I anew, after STATE was changed for it or for what is below it.  With the
 * same request and tree as the others were made with; filters are not looked at.
 */
void calls_rows_below(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		      size_t i);

/* The row with KEY, FROM or behind it, or SIZE_MAX. */
size_t calls_row_of(const struct calls *c, uint64_t key, size_t from);

struct calls_search {
	struct callgraph_marks marks;	/* `frames` and their count are the caller's */
	size_t from;			/* row */
	int direction;			/* 1, -1; 0: as 1, and the row FROM may be it */
	uint64_t *opened;		/* keys of rows, behind those that were there; free() */
	size_t opened_count, capacity;
};

/*
 * The next row, around the end if need be, whose frame is marked, also among those below closed rows:
 * then the way to it is opened, what is noted in OPENED.  SIZE_MAX: there is none.  C has rows.
 */
size_t calls_find(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		  struct calls_search *s);

void calls_fini(struct calls *c);

#endif
