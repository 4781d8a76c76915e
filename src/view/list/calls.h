/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CALLS_H
#define PTOP_VIEW_LIST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "profile/callgraph.h"
#include "view/widget/column.h"
#include "view/list/rows.h"
#include "view/widget/tree.h"

/* A row of stacks: an open place of a call tree, or one side of a function. */
struct call_row {
	uint32_t item; /* of the call graph; 0 in none */
	uint32_t frame;
	uint64_t key;                       /* of its path: the same in all snapshots */
	double total, self;                 /* period */
	double base;                        /* the total of this path in the base; 0 without one */
	double total_percent, self_percent; /* as a symbol's overhead */
	double parent_percent;              /* the total, of that of the row above it in the tree */
	const struct calls_waits *waits;    /* how far the sums beside are known; borrowed */
	struct callgraph_beside beside; /* of run-delay; PART: of the total what was preempted */
	double delta_percent; /* the share of the total, less that in the base; NAN without one */
	struct tree_place place;
};

/* What an event of time has besides its own sum. */
struct calls_waits {
	bool time;       /* the event is one, */
	bool waits;      /* of waiting alone */
	int delay_event; /* the one of delays, or -1: not measured */
};

/*
 * Stacks as rows: the open part of a call tree, and the callers and callees of one function.  What is
 * counted are the cells that the same filters let pass as symbols have, so that all sums agree with
 * the symbols', and so do the shares.
 */
struct calls_request {
	const struct snapshot *snapshot;
	const struct rows *rows; /* as rows_cell_passes() wants it */
	const struct rows_request *filters;
	const char *text;               /* only stacks through functions that match; NULL */
	const struct choice_sort *sort; /* of siblings */
};

/*
 * By node of the snapshot whether its stack has a frame whose function or object contains TEXT; owned
 * by the caller.  Without stacks, NULL.
 */
unsigned char *calls_hits(const struct snapshot *s, const char *text);

/* A filter on the cells of one snapshot, for callgraphs and sums. */
struct calls_filter {
	struct calls_request request; /* what it points to is borrowed */
	unsigned char *hits;          /* NULL: no text */
	struct calls_waits waits;     /* what can be summed beside */
};

/* The filters of what is shown and of what it is compared with. */
struct calls_filters {
	struct calls_filter now, base;
	bool compared;          /* there is a base; else BASE is empty */
	struct share_sum whole; /* the period of what 100 % is */
};

void calls_filters_init(struct calls_filters *f, const struct calls_request *q);
void calls_filters_fini(struct calls_filters *f);
bool calls_shows(const void *filter, const struct snapshot_cell *c); /* struct calls_filter */

/* FRAME: only what is around it, as in callgraph.h.  The filters need not outlive the graph. */
struct callgraph *calls_graph(const struct calls_filters *f, bool bottom_up, uint32_t frame);

/* Sets ROW's shares of WHOLE by its periods; ABOVE: that of its caller. */
void calls_shares(struct call_row *row, const struct share_sum *whole, double above);

/*
 * What a person opened and closed, by the key of a row, which is that of its whole path: a row alone,
 * or all that is below it, which is one choice however much that is, and which holds for rows that come
 * later, too.  The newer of two choices counts.  Starts zeroed.
 */
struct calls_state {
	struct map rows, below;
	uint32_t clock; /* choices made so far: their age */
};

void calls_state_fini(struct calls_state *s);
void calls_choose(struct calls_state *s, uint64_t key, bool open);
void calls_choose_all(struct calls_state *s, uint64_t key, bool open); /* and all below it */

/* The key of a child with FRAME; of the root's children PARENT is 0. */
static inline uint64_t calls_key(uint64_t parent, uint32_t frame)
{
	return hash_u64(parent ^ ((uint64_t)frame + 1) * 0x9e3779b97f4a7c15u);
}

/* A row that is shown: where it is.  What it counts is made of that when somebody looks at it. */
struct calls_line {
	uint64_t key;
	struct tree_place place;
	uint32_t item;         /* 0: what the function around which they are spends itself */
	uint32_t choice;       /* of those above it, the newest about all below them; 0: none */
	struct call_row *made; /* NULL: nobody has looked yet */
};

/* Rows that were made; they do not move. */
struct calls_pool {
	struct call_row **blocks;
	size_t block_count, capacity;
	size_t used; /* rows */
};

struct calls {
	struct callgraph *graph; /* NULL: of no event */
	struct share_sum whole;  /* the period of what 100 % is */
	struct calls_line *lines;
	size_t count, capacity;
	struct calls_pool pool;
	bool itself;              /* there is a line for what the function spends itself */
	struct calls_waits waits; /* of all rows */
};

/* Row I, which stays until rows are made anew. */
const struct call_row *calls_row(struct calls *c, size_t i);

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
	uint32_t frame; /* FRAME_NONE: everything */
	double open_percent;
	struct calls_state *state;
	size_t limit; /* rows; 0: no */
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
	struct callgraph_marks marks; /* `frames` and their count are the caller's */
	size_t from;                  /* row */
	int direction;                /* 1, -1; 0: as 1, and the row FROM may be it */
	uint64_t *opened;             /* keys of rows, behind those that were there; free() */
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
