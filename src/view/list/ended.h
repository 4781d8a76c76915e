/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_ENDED_H
#define PTOP_VIEW_LIST_ENDED_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "profile/snapshot.h"

/*
 * Rows of processes, or threads, that ended in the interval, put together: a compiler's hundred short
 * processes are one row with what they cost in all, and do not push what runs off the screen.  Those of
 * one name and user are one; in a tree also below one parent, where the parents are put together likewise.
 */
struct process_entry;

struct ended {
	struct snapshot_process *rows; /* what entries point to; as are the next two, owned */
	double *counters;              /* of each row one an event */
	struct strtab *texts;
};

/*
 * Changes the COUNT ENTRIES of S, and returns how many are left.  PARENTS has the index of each one's
 * parent, itself for a root; NULL: there is no tree.  Entries that were put together have a KEY, and
 * the numbers of the process that used most of the CPUs; what is used in an interval is summed up, what
 * is held is not known.  E holds them until the next call, or ended_fini(); it starts zeroed.
 */
size_t ended_fold(struct ended *e, const struct snapshot *s, struct process_entry *entries,
		  size_t count, const uint32_t *parents);
void ended_fini(struct ended *e);

#endif
