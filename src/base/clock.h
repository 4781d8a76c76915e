/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_CLOCK_H
#define PTOP_BASE_CLOCK_H

#include <stdint.h>

/*
 * The source of time, replaceable in tests.  Code reads the clock that it was given; tests pass one
 * that they move by hand.  Monotonic time is CLOCK_MONOTONIC, which the kernel also stamps our
 * records with.
 */
struct clock {
	uint64_t (*monotonic_ns)(void *context);
	uint64_t (*realtime_ns)(void *context); /* since 1970, UTC */
	void *context;
};

extern const struct clock clock_system;

uint64_t clock_monotonic_ns(const struct clock *c);
uint64_t clock_realtime_ns(const struct clock *c);

/* The CPU time of all threads of this process, as /proc/self/stat has it; of the calling one. */
uint64_t clock_process_cpu_ns(void);
uint64_t clock_thread_cpu_ns(void);

/* The CPU time of the process PID so far (clock_getcpuclockid(3)); 0 once it was waited for, or for PID 0. */
uint64_t clock_cpu_ns_of(int pid);

struct rusage;

/* The CPU time of a process that has ended, as wait4(2) tells it. */
uint64_t clock_cpu_ns_used(const struct rusage *used);

#define NS_PER_S 1000000000ull

#endif
