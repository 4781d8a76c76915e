/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpus: what a machine with 512 CPUs costs, each with 4 000 samples a second and stacks of 30 frames, and with 100 000
 * processes; 1 000 more begin and end each second.  Rings in plain memory are filled as the kernel would and emptied by
 * one thread into an engine.  They fill on while that takes its time: so what is said to be lost would be.  The time is
 * that of the thread; filling is not in it.  Samples of "no task" are those of processes for which the table had no
 * room.  Arguments: CPUS PROCESSES SECONDS MIB, the last one as --max-memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "engine/many-cpus.h"

#define FRAMES 30u
#define PERIOD_NS 250000u
#define ACTIVE 8u
#define SECONDS 5u

static uint32_t number(int argc, char **argv, int at, uint32_t otherwise)
{
	return argc > at ? (uint32_t)strtoul(argv[at], NULL, 10) : otherwise;
}

static void print(const struct many_cpus *m, const struct many_cpus *before, uint64_t taskless)
{
	uint64_t elapsed_ns = m->next_ns - before->next_ns;
	uint64_t snapshot_ns = m->snapshot_cpu_ns - before->snapshot_cpu_ns;
	uint64_t samples = m->written - before->written, lost = m->lost - before->lost;
	uint64_t drain_ns = m->drain_cpu_ns - before->drain_cpu_ns;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%9llu %9llu %9llu %8llu %8.1f %9.1f %9.1f %8.1f %8ld\n",
	       (unsigned long long)samples, (unsigned long long)lost, (unsigned long long)taskless,
	       (unsigned long long)(m->drains - before->drains),
	       (double)drain_ns / (double)(samples - lost), (double)m->longest_drain_ns / 1e6,
	       (double)snapshot_ns / 1e6,
	       100.0 * (double)(drain_ns + snapshot_ns) / (double)elapsed_ns,
	       usage.ru_maxrss / 1024);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct many_cpus_options options = {
		.cpus = number(argc, argv, 1, 512),
		.processes = number(argc, argv, 2, 100000),
		.active = ACTIVE,
		.short_ms = 1,
		.frames = FRAMES,
		.period_ns = PERIOD_NS,
		.mode = HISTOGRAM_DECAY,
		.memory_bytes = (uint64_t)number(argc, argv, 4, 0) << 20,
		.times_draining = true,
	};
	uint32_t seconds = number(argc, argv, 3, SECONDS);
	struct many_cpus m;

	mem_tune();
	many_cpus_init(&m, &options);
	printf("  %u CPUs, %u processes\n"
	       "  samples      lost   no task   drains       ns   longest  snapshot    CPU %%      "
	       "MiB\n",
	       options.cpus, options.processes);
	for (uint32_t i = 0; i < seconds; i++) {
		const struct many_cpus before = m;
		uint64_t taskless = engine_statistics(m.rig.engine).taskless;

		many_cpus_run(&m, 1000);
		many_cpus_snapshot(&m);
		print(&m, &before, engine_statistics(m.rig.engine).taskless - taskless);
	}
	many_cpus_fini(&m);
	return 0;
}
