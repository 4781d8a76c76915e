/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_AXIS_H
#define PTOP_VIEW_AXIS_H

#include <stdint.h>

#include "base/buf.h"
#include "profile/snapshot.h"
#include "view/widget/grid.h"

/*
 * The axis of time over all lists: how much was sampled when, and which window is shown.  A window
 * begins and ends at borders of slices.  The axis chooses a window and the collector sums it up, so
 * a screen always names the window of its own figures.
 */
struct axis_window {
	uint64_t from_ns, to_ns; /* as in struct snapshot_past; both 0: none, all or now */
};

/*
 * The window before (-1) or after (1) W, of equal width; none after the newest.  Without W: the
 * newest one, or in a recording also the oldest.
 */
struct axis_window axis_step(const struct snapshot_past *p, struct axis_window w, int direction);

/*
 * A window of twice (1) or half (-1) the width around its middle, within the past.  Without W: all,
 * or the newest.
 */
struct axis_window axis_resize(const struct snapshot_past *p, struct axis_window w, int direction);

struct axis_place {
	int column;
	int columns, points; /* of the axis as it was drawn: its width, and grid_points() */
};

/* The window around AT.  It is as wide as W, or as the first one of axis_step(). */
struct axis_window axis_at(const struct snapshot_past *p, struct axis_window w,
			   const struct axis_place *at);

/* Appends the time span of S as the axis shows it, or the time of S. */
void axis_describe(const struct snapshot *s, struct buf *out);

/* Draws the axis.  S has a past.  Bars are samples of EVENT (-1: none) on a scale of their own. */
void axis_draw(struct grid *g, int row, const struct snapshot *s, int event);

#endif
