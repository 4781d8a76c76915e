/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_PROCESS_ENTRY_H
#define PTOP_VIEW_LIST_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/snapshot.h"
#include "view/widget/tree.h"

/* A row of the list of processes. */
struct process_entry {
	const struct snapshot_process *process;
	double samples, base_samples; /* of the event, hidden ones included; NAN: not sampled */
	double shown;                 /* shown ones; NAN: not sampled */
	double samples_percent;       /* share of the shown ones */
	double delta_percent;         /* share minus share in the base; NAN: no base */
	bool passes; /* passes the filters; in a tree ancestors of such a row stay, too */
	struct tree_place place; /* in a tree */
	uint64_t key;            /* of a group, see view/list/ended.h; 0: one process */
};

#endif
