/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_MODEL_WORLD_H
#define PTOP_TESTS_MODEL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/rig.h"

/*
 * A machine that is made of a number: CPUs, tasks that fork, exec, run, fault, switch and exit, the records
 * that the kernel writes of them for tier 1, and the files of /proc that tell the same.  Whatever it
 * does could happen, so whatever ptop says of it must be possible.
 */
#define WORLD_CPUS 4
#define WORLD_TASKS 48
#define WORLD_EVENTS 64 /* values of a CPU's group */

/* Numbers of a seed: the same on every machine. */
struct dice {
	uint64_t state;
};

uint64_t dice_next(struct dice *d);
uint64_t dice_below(struct dice *d, uint64_t limit); /* 0 to LIMIT - 1; LIMIT over 0 */

struct world_task {
	uint32_t pid, tid; /* both 0: nobody */
	int cpu;           /* where it runs, or -1 */
	bool waits;        /* neither runs nor wants to */
	uint64_t ran_ns;
	uint64_t began_ns;
};

struct world_cpu {
	int task; /* that runs, or -1: idle */
	uint64_t values[WORLD_EVENTS];
	uint64_t enabled_ns, running_ns;
	uint64_t idle_ns;
	uint64_t lost;     /* records that found no room, since the last LOST */
	unsigned dropping; /* so many more will find none */
	unsigned foreign;  /* so many of its next records bear another clock's time */
};

/* A process as /proc has it: its threads together, those that are gone too. */
struct world_process {
	uint32_t pid; /* 0: nobody */
	uint64_t ran_ns, began_ns;
	uint32_t threads;
	bool listed;              /* /proc has it, */
	uint64_t written_ticks;   /* with that, */
	uint32_t written_threads; /* and these; 0: not yet */
};

struct world {
	struct rig *rig; /* its clock, and the engine that gets the records; borrowed */
	struct dice dice;
	unsigned cpu_count;
	struct world_cpu cpus[WORLD_CPUS];
	struct world_task tasks[WORLD_TASKS];
	struct world_process processes[WORLD_TASKS];
	uint32_t last_pid;
	bool hides;          /* no process is in /proc */
	bool takes_turns;    /* counters run three quarters of the time */
	bool few_switches;   /* a budget: one switch in 16 has a record */
	struct record *held; /* of the drain that is going on */
	size_t held_count, held_capacity;
	uint64_t drained_ns; /* when that one began */
};

/* RIG is initialised and not open; its list of events is complete. */
void world_init(struct world *w, struct rig *rig, uint64_t seed);
void world_fini(struct world *w); /* removes what it wrote to /proc */

/* Time goes on, and the engine gets the records of it.  SEED: of what happens. */
void world_run(struct world *w, uint64_t ns, uint64_t seed);
void world_drop(struct world *w, unsigned cpu, unsigned records); /* so many are lost */
void world_tell_time(struct world *w, unsigned cpu); /* its next records have an estimated time */
void world_jump(struct world *w, uint64_t by);       /* counters grow by that at once */
void world_write_proc(struct world *w);              /* as it is now */

#endif
