/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_WORKLOAD_H
#define PTOP_TESTS_WORKLOAD_H

/*
 * Programs whose truth is known, for the tests of the whole ptop.  They talk with their test by
 * lines: "ready" when they stand still before the work, one byte on stdin starts it, "done …" with
 * what getrusage says about it, then they wait until stdin ends.  They are built without sanitizers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
