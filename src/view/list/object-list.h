/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_OBJECT_LIST_H
#define PTOP_VIEW_LIST_OBJECT_LIST_H

#include "view/list/rows.h"

/* The row of an object: the sum of its cells of one event. */
struct object_row {
	uint32_t object;         /* frame_object() */
	const char *path, *name; /* a kernel module has its own, and the kernel's object */
	double samples, period;
	double overhead_percent; /* as of a symbol, like the next two */
	double base, delta_percent;
	double unnamed;                     /* samples without a symbol */
	const struct snapshot_object *info; /* NULL: not known */
};

#endif
