/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_SCHED_H
#define PTOP_PERF_DATA_FILE_SCHED_H

#include "perf/data/file-events.h"

/*
 * Switches and wake-ups of a recording, in the form of the live kernel's (source.h,
 * TIER_CPU_GROUP).  They come from records of switches (perf record --switch-events), or from
 * samples of sched:sched_switch.  Such a sample has the stack of the task that goes.  System calls come
 * from samples of raw_syscalls:sys_enter and sys_exit.  Inside perf/ only.
 */

static inline bool file_sched_is_call(enum file_sched_kind kind)
{
	return kind == FILE_SCHED_ENTER || kind == FILE_SCHED_LEAVE;
}

/* Reads from the header's section of tracing data where the fields of the scheduler's tracepoints are. */
void file_sched_read(struct file_events *events, struct bytes b);

/* Returns true if an event of KIND is there whose fields are known. */
bool file_sched_has(const struct file_events *events, enum file_sched_kind kind);

/* Returns true if samples of EVENT are of the task that gives up the CPU, at each switch. */
bool file_sched_switches(const struct file_events *events, size_t event);

/* Returns true if such samples have call chains. */
bool file_sched_has_stacks(const struct file_events *events);

/*
 * Makes the records that a live source would hand over behind the sample R: two switches, a wake-up,
 * or the begin or return of a system call.
 * Returns how many are in MADE.
 */
size_t file_sched_make(const struct file_events *events, const struct record *r,
		       struct record made[2]);

#endif
