/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_OBJECT_LIST_H
#define PTOP_VIEW_LIST_OBJECT_LIST_H

#include "view/list/rows.h"

/* An object's row: its cells of one event. */
struct object_row {
	uint32_t object;         /* frame_object() */
	const char *path, *name; /* a kernel module's own, whose object is the kernel */
	double samples, period;
	double overhead_percent; /* as a symbol's; as are the next two */
	double base, delta_percent;
	double unresolved;                  /* of its samples those without a symbol */
	const struct snapshot_object *info; /* NULL: not known */
};

/*
 * Cells of one event folded by the object that their code is in.  The kernel's modules are rows of
 * their own.
 */
struct objects {
	struct object_row *rows;
	size_t count, capacity;
};

/* Rebuilds O, which starts zeroed, of the cells that ROWS, of the same REQUEST, lets pass. */
void objects_build(struct objects *o, const struct snapshot *s, const struct rows *rows,
		   const struct rows_request *request);
void objects_fini(struct objects *o);

#endif
