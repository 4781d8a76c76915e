/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_MAPPING_LIST_H
#define PTOP_VIEW_LIST_MAPPING_LIST_H

#include "view/list/rows.h"

/* The row of all mappings of one path. */
struct mapping_row {
	const char *path, *name;
	double faults, major;        /* over the time that the cells stand for; NAN: not sampled */
	double base;                 /* faults in the base; 0: no base */
	double delta_percent;        /* share of all faults minus that in the base; NAN: no base */
	uint64_t count;              /* mappings; 0: not known */
	struct snapshot_usage usage; /* of the one process whose mappings were read */
};

/*
 * Mappings by path: the faults in them, of all processes or of one; and what they hold in the
 * process whose memory the snapshot has.  A path keeps its row when its file is deleted.
 */
struct mappings {
	struct mapping_row *rows;
	size_t count, capacity;
};

/*
 * Rebuilds M, which starts zeroed, from the cells that pass REQUEST.  ROWS was built from REQUEST.
 * With HELD the mappings of the snapshot are added.
 */
void mappings_build(struct mappings *m, const struct snapshot *s, const struct rows *rows,
		    const struct rows_request *request, bool held);
void mappings_fini(struct mappings *m);

/* The index of the first sampled event that is ID; -1: none. */
int mappings_event(const struct snapshot *s, enum event_id id);

#endif
