/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CPUS_H
#define PTOP_PROC_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cpu.h"
#include "proc/procfs.h"
#include "proc/stat.h"

/*
 * The CPUs of the machine one by one: how each spent the time between two readings of /proc/stat, the
 * speed of its clock, and its place.  The place is read once, when a CPU is first seen online; what a
 * kernel or a container does not tell stays unknown.
 */
struct cpu_entry {
	struct cpu_facts facts;
	struct cpu_stat last; /* of the previous reading */
	bool read;            /* `last` is there */
	bool present;         /* online, or it can be put online */
	bool placed;
	uint64_t capacity; /* of its core, relative to others; 0 unknown */
};

struct cpus {
	const char *sys_root;    /* "/sys/devices"; borrowed */
	struct cpu_entry *items; /* by ascending number, those that are no more too */
	size_t count, capacity;
	bool no_cpufreq;
	struct buf text;
};

void cpus_init(struct cpus *c, const char *sys_root);
void cpus_fini(struct cpus *c);

/* STAT, SIZE bytes, is the text of /proc/stat now.  Costs one more file for each CPU: the speed of its clock. */
void cpus_refresh(struct cpus *c, const struct procfs *procfs, const char *stat, size_t size);

/* What comes next has no previous reading: shares are unknown once. */
void cpus_forget(struct cpus *c);

#endif
