/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_GRAPH_H
#define PTOP_VIEW_GRAPH_H

#include "profile/snapshot.h"
#include "view/widget/grid.h"

/*
 * The graph of %CPU of one process or thread over its kept past, in as many lines as there is room: the column CPU~,
 * large.  Each point is an interval, the newest at the right.
 */
struct graph {
	const struct snapshot_process *process; /* borrowed; NULL: none is selected */
	const float *
		figures; /* percent of one CPU, the oldest first, NAN: unknown; borrowed; NULL: none */
	int count;       /* of `figures` */
};

/*
 * Draws HEIGHT lines from ROW on.  The first one is the title: whose graph it is, over how many intervals, and what the
 * top of it stands for.  That is one CPU, or the highest figure that is shown if it is more.
 */
void graph_draw(struct grid *g, int row, int height, const struct graph *graph);

#endif
