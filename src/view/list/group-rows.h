/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_GROUP_ROWS_H
#define PTOP_VIEW_LIST_GROUP_ROWS_H

#include "view/list/branch.h"

/*
 * The control groups of a snapshot as a tree.  Counts of processes are summed up: a row has the
 * counts of all below it.  With more than GROUPS_FOLDED groups those below the second level are
 * closed at first.
 */
#define GROUPS_FOLDED 400
#define GROUPS_OPEN_LEVELS 2

struct group_row {
	struct branch branch; /* its key: see group_key() */
	const struct snapshot_group *group;
	uint32_t processes; /* that live, in it and below */
	double cpu_percent; /* likewise, with those that ended; 100 is one CPU; NAN unknown */
	const double
		*counters; /* likewise, by event, of the interval; NAN: not counted; borrowed */
};

struct group_rows {
	struct group_row *items; /* as the groups of the snapshot */
	size_t item_count, item_capacity;
	struct branch_order shown;
	double *values; /* what `counters` point to */
};

/* Rebuilds R, which starts zeroed.  ROWS was built from the same request; what R points to belongs to S. */
void group_rows_build(struct group_rows *r, const struct snapshot *s, const struct rows *rows,
		      const struct branch_choice *choice);
void group_rows_fini(struct group_rows *r);

/* A filter looks into its name, its path, and the name of the process with the most samples. */
bool group_row_matches(const struct group_row *row, const char *text);

/* The name of the group with KEY; NULL: it is not in S. */
const char *group_key_name(const struct snapshot *s, uint64_t key);

/* Replaces MEMBERS by the keys of the group with KEY and of all below it. */
void group_members(const struct snapshot *s, uint64_t key, struct map *members);

#endif
