/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_COLUMNS_H
#define PTOP_VIEW_LIST_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/frame.h"
#include "view/widget/column.h"

/*
 * What the columns of several lists share.
 */
/*
 * What COUNT events (indices, under 0: none) counted in S, all by the same measure, so that their
 * ratio is right: as sampled when all of them are, else as credited.
 */
void column_symbol_values(const struct symbol_row *s, const int *events, size_t count,
			  double *values);

/* How the name of FRAME looks in the cell AT: dim when it is none, the kernel's in its own style. */
enum grid_style column_frame_style(const struct column_place *at, const struct frame_table *frames,
				   uint32_t frame);

/* Bits 1 << enum event_id of what S counts now: to be compared with `needs`. */
uint32_t column_counted(const struct snapshot *s);

#endif
