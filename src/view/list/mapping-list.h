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

/* The index of the first sampled event that is ID; -1: none. */
int mappings_event(const struct snapshot *s, enum event_id id);

#endif
