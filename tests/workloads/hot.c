/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot [SECONDS]: spends 87 % of its time in hot_a, 10 % in hot_b, 3 % in hot_c; says at its end
 * "done cpu_s=…".  Each function's speed is measured first, for where the linker puts a loop matters.
 */
#include "workload.h"

/* A round of all three: not in step with any usual sampling frequency. */
#define ROUND_S 0.00037

HOT static void hot_a(uint64_t n)
{
	burn(n);
}

HOT static void hot_b(uint64_t n)
{
	burn(n);
	__asm__ volatile("");
}

HOT static void hot_c(uint64_t n)
{
	burn(n);
	__asm__ volatile("nop");
}

/* The number of rounds of F that take SHARE of ROUND_S: the fastest of a few tries. */
static uint64_t calibrate(void (*f)(uint64_t), double share)
{
	const uint64_t rounds = 200000;
	double best_s = 1;

	for (int i = 0; i < 7; i++) {
		double start_s = clock_s(CLOCK_THREAD_CPUTIME_ID), taken_s;

		f(rounds);
		taken_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
		if (taken_s < best_s)
			best_s = taken_s;
	}
	return (uint64_t)(share * ROUND_S / best_s * (double)rounds);
}

int main(int argc, char **argv)
{
	double end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1);
	uint64_t a = calibrate(hot_a, 0.87), b = calibrate(hot_b, 0.10), c = calibrate(hot_c, 0.03);

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (clock_s(CLOCK_MONOTONIC) < end_s) {
		hot_a(a);
		hot_b(b);
		hot_c(c);
	}
	printf("done cpu_s=%.6f\n", cpu_s(RUSAGE_SELF));
	return 0;
}
