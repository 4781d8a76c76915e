/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_CALLGRAPH_H
#define PTOP_PROFILE_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/snapshot.h"
#include "profile/distribution.h"

/*
 * The stacks of a snapshot with counts, as a tree to walk through: top-down, from the outermost frame
 * to what it calls, or bottom-up, from each leaf to its callers.  Both come from the same nodes and
 * cells.  An item's children are made on request, so that a tree of millions of nodes
 * costs only what somebody opens.  One thread; the snapshot is borrowed and outlives it.
 */

/* Further sums of an item, besides its samples or periods of the event. */
struct callgraph_extra {
	double period, samples;
	double longest; /* not a sum: the largest */
	double part;    /* of the event's own period */
	double latency; /* period of the event latency */
};

/* Adds C to *SUM. */
void callgraph_extra_add(struct callgraph_extra *sum, const struct callgraph_extra *c);

enum callgraph_direction { CALLGRAPH_TOP_DOWN, CALLGRAPH_BOTTOM_UP };

struct callgraph_options {
	enum callgraph_direction direction;
	uint16_t event;
	bool period; /* sum periods; else samples */
	/*
	 * Only what is around FRAME: of each stack with it what is below (top-down) or above (bottom-up)
	 * the outermost of its frames.  The root is FRAME then.  FRAME_NONE: everything.
	 */
	uint32_t frame;
	/* Chooses the cells that count; NULL: all of the event. */
	bool (*shows)(const void *context, const struct snapshot_cell *c);
	const void *context;
	/*
	 * Sets *SUM to the further sums of C, whatever its event is.  Returns false if C has none.  NULL:
	 * no cell has any.  CONTEXT is that of `shows`, which is not called for these cells.
	 */
	bool (*extra)(const void *context, const struct snapshot_cell *c,
		      struct callgraph_extra *sum);
	/* A stack ends at its last frame that is not the kernel's: what it counts is that frame's. */
	bool without_kernel;
	bool waits; /* the event counts time: how long its waits lasted is wanted, see callgraph_waits() */
	/*
	 * The snapshot to compare with, or NULL: it has the same events and frames.  `shows` gets
	 * BASE_CONTEXT with its cells.  Paths that only the base has are there, too, with nothing.
	 */
	const struct snapshot *base;
	const void *base_context;
};

/*
 * TOTAL is what came with the item's path from the root.  SELF is the part of it whose path ends here:
 * the samples of the function itself top-down, bottom-up those of stacks with no further
 * caller.  TOTAL is SELF and all children's TOTAL.  Item 0 is the root: frame FRAME_NONE, everything.
 * BASE_TOTAL and BASE_SELF are the same of the base, 0 without one.
 */
struct callgraph_item {
	uint32_t parent; /* item */
	uint32_t frame;
	uint32_t first_child, child_count; /* valid when it was expanded */
	uint32_t depth;                    /* the root 0 */
	bool expanded;
	bool leaf; /* it has no children: known without expanding it */
	double self, total;
	double base_self, base_total;
	double gone; /* top-down, not around a function: of BASE_TOTAL what came with paths
				 * that have nothing now */
	uint32_t node, from, count, extra; /* the graph's own */
};

struct callgraph;

struct callgraph *callgraph_new(const struct snapshot *s, const struct callgraph_options *options);
void callgraph_free(struct callgraph *g); /* NULL is allowed */

/* Borrowed until the next callgraph_expand(). */
const struct callgraph_item *callgraph_at(const struct callgraph *g, uint32_t item);
size_t callgraph_count(const struct callgraph *g); /* items that were made */

/*
 * The further sums of ITEM's total.  callgraph_extra_self() is for the root around a function, top-down:
 * those of its self.  All zero without `extra` in the options.  Borrowed as an item is.
 */
const struct callgraph_extra *callgraph_extra(const struct callgraph *g, uint32_t item);
const struct callgraph_extra *callgraph_extra_self(const struct callgraph *g);

/*
 * Sets *SUM to how long the waits of ITEM's total lasted.  callgraph_waits_self() is for the root around a
 * function, as callgraph_extra_self() is.  None without `waits` in the options.
 */
void callgraph_waits(const struct callgraph *g, uint32_t item, struct distribution *sum);
void callgraph_waits_self(const struct callgraph *g, struct distribution *sum);

/*
 * Tells who ended how many of the waits of ITEM's total: frames, 0 for unknown ones.  The same one may come
 * again.  For one item: it may look at all nodes.
 */
void callgraph_wakers(const struct callgraph *g, uint32_t item, waker_receiver *receive,
		      void *context);

/* The child of ITEM with FRAME, or 0. */
uint32_t callgraph_child(struct callgraph *g, uint32_t item, uint32_t frame);

/*
 * Makes ITEM's children, if that was not done; they are numbered one after the other from
 * `first_child`, the largest total first, then the largest of the base.  Their number.
 */
uint32_t callgraph_expand(struct callgraph *g, uint32_t item);

/*
 * Marks the nodes above chosen frames: FRAMES is borrowed and has a byte other than 0 for each of
 * these.  callgraph_mark() makes NODES, owned by the caller and valid for this graph alone.  Then
 * callgraph_marked_below() returns true if such a frame is below ITEM, without making its children.
 */
struct callgraph_marks {
	const unsigned char *frames;
	size_t frame_count;
	unsigned char *nodes;
};
void callgraph_mark(const struct callgraph *g, struct callgraph_marks *m);
bool callgraph_marked_below(const struct callgraph *g, uint32_t item,
			    const struct callgraph_marks *m);

/*
 * By frame, how much came with stacks that have it anywhere, each stack counted once: what a symbol
 * and all that it calls spent.  An array of frame_table_count(s->frames) numbers, as many as *COUNT
 * says, owned by the caller.  DIRECTION is not looked at.  A cell without a stack counts for its
 * frame.
 */
double *callgraph_inclusive(const struct snapshot *s, const struct callgraph_options *options,
			    size_t *count);

#endif
