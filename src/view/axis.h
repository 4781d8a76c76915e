/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_AXIS_H
#define PTOP_VIEW_AXIS_H

#include <stdint.h>

#include "base/buf.h"
#include "profile/snapshot.h"
#include "view/widget/grid.h"

/*
 * The line over everything that shows when how much was sampled, and which window of time the screen
 * is of.  Windows begin and end where slices of the past do; they are chosen here, and summed up by
 * the collector, so that a screen always says what its own figures are of.
 */
struct axis_window {
	uint64_t from_ns, to_ns; /* as struct snapshot_past has them; both 0: none, all or now */
};

/*
 * The window before (-1) or behind (1) W, as wide; none behind the newest.  Without one: the newest,
 * or of a recording also the oldest.
 */
struct axis_window axis_step(const struct snapshot_past *p, struct axis_window w, int direction);

/* Twice (1) or half (-1) as wide around its middle, within what there is; of none all, or the newest. */
struct axis_window axis_resize(const struct snapshot_past *p, struct axis_window w, int direction);

/* As wide as W, or as one that axis_step() begins with, around COLUMN of an axis drawn in COLUMNS. */
struct axis_window axis_at(const struct snapshot_past *p, struct axis_window w, int columns,
			   int column);

/* Adds from when to when S is of, as the line says it; or when it was made. */
void axis_describe(const struct snapshot *s, struct buf *out);

/* S has a past.  The bars are samples of EVENT, -1 none, on a scale of their own. */
void axis_draw(struct grid *g, int row, const struct snapshot *s, int event);

#endif
