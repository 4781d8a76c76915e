/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_THREAD_H
#define PTOP_PROC_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/stat.h"

/*
 * One task.  Which process it belongs to is kept from FORK, COMM and EXIT records and, for tasks
 * that were there before us, from /proc.  A process has its leader (tid == pid) from the start; its
 * other threads appear when a record names them or when their figures are asked for.
 */
struct process;

/* What /proc/PID/task/TID says; differences as in struct process. */
#define TASK_WCHAN_BYTES 128		/* longer names are cut */

struct thread_figures {
	struct task_stat stat;		/* as last read */
	double cpu_percent;
	int64_t minor_faults, major_faults;
	uint64_t read_ns;		/* what the figures are valid for */
	bool baseline;			/* they are of one refresh, and complete */
	uint64_t refresh;		/* the number of the refresh that they are valid for */
	/* The kernel function in which it sleeps, when that is asked for; "" none is known. */
	char wchan[TASK_WCHAN_BYTES];
	bool wchan_tried;		/* since it last ran */
};

struct thread {
	uint32_t tid;
	uint32_t slot;			/* for the owner's use (counters); 0 at first */
	uint8_t mark;			/* likewise (is it a target?) */
	char comm[TASK_COMM_BYTES];	/* raw bytes; "" unknown */
	struct process *process;	/* borrowed */
	bool exited;
	bool ran;			/* since the last refresh: process_thread_ran() */
	uint64_t born_at;		/* number of refreshes done before; UINT64_MAX: before us */
	bool switches_known;		/* the two counts below hold until it runs again */
	uint64_t voluntary_switches, involuntary_switches;	/* since it began, as last read */
	int64_t voluntary_delta, involuntary_delta;	/* kept only as `figures` are */
	uint64_t exited_at;		/* number of refreshes done before */
	struct thread_figures *figures;	/* NULL unless `threads` of struct refresh asks; owned */
};

#endif
