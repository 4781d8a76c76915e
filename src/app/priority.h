/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PRIORITY_H
#define PTOP_APP_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"

/*
 * Who measures must have its turn: beside thousands of tasks that run, rings overflow and keys wait.  A nice value alone
 * does not help against other sessions and control groups, among which the kernel divides the CPUs first (sched(7)).
 */
#define PRIORITY_NICE (-10)
#define PRIORITY_REALTIME 1 /* of SCHED_RR, the lowest: other real-time tasks come first */
#define PRIORITY_BUSY_NS (2 * NS_PER_S) /* CPU time of a thread that never waits */

/*
 * Takes the nice value for this thread and for WORKERS (a process; 0: there is none), if we are root and nobody gave another.
 * With REALTIME this thread becomes a real-time one, for which somebody must keep a budget.  Its children are ordinary.
 */
void priority_raise(pid_t workers, bool realtime);

/*
 * From now on threads that it starts are like this one; call it after the last child is there, and before rights are given up.
 * Each of them falls back to its nice value for good when it computes for PRIORITY_BUSY_NS without waiting.
 */
void priority_keep(void);

#endif
