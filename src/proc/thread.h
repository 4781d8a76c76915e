/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_THREAD_H
#define PTOP_PROC_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/microstates.h"
#include "proc/stat.h"

/*
 * One task.  FORK, COMM and EXIT records tell which process it belongs to; for older tasks /proc
 * does.  A process has its leader (tid == pid) from the start.  Another thread appears when a
 * record names it or when its figures are asked for.
 */
struct process;

/* The content of /proc/PID/task/TID; differences are as in struct process. */
#define TASK_WCHAN_BYTES 128 /* longer names are cut */

struct thread_figures {
	struct task_stat stat; /* as last read */
	double cpu_percent;
	int64_t minor_faults, major_faults;
	uint64_t read_ns;          /* CLOCK_MONOTONIC of the figures */
	bool baseline;             /* the figures are complete, all from one refresh */
	uint64_t refresh;          /* number of that refresh */
	struct microstates states; /* if `states` of struct refresh asks */
	/* The kernel function in which it sleeps, if asked for; "" unknown. */
	char wchan[TASK_WCHAN_BYTES];
	bool wchan_tried; /* since it last ran */
};

/* The files that enum task_count is from.  Each is read for threads that ran, if somebody asks for it. */
enum task_file { TASK_SWITCHES, TASK_IO, TASK_DELAYS, TASK_FILES };

/* Files that may stay open between refreshes: these, and others.  The leader has those of its process, too. */
enum { KEPT_STAT = TASK_FILES, KEPT_PROCESS_STAT, KEPT_CGROUP, KEPT_FILES };

struct kept_files {
	int fds[KEPT_FILES]; /* below 0: not open */
};

struct thread_counts {
	uint64_t counts[TASK_COUNTS]; /* as last read */
	int64_t deltas[TASK_COUNTS];  /* as in struct process */
	uint64_t read_at[TASK_FILES]; /* number of that refresh; 0: not current */
};

struct thread {
	uint32_t tid;
	uint32_t slot;              /* for the owner's use (counters); 0 at first */
	uint8_t mark;               /* likewise (is it a target?) */
	char comm[TASK_COMM_BYTES]; /* raw bytes; "" unknown */
	struct process *process;    /* borrowed */
	bool exited;
	bool ran;                       /* since the last refresh: process_thread_ran() */
	uint64_t born_at;               /* number of refreshes done before; UINT64_MAX: before us */
	uint64_t born_ns;               /* CLOCK_MONOTONIC, if a record told that; 0 unknown */
	uint64_t exited_at;             /* number of refreshes done before */
	struct thread_figures *figures; /* NULL unless struct refresh asks for them; owned */
	struct thread_counts *counts;   /* NULL before one was read; owned */
	struct kept_files *files;       /* NULL unless one is open; owned */
};

#endif
