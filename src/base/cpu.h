/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_CPU_H
#define PTOP_BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* A CPU: its place in the machine and how it spent the last interval. */
#define CPU_LIMIT 65536u /* far over NR_CPUS; bounds what a record or a file can ask for */

/*
 * -1: unknown.  A core and a last-level cache have the number of the lowest CPU that had it when it was
 * first seen.  A CPU that goes offline keeps its place.
 */
struct cpu_place {
	int32_t core, llc, node, package;
	char type; /* 'P' or 'E' where cores differ in performance; 0: they are alike, or unknown */
};

struct cpu_facts {
	uint32_t number;
	bool online;
	struct cpu_place place;
	double ghz; /* the speed of its clock now; NAN: unknown */
	/* Percent of the interval, which add up to 100; NAN: unknown.  Nice time is user time. */
	double user_percent, system_percent, irq_percent, softirq_percent;
	double steal_percent, iowait_percent, idle_percent;
	/*
	 * Figures of a whole last-level cache, at the first CPU of it that is online; NAN: unknown, or another CPU.  Bytes a
	 * second between it and all memory, and the memory of its own node; bytes that it holds.
	 */
	double memory_rate, local_rate, held_bytes;
};

extern const struct cpu_facts cpu_unknown; /* CPU 0, offline; everything else unknown */

#endif
