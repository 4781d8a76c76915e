/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_WORKLOAD_H
#define PTOP_TESTS_WORKLOAD_H

/*
 * Programs whose truth is known, for the tests of the whole ptop.  They talk with their test by
 * lines: "ready" when they stand still before the work, one byte on stdin starts it, "done …" with
 * what getrusage says about it, then they wait until stdin ends.  They are built without sanitizers.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define HOT __attribute__((noinline))
#else
#define HOT __attribute__((noinline, noclone))
#endif

/* N rounds of work that no compiler removes: a few nanoseconds each. */
static inline __attribute__((always_inline)) void burn(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

static inline double clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double cpu_s(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/*
 * A counter of the time for which the calling thread has a CPU, from switch to switch.  CPU time as
 * the kernel tells it is less.  It lacks time that a host took away.  It also lacks the time
 * between a wake-up that asked for a switch and that switch, up to milliseconds of a page fault.
 * The clock of the CPU stands still meanwhile, and the next task is charged (rq_clock_skip_update()
 * in kernel/sched/core.c).  Ends the program where that is not allowed.
 */
static inline int task_clock_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		perror("task-clock");
		exit(2);
	}
	return fd;
}

static inline double task_clock_s(int fd)
{
	uint64_t ns;

	if (read(fd, &ns, sizeof(ns)) != sizeof(ns))
		exit(2);
	return (double)ns / 1e9;
}

/* Says "ready PID", then waits for the byte that starts the work; ends when the test has gone. */
static inline void wait_go(void)
{
	char c;

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) != 1)
		_exit(0);
}

static inline void wait_end(void)
{
	char c;

	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1)
		;
}

static inline double number_argument(int argc, char **argv, int i, double otherwise)
{
	return argc > i ? strtod(argv[i], NULL) : otherwise;
}

#endif
