/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CPU_ROWS_H
#define PTOP_VIEW_LIST_CPU_ROWS_H

#include "view/list/branch.h"

/*
 * The CPUs of a snapshot as a tree: the machine, its packages, nodes, last-level caches and cores, and the
 * CPUs.  A level that would repeat another one is left out.  A group's counters and samples
 * are the sums of its CPUs, its shares and its clock the means of those that are online.
 */
enum cpu_level {
	CPU_LEVEL_CPU,
	CPU_LEVEL_CORE,
	CPU_LEVEL_LLC,
	CPU_LEVEL_NODE,
	CPU_LEVEL_PACKAGE,
	CPU_LEVEL_MACHINE,
	CPU_LEVELS
};
#define CPU_LEVEL_AUTO CPU_LEVELS /* nodes with more than CPUS_FOLDED CPUs, else CPUs */
#define CPUS_FOLDED 64

/* The word of a level: "cpu", "core", "llc", ... */
const char *cpu_level_name(enum cpu_level level);
/* The level with that NAME, or "auto"; -1: none. */
int cpu_level_find(const char *name);

#define CPU_NAME_BYTES 24

struct cpu_row {
	struct branch branch; /* its key: see cpu_key() */
	enum cpu_level level;
	char name[CPU_NAME_BYTES]; /* "cpu3", "node1", "machine" */
	uint32_t cpus, online;     /* how many it has */
	struct cpu_facts facts;    /* of a group: means, and the places that all of it share */
	const double *counters;    /* by event, of the interval; NAN: not counted; borrowed */
	double busy_percent;       /* neither idle nor waiting for I/O; NAN unknown */
	double samples;            /* of the shown event in the interval; NAN unknown */
};

struct cpus_request {
	struct branch_choice choice;
	enum cpu_level
		level; /* rows of it, and of finer ones, are closed at first; or CPU_LEVEL_AUTO */
};

struct cpu_rows {
	struct cpu_row *items;
	size_t item_count, item_capacity;
	struct branch_order shown;
	double *values; /* what `counters` point to */
};

/* Rebuilds R, which starts zeroed.  ROWS was built from the same request; what R points to belongs to S. */
void cpu_rows_build(struct cpu_rows *r, const struct snapshot *s, const struct rows *rows,
		    const struct cpus_request *q);
void cpu_rows_fini(struct cpu_rows *r);

/* A filter looks into its name and into the name of what runs there most. */
bool cpu_row_matches(const struct cpu_row *row, const char *text);

/*
 * Identifies a CPU or a group in every snapshot: above all serials of processes.  The second function
 * tells if FACTS is of a CPU of the group KEY, the third writes its name.
 */
uint64_t cpu_key(enum cpu_level level, int32_t number);
bool cpu_key_has(uint64_t key, const struct cpu_facts *facts);
void cpu_key_name(uint64_t key, char name[CPU_NAME_BYTES]);

#endif
