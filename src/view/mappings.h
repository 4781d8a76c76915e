/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_MAPPINGS_H
#define PTOP_VIEW_MAPPINGS_H

#include "view/rows.h"

/*
 * Mappings by path: what faulted in them, of all processes or of one, and of the process whose memory
 * the snapshot knows what they hold.  One that was deleted is the same as it was before.
 */
struct mappings {
	struct mapping_row *rows;
	size_t count, capacity;
};

/*
 * Rebuilds M, which starts zeroed, of the cells that ROWS, of the same REQUEST, lets pass; with HELD
 * of the mappings that the snapshot has, too.
 */
void mappings_build(struct mappings *m, const struct snapshot *s, const struct rows *rows,
		    const struct rows_request *request, bool held);
void mappings_fini(struct mappings *m);

/* The bytes of PATH that tell a mapping: without " (deleted)". */
size_t mappings_path_size(const char *path);

/* The index of the first event that is ID and makes samples; -1. */
int mappings_event(const struct snapshot *s, enum event_id id);

#endif
