/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_STAT_H
#define PTOP_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scanner.h"

/*
 * Parsers of /proc text, pure: (bytes, size) in, struct out.  Format: proc(5).  Each returns 0, or
 * -EBADMSG if the text is not of that file.  Fields missing at the end (an older kernel) are 0.
 */
#define TASK_COMM_BYTES 64 /* kernel threads' names are longer than 15 in stat */

/* "4123 (a) b) R 1 …": the name ends at the last ')'. */
struct task_stat {
	uint32_t pid, ppid, pgrp, session, tty;
	char comm[TASK_COMM_BYTES]; /* raw bytes, may hold anything but NUL */
	char state;                 /* R S D T t Z X I … */
	uint32_t flags;             /* PF_*: 0x00200000 is a kernel thread */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks;
	int32_t priority, nice;
	uint32_t threads;
	uint64_t start_ticks; /* since boot */
	uint64_t virtual_bytes;
	int64_t resident_pages;
	uint32_t processor;
	uint64_t disk_ticks; /* waited for I/O; 0 as well if the kernel counts no delays */
};
int task_stat_parse(const char *text, size_t size, struct task_stat *out);

/*
 * Fields that status has and stat lacks.  "Tgid:" must be there.  On a machine with many CPUs and
 * memory nodes the text is longer than a page, and the switches are its last lines.
 */
struct task_status {
	uint32_t tgid, ppid;
	uint32_t uid, euid;
	int64_t voluntary_switches, involuntary_switches; /* -1: the text has no such line */
	uint64_t swap_kib;
	uint32_t nspid; /* its pid in the innermost pid namespace; 0 unknown */
};
int task_status_parse(const char *text, size_t size, struct task_status *out);

/*
 * *OWNER (base/owner.h) is whose the process is by this text of status; its file environ may say otherwise.  Returns 0, or
 * -EBADMSG if the text ends too early, or is of a process that has ended.
 */
int task_status_owner(const char *text, size_t size, uint64_t *owner);

struct task_statm {
	uint64_t size_pages, resident_pages, shared_pages;
};
int task_statm_parse(const char *text, size_t size, struct task_statm *out);

/*
 * The kernel's counts of each task since it began, in files of /proc/PID/task/TID.  proc(5) calls
 * the first two voluntary_ctxt_switches and nonvoluntary_ctxt_switches, in status.
 */
enum task_count {
	COUNT_VOLUNTARY, /* context switches */
	COUNT_INVOLUNTARY,
	/*
	 * io.  The file of a process, /proc/PID/io, includes the counts of children that it has
	 * waited for.
	 */
	COUNT_READ_BYTES,      /* from storage */
	COUNT_WRITTEN_BYTES,   /* towards storage: pages that it made dirty */
	COUNT_CANCELLED_BYTES, /* of dirty pages that it dropped before they were written */
	COUNT_READS,           /* calls such as read(2), also those that the cache answered */
	COUNT_WRITES,          /* calls such as write(2) */
	/* schedstat */
	COUNT_RUN_NS,   /* on a CPU */
	COUNT_DELAY_NS, /* waited for a CPU; a wait counts when it ends */
	TASK_COUNTS
};

/* io: its five counts in their order. */
int task_io_parse(const char *text, size_t size, uint64_t *out);
int task_schedstat_parse(const char *text, size_t size, uint64_t *run_ns, uint64_t *delay_ns);

/* The machine: "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime". */
/* Ticks since boot of "/proc/stat". */
enum cpu_tick {
	CPU_TICK_USER,
	CPU_TICK_NICE,
	CPU_TICK_SYSTEM,
	CPU_TICK_IDLE,
	CPU_TICK_IOWAIT,
	CPU_TICK_IRQ,
	CPU_TICK_SOFTIRQ,
	CPU_TICK_STEAL,
	CPU_TICKS
};

struct host_stat {
	uint64_t ticks[CPU_TICKS]; /* of all CPUs */
	uint64_t context_switches, processes_forked, boot_time_s;
	uint32_t running, blocked;
	uint32_t cpus;
};
int host_stat_parse(const char *text, size_t size, struct host_stat *out);

/* A line "cpu3 4705 150 1120 16250 520 30 45 2 0 0". */
struct cpu_stat {
	uint32_t number; /* below CPU_LIMIT */
	uint64_t ticks[CPU_TICKS];
};

/* Reads S, the text of "/proc/stat", up to and including the line of the next CPU.  Returns false if there is none. */
bool cpu_stat_next(struct scanner *s, struct cpu_stat *out);

struct host_memory {
	uint64_t total_kib, free_kib, available_kib, swap_total_kib, swap_free_kib;
};
int host_memory_parse(const char *text, size_t size, struct host_memory *out);

struct host_load {
	double load[3];
	uint32_t running, tasks, last_pid;
};
int host_load_parse(const char *text, size_t size, struct host_load *out);
int host_uptime_parse(const char *text, size_t size, double *uptime_s);

#endif
