/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_ACT_H
#define PTOP_APP_ACT_H

#include "proc/procfs.h"
#include "ui/actions.h"

/*
 * Signals, nice values, CPUs and I/O priorities of processes, by keys.
 *
 * A pid may be another process's by the time that a person has answered a question.  So each act
 * opens the process (pidfd_open(2)) and compares its start time with the one that the person saw.
 * A signal is then sent to that descriptor.  The other calls know only pids, so each act looks
 * afterwards whether its process is still there.  As long as it is, the pid was its own; if not,
 * the act says that it ended.  Two processes that begin in one tick of /proc (10 ms) have the same
 * start time; a pid would have to come back within that.
 *
 * All of it is up to the kernel: ptop adds no rights, see SECURITY.md.
 */
extern const struct ui_acts process_acts;

/* Returns 0 if T still is the process that the person saw, or an errno: ESRCH if its pid is another's by now. */
int act_check_start(const struct procfs *proc, const struct ui_task *t);

#endif
