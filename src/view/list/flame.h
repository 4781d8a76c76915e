/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_FLAME_H
#define PTOP_VIEW_LIST_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/list/calls.h"
#include "view/widget/grid.h"

/*
 * A flame graph.  Each function is a box as wide as its share, on (or under) the box of its caller.
 * Siblings are sorted by name, so they keep their places.  A function narrower than a column has no
 * box.
 *
 * With a base, colours show the difference.  A path with samples is as wide as its share now.  A
 * path that only the base has is as wide as its share there, and widens its callers by as much.
 */
struct flame_box {
	struct call_row row; /* `place.depth` is the level, `item` that of the call graph */
	int column, width;
	double weight;   /* percent; the width is proportional to it */
	uint32_t parent; /* index of a box; a root is its own parent */
	bool match;      /* it matches the search */
};

struct flame {
	struct callgraph *graph;
	struct share_sum whole;  /* the period of what 100 % is */
	struct flame_box *boxes; /* each caller before its callees */
	size_t count, capacity;
	int levels;
	double match_percent; /* share of the stacks that match the search; NAN: no search */
};

/* The frames from the root to the box that has the full width.  COUNT 0: the root. */
struct flame_path {
	const uint32_t *frames;
	size_t count;
};

/* Builds the call graph.  TEXT is the text of the search, or NULL. */
void flame_build(struct flame *f, const struct calls_request *q, const char *text);

/*
 * Computes the boxes of what is below PATH for a width of COLUMNS.  The boxes of PATH itself have
 * the full width.  If PATH has ended, its longest remaining part is used.
 */
void flame_layout(struct flame *f, const struct snapshot *s, const struct flame_path *path,
		  int columns, const char *text);
void flame_fini(struct flame *f);

/* Where and how boxes are drawn. */
struct flame_area {
	int row, height, column;
	int first;       /* the lowest level that is drawn */
	bool icicle;     /* grows downwards */
	bool plain;      /* no colours: boxes are filled with a line */
	size_t selected; /* box; SIZE_MAX none */
};

void flame_draw(struct grid *g, const struct flame *f, const struct snapshot *s,
		const struct flame_area *area);

/* The grid row of LEVEL.  It is outside of the area if LEVEL is scrolled out. */
int flame_row(const struct flame_area *area, int level);

/* The box at a place of the grid; SIZE_MAX: none. */
size_t flame_at(const struct flame *f, const struct flame_area *area, int row, int column);

/* The box to select first: the one that fills the graph, or the largest root. */
size_t flame_start(const struct flame *f, const struct flame_path *path);

/* The neighbour of BOX: up the stack (1), down (-1); at the same level right (1) or left (-1). */
size_t flame_above(const struct flame *f, size_t box);
size_t flame_sibling(const struct flame *f, size_t box, int direction);

#endif
