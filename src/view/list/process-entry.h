/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_PROCESS_ENTRY_H
#define PTOP_VIEW_LIST_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/snapshot.h"
#include "view/widget/tree.h"

/* A row of processes: the process, and what the view says of it. */
struct process_entry {
	const struct snapshot_process *process;
	double samples, base_samples; /* of the event, also hidden ones; NAN: not sampled */
	double shown;                 /* those of them that are shown; NAN */
	double samples_percent;       /* their share */
	double delta_percent;         /* that, minus its share in the base; NAN without one */
	bool passes;             /* the filters; in a tree ancestors of such a row are there, too */
	struct tree_place place; /* in a tree */
	uint64_t key;            /* of several processes in one row; 0: it is one process */
};

#endif
