/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_MANY_CPUS_H
#define PTOP_TESTS_MANY_CPUS_H

#include "engine/rig.h"
#include "perf/live/drain.h"
#include "proc/tree.h"

/*
 * The rings of a machine with many CPUs, in plain memory, and an engine that they are emptied into.  Each CPU has the rings
 * that it gets by itself (perf/live/ring-sizes.h).  What finds no room in one is lost, as with the kernel, and told by a
 * LOST record.  Samples have the stacks of frame pointers.  Meanwhile processes begin with a program of their own on one
 * CPU, run on another one, and end.
 */
struct many_cpus_options {
	uint32_t cpus, processes;
	uint32_t active;    /* processes that each CPU runs in turn, 5 ms each */
	uint32_t short_ms;  /* so often a short process begins; 0: never */
	uint32_t frames;    /* of a stack */
	uint64_t period_ns; /* between two samples of a CPU */
	enum histogram_mode mode;
	uint64_t memory_bytes; /* as of the engine's options */
	bool times_draining; /* the CPUs run on while a drain or a snapshot takes its time of the thread */
};

struct many_cpus {
	struct many_cpus_options options;
	struct rig rig;
	struct tree tree;
	struct record_layout layouts[LANE_RINGS];
	struct drain drain;
	struct many_cpus_cpu *cpus; /* owned */
	unsigned char *bounce;      /* owned */
	struct record record;       /* the one being handed over */
	uint64_t next_ns, next_short_ns, drained_ns;
	struct clock clock; /* that of the CPUs, and goes on from the mark while the thread works */
	uint64_t marked_ns, clock_ns; /* its CPU time and CLOCK_MONOTONIC at the mark */
	uint32_t next_pid;
	/* What it did. */
	uint64_t written, lost, shorts, drains;
	uint64_t drain_cpu_ns, longest_drain_ns, snapshot_cpu_ns;
};

void many_cpus_init(struct many_cpus *m, const struct many_cpus_options *options);
void many_cpus_fini(struct many_cpus *m);

/* Lets MS go by.  The rings are emptied when the kernel would wake a reader, and when the collector would. */
void many_cpus_run(struct many_cpus *m, uint64_t ms);

/* Empties the rings and ends the interval.  The snapshot is the rig's, as of rig_snapshot(). */
const struct snapshot *many_cpus_snapshot(struct many_cpus *m);

#endif
