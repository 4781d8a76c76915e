/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/loss.h"

#include "base/i18n.h"

/* clang-format off */
const struct loss losses[LOSSES] = {
	/* mappings that were wanted, but not read or kept: their user has too many */
	[LOSS_MAPS]   = { "unread_maps", N_("mappings not read") },
	/* looked up without room for one more function or object */
	[LOSS_NAMES]  = { "merged_names", N_("names merged") },
	/* control groups that have no room, and times that a process's had none: that is in `[unknown]` */
	[LOSS_GROUPS] = { "refused_groups", N_("control groups without room") },
	/* samples whose symbols were still being read, without room to wait for them */
	[LOSS_WAITS]  = { "hurried_samples", N_("samples named too early") },
	/* frames of Python that the kernel walked, and for which its ring or ours had no room (perf/bpf/kernel-python.h) */
	[LOSS_WALKS]  = { "lost_walks", N_("walks of Python lost") },
	/* samples whose task did not fit in the table, or has a number that no task has */
	[LOSS_TASKS]  = { "taskless_samples", N_("samples of no task") },
	/* samples and counts with the number of no event */
	[LOSS_EVENTS] = { "unknown_events", N_("records of unknown events") },
	/* totals below those before them, which count from there, or more than a sum can hold */
	[LOSS_COUNTS] = { "restarted_counters", N_("counters began again") },
	/* what tables gave back because all had more than --max-memory: `account` says which */
	[LOSS_MEMORY] = { "shed_kib", N_("KiB shed") },
	/* the lightest cells and processes, for which a shared snapshot had no room (share/block.h) */
	[LOSS_CUT]    = { "cut_rows", N_("rows cut for room") },
	/* processes of others, where /proc hides them from the user of this snapshot (share/audience.h) */
	[LOSS_HIDDEN] = { "hidden_processes", N_("processes of others hidden") },
};
/* clang-format on */
