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
	uint64_t key;                       /* hash of the path: equal in all snapshots */
	double total, self;                 /* period */
	double base;                        /* total of the same path in the base; 0: no base */
	double total_percent, self_percent; /* shares, see view/list/share.h */
	double parent_percent;              /* percent of the parent row's total */
	const struct calls_waits *waits;    /* which sums of the delay event are known; borrowed */
	struct distribution_facts lengths;  /* how long the waits of its total lasted */
	struct callgraph_extra delays; /* of run-delay; PART: preempted time within the total */
	double delta_percent;          /* share minus share in the base; NAN: no base */
	double wall_percent;           /* share of the event latency; NAN: not measured */
	struct tree_place place;
};

/* Figures that rows of an event can show besides its own sum. */
struct calls_waits {
	bool time;         /* the event counts time */
	bool delays;       /* and a part of it may be delays */
	bool waits;        /* it counts only time spent waiting */
	int delay_event;   /* index of run-delay; -1: not measured */
	int latency_event; /* likewise of latency */
};

/*
 * Stacks as rows: the open part of a call tree, or the callers and callees of one function.  A call
 * tree counts the cells that pass the filters of the list of symbols, so sums and shares of both
 * agree.
 */
struct calls_request {
	const struct snapshot *snapshot;
	const struct rows *rows; /* as for rows_cell_passes() */
	const struct rows_request *filters;
	const char *text;               /* only stacks through functions that match; NULL */
	const struct choice_sort *sort; /* of siblings */
};

/*
 * For each node of the snapshot: 1 if its stack has a frame whose function or object contains TEXT.
 * Owned by the caller.  NULL if the snapshot has no stacks.
 */
unsigned char *calls_hits(const struct snapshot *s, const char *text);

/* A filter on the cells of one snapshot, for call graphs and sums. */
struct calls_filter {
	struct calls_request request; /* what it points to is borrowed */
	unsigned char *hits;          /* NULL: no text */
	struct calls_waits waits;     /* which sums of the delay event are known */
};

/* The filters of the shown snapshot and of the base. */
struct calls_filters {
	struct calls_filter now, base;
	bool compared;            /* a base exists; otherwise BASE is empty */
	bool without_kernel;      /* of waits, which all end in the kernel, its frames are hidden */
	struct rows_request rows; /* the request's, in which those frames hide no wait */
	struct share_sum whole;   /* the period of what 100 % is */
	struct share_sum latency; /* the same of the event latency */
};

void calls_filters_init(struct calls_filters *f, const struct calls_request *q);
void calls_filters_fini(struct calls_filters *f);
bool calls_shows(const void *filter, const struct snapshot_cell *c); /* struct calls_filter */

/*
 * With FRAME the graph has only the stacks through it, see callgraph.h.  The graph does not borrow
 * from the filters.
 */
struct callgraph *calls_graph(const struct calls_filters *f, bool bottom_up, uint32_t frame);

/* Computes ROW's shares from its periods.  ABOVE is the total of its parent row. */
void calls_shares(struct call_row *row, const struct share_sum *whole, double above);

/*
 * The nodes that a person opened and closed.  A choice is kept by the key of its row, the hash of
 * the path.  It is for the row alone, or for all rows below it, including later ones.  The newest
 * choice wins.  Starts zeroed.
 */
struct calls_state {
	struct map rows, below;
	uint32_t clock; /* number of choices so far; gives each its age */
};

void calls_state_fini(struct calls_state *s);
void calls_choose(struct calls_state *s, uint64_t key, bool open);
void calls_choose_all(struct calls_state *s, uint64_t key, bool open); /* and all rows below it */

/* The key of the child with FRAME of the row with key PARENT.  PARENT is 0 for roots. */
static inline uint64_t calls_key(uint64_t parent, uint32_t frame)
{
	return hash_u64(parent ^ ((uint64_t)frame + 1) * 0x9e3779b97f4a7c15u);
}

/* A shown row.  Its numbers are computed when they are first read. */
struct calls_line {
	uint64_t key;
	struct tree_place place;
	uint32_t item;         /* of the call graph; 0: the own part of the function in focus */
	uint32_t choice;       /* newest choice of an ancestor for all below it; 0: none */
	struct call_row *made; /* NULL: not computed yet */
};

/* Storage for computed rows.  A row never moves. */
struct calls_pool {
	struct call_row **blocks;
	size_t block_count, capacity;
	size_t used; /* rows */
};

struct calls {
	struct callgraph *graph;  /* NULL: no event is shown */
	struct share_sum whole;   /* the period of what 100 % is */
	struct share_sum latency; /* the same of the event latency */
	struct calls_line *lines;
	size_t count, capacity;
	struct calls_pool pool;
	bool itself;              /* one line is the own part of the function in focus */
	struct calls_waits waits; /* shared by all rows */
};

/* Row I, valid until the rows are rebuilt. */
const struct call_row *calls_row(struct calls *c, size_t i);

/* Sets *SUM to how long the waits of row I lasted; SIZE_MAX: those of all. */
void calls_lengths(const struct calls *c, size_t i, struct distribution *sum);

/* Who ended how many of the waits of row I; SIZE_MAX: of all rows.  See callgraph_wakers(). */
void calls_wakers(const struct calls *c, size_t i, waker_receiver *receive, void *context);

/*
 * Builds the open part of the tree.  A row that nobody opened or closed is open if its share is at
 * least OPEN_PERCENT.  STATE remembers this, so that rows do not come and go.
 *
 * With FRAME the tree has its callers (bottom-up) or its callees (top-down).  A stack is cut at its
 * outermost frame of FRAME.  Callees include a row for the own part of FRAME.  Callees add up to
 * the total of FRAME; callers add up to less if FRAME is also a root.
 */
struct calls_tree {
	bool bottom_up;
	uint32_t frame; /* FRAME_NONE: the whole tree */
	double open_percent;
	struct calls_state *state;
	size_t limit; /* rows; 0: no limit */
};
void calls_build_tree(struct calls *c, const struct calls_request *q, const struct calls_tree *t);

/*
 * Rebuilds the rows below row I after a change of STATE there.  Q and T are those of the last
 * calls_build_tree().  Filters are not read again.
 */
void calls_rows_below(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		      size_t i);

/* The first row with KEY at or after FROM; SIZE_MAX: none. */
size_t calls_row_of(const struct calls *c, uint64_t key, size_t from);

struct calls_search {
	struct callgraph_marks marks; /* the caller fills in `frames` and its count */
	size_t from;                  /* row */
	int direction;                /* 1 or -1; 0: as 1, and row FROM may match */
	uint64_t *opened;             /* keys of opened rows are appended; free() */
	size_t opened_count, capacity;
};

/*
 * Finds the next row with a marked frame, and wraps around at the end.  Closed rows are searched,
 * too: the path to the row is opened and noted in OPENED.  SIZE_MAX: no row matches.  C has rows.
 */
size_t calls_find(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		  struct calls_search *s);

void calls_fini(struct calls *c);

#endif
