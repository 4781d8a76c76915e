/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_OBJECT_ROWS_H
#define PTOP_VIEW_OBJECT_ROWS_H

#include "view/rows.h"

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
