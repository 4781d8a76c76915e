/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_ENDED_H
#define PTOP_VIEW_LIST_ENDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "profile/snapshot.h"

/*
 * Groups processes, or threads, that ended in the interval.  A hundred short processes of a
 * compiler become one row with their total cost, and leave room for what still runs.  A group has
 * one name and one user.  In a tree its members also have the same parent, or parents of one group.
 */
struct process_entry;

struct ended {
	struct snapshot_process *rows; /* entries point here; this and the next two are owned */
	double *counters;              /* one for each event in each row */
	struct strtab *texts;
};

/*
 * Replaces each group among the COUNT ENTRIES of S by one entry, and returns how many entries are
 * left.  PARENTS has the index of each entry's parent, or its own for a root; NULL: no tree.  The
 * entry of a group has a KEY and the pid of the member that used most CPU time.  Amounts used in
 * the interval are summed up; amounts held, such as memory, are unknown.  E owns the rows until the
 * next call or ended_fini().  E starts zeroed.
 */
size_t ended_fold(struct ended *e, const struct snapshot *s, struct process_entry *entries,
		  size_t count, const uint32_t *parents);
void ended_fini(struct ended *e);

#endif
