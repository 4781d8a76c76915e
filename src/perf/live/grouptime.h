/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_GROUPTIME_H
#define PTOP_PERF_LIVE_GROUPTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/live/group.h"
#include "perf/record/record.h"

/*
 * The running time of a CPU's tasks, from the times in the records of its group.  No system call.
 *
 * The times of a READ are not the group's: the kernel writes those of the event that made the record
 * (perf_output_read() in kernel/events/core.c).  An event that was added, or was switched off for a
 * while, is late: its times are behind its leader's by as long as it was off.  So each member has its
 * lag, which its records tell: the group's times never go back, and never faster than the clock.
 *
 * When every switch writes a record, the time between two records is that of the second one's task.
 * When only a few do, it may be the time of many tasks, and of an idle CPU.  Then a sample of the clock
 * stands for its period, as with any profiler; other records bring no time.  An idle CPU makes no such
 * sample: what is longer than the period is nobody's.
 */

/*
 * A record of G, made by MAKER at TIME_NS with the times of READ.  MAKER is NULL when it is the leader or
 * not known: such times are never ahead of the group's.
 */
void group_time_update(struct group *g, struct member *maker, uint64_t time_ns,
		       const struct record_read *read);

/* Gives READ the group's times: all up to this record is the task's. */
void group_time_report(struct group *g, struct record_read *read);

/*
 * Gives READ its times when few switches write a record.  TICK_NS: how often the clock of G samples;
 * 0: nothing in G does, and no time is a task's.  TICKED: this is such a sample.
 */
void group_time_sample(struct group *g, uint64_t tick_ns, bool ticked, struct record_read *read);

#endif
