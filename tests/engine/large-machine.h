/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LARGE_MACHINE_H
#define PTOP_TESTS_LARGE_MACHINE_H

#include "engine/rig.h"
#include "proc/tree.h"

/*
 * An engine on the trees of a large machine: processes that mostly sleep, control groups of which each has the files of
 * version 2, CPUs with two threads a core on four nodes.  The clock goes on by a second at each refresh.
 */
struct large_machine {
	struct rig rig;
	struct tree tree;
	char sys_root[80];
	uint32_t processes, groups, cpus;
	uint64_t refreshes;
	uint64_t *totals;   /* of each CPU; owned */
	uint64_t marked_ns; /* CPU time of the thread when the clock showed rig.now_ns */
	struct clock clock;
	/*
	 * The clock also goes on with the CPU time of the thread, so that work that may take 1 % of the time is held to it, on a
	 * busy machine, too.  Each reading of it is a system call, which ptop's own clock is not.
	 */
	bool times_work;
	uint64_t clock_reads;
};

#define LARGE_FIRST_PID 100u

/* PROCESSES, GROUPS, CPUS: how many there are.  EXTRAS: as in engine_options. */
void large_machine_init(struct large_machine *m, uint32_t processes, uint32_t groups, uint32_t cpus,
			unsigned extras);
void large_machine_fini(struct large_machine *m);

/* Another second: each CPU ran two processes, and /proc says so. */
void large_machine_run(struct large_machine *m);

/* Ends it, with COUNT pids VISIBLE on the screen.  The snapshot is the rig's, as of rig_snapshot(). */
const struct snapshot *large_machine_snapshot(struct large_machine *m, const uint32_t *visible,
					      size_t count);

#endif
