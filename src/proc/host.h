/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_HOST_H
#define PTOP_PROC_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "proc/cpus.h"
#include "proc/pressure.h"
#include "proc/procfs.h"
#include "proc/stat.h"

/*
 * The machine as a whole: name, load, memory, and how the CPUs spent the time between two readings.
 * A value whose file is missing or damaged is absent: NAN or -1.
 */
struct host {
	struct utsname system; /* nodename, release, machine */
	uint32_t cpus;         /* online; 0 unknown */
	double uptime_s;       /* NAN unknown */
	double load[3];        /* NAN unknown */
	int64_t tasks;         /* all threads; -1 unknown */
	int64_t running;       /* threads on a CPU or waiting for one; -1 unknown */
	/*
	 * Shares of all CPUs together between the last two readings, 0-100; NAN after a single
	 * reading.
	 */
	double cpu_percent;    /* everything but idle and iowait */
	double user_percent;   /* user and nice */
	double system_percent; /* system, irq and softirq */
	double idle_percent, iowait_percent, steal_percent;
	/* Bytes; -1 unknown.  Used is total less available, as free(1) has it. */
	int64_t memory_total_bytes, memory_used_bytes, swap_total_bytes, swap_used_bytes;

	struct pressure pressure; /* since the reading before */

	/* Each CPU by itself, brought up to date while somebody looks: host_watch_cpus(). */
	struct cpus cpus_each;
	bool watches_cpus;

	const struct clock *clock;
	struct group_reading waits; /* what `pressure` is between */
	struct host_stat last;      /* of the previous reading */
	uint64_t read_ns;           /* when that was, by the monotonic clock */
	bool read;                  /* `last` is there */
	struct buf text;
};

/* SYS_ROOT: NULL means "/sys/devices"; borrowed, like CLOCK. */
void host_init(struct host *h, const char *sys_root, const struct clock *clock);
void host_fini(struct host *h);
void host_watch_cpus(struct host *h, bool watch);
void host_refresh(struct host *h, const struct procfs *procfs);

#endif
