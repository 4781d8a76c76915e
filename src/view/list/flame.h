/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_FLAME_H
#define PTOP_VIEW_LIST_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/list/calls.h"
#include "view/widget/grid.h"

/*
 * A flame graph: each function a box as wide as its share of all samples, on (or under) the box of
 * its caller.  Siblings stand in the order of their names, so that they keep their places.  What is
 * narrower than a column has no box.
 *
 * With a base colours tell the difference.  What is there now is as wide as its share now; a path that
 * has nothing now, as wide as its share in the base, by which all that it stood on is wider.
 */
struct flame_box {
	struct call_row row; /* `place.depth` is the level, `item` as in the call graph */
	int column, width;
	double weight;   /* what its width is in proportion to, in percent */
	uint32_t parent; /* box; the lowest ones their own */
	bool match;      /* it is searched for */
};

struct flame {
	struct callgraph *graph;
	struct share_sum whole;  /* the period of what 100 % is */
	struct flame_box *boxes; /* callers in front of what they call */
	size_t count, capacity;
	int levels;
	double match_percent; /* of stacks through what is searched for; NAN: nothing is */
};

/* The frames from the root to the box that has the whole width; COUNT 0: all. */
struct flame_path {
	const uint32_t *frames;
	size_t count;
};

/* Sums the stacks up.  TEXT is what is searched for, or NULL. */
void flame_build(struct flame *f, const struct calls_request *q, const char *text);

/*
 * Makes the boxes for COLUMNS, of what is below PATH; the boxes of PATH itself lie below that, as wide
 * as all.  A path that is not there any more is followed as far as it is.
 */
void flame_layout(struct flame *f, const struct snapshot *s, const struct flame_path *path,
		  int columns, const char *text);
void flame_fini(struct flame *f);

/* How and where boxes are drawn. */
struct flame_area {
	int row, height, column;
	int first;       /* the lowest level that is drawn */
	bool icicle;     /* grows downwards */
	bool plain;      /* no colours: boxes are filled with a line */
	size_t selected; /* box; SIZE_MAX none */
};

void flame_draw(struct grid *g, const struct flame *f, const struct snapshot *s,
		const struct flame_area *area);

/* The row of the grid that LEVEL is drawn in; outside of the area when it is scrolled out. */
int flame_row(const struct flame_area *area, int level);

/* The box at that place, or SIZE_MAX. */
size_t flame_at(const struct flame *f, const struct flame_area *area, int row, int column);

/* The box to begin with: the one that fills the graph, else the largest of the lowest. */
size_t flame_start(const struct flame *f, const struct flame_path *path);

/* The neighbour of BOX: up the stack (1), down (-1); at the same level right (1) or left (-1). */
size_t flame_above(const struct flame *f, size_t box);
size_t flame_beside(const struct flame *f, size_t box, int direction);

#endif
