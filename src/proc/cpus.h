/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CPUS_H
#define PTOP_PROC_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/time-share.h"
#include "proc/procfs.h"
#include "proc/resctrl.h"
#include "proc/stat.h"

/*
 * The CPUs of the machine one by one: how each spent the time between two readings of /proc/stat, the
 * speed of its clock, and its place.  The place is read once, when a CPU is first seen online; what a
 * kernel or a container does not tell stays unknown.  The clocks are read in at most 1 % of the time:
 * behind some of their files is a firmware that takes a millisecond for each.
 */
struct cpu_entry {
	struct cpu_facts facts;
	struct cpu_stat last; /* of the previous reading */
	bool read;            /* `last` is there */
	bool present;         /* online, or it can be put online */
	bool placed;
	uint64_t capacity; /* of its core, relative to others; 0 unknown */
	int64_t cache;     /* the kernel's number of its cache of level 3; -1 unknown */
};

struct cpus {
	const char *sys_root;    /* "/sys/devices"; borrowed */
	struct cpu_entry *items; /* by ascending number, those that are no more too */
	size_t count, capacity;
	const struct clock *clock;
	struct time_share reading; /* of the clocks */
	bool no_cpufreq;
	struct resctrl resctrl; /* of the last-level caches, while somebody looks: cpus_watch() */
	bool watches_clocks, watches_caches;
	struct buf text;
};

void cpus_init(struct cpus *c, const char *sys_root, const struct clock *clock); /* both borrowed */
void cpus_fini(struct cpus *c);

/* STAT is the text of /proc/stat now, PASSED_TICKS after the reading before. */
void cpus_refresh(struct cpus *c, const struct procfs *procfs, const struct buf *stat,
		  double passed_ticks);

/* Reads the speed of each CPU's clock, too, from a file for each, and what resctrl counts for each last-level cache. */
void cpus_watch(struct cpus *c, bool clocks, bool caches);

/* The next reading then has no previous one: shares are unknown once. */
void cpus_forget(struct cpus *c);

#endif
