/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TASKS_H
#define PTOP_PERF_LIVE_TASKS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Lists the tasks for the tier that must open each of them.  It reads names of directories, and for
 * a control group the file that lists its processes.  Tasks that vanish on the way are skipped.
 */
typedef void task_found(void *context, uint32_t pid, uint32_t tid);

/* All threads of PID below PROC_ROOT ("/proc"). */
void tasks_of_process(const char *proc_root, uint32_t pid, task_found *found, void *context);

/* All threads of all processes whose directory belongs to UID: their effective user, as a rule. */
void tasks_of_user(const char *proc_root, uid_t uid, task_found *found, void *context);

/*
 * All threads of the processes in the control group whose directory is DIRECTORY, and in those below
 * it (cgroups(7): cgroup.procs, a pid a line).
 */
void tasks_of_group(const char *directory, const char *proc_root, task_found *found, void *context);

#endif
