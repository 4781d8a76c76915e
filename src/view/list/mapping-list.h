/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_MAPPING_LIST_H
#define PTOP_VIEW_LIST_MAPPING_LIST_H

#include "view/list/rows.h"

/* A mapping's row, or that of all with its path. */
struct mapping_row {
	const char *path, *name;
	double faults, major; /* of the time that the cells stand for; NAN not sampled */
	double base;          /* faults in the base; 0 without */
	double delta_percent; /* its share of all faults, less that in the base; NAN without one */
	uint64_t count;       /* mappings; 0: not known */
	struct snapshot_usage usage; /* of the one process whose mappings are known */
};

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

/* The index of the first event that is ID and makes samples; -1. */
int mappings_event(const struct snapshot *s, enum event_id id);

#endif
