/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parallel [SECONDS]: one thread works in serial() for SECONDS of its CPU time, then two work in both() for as
 * much each.  Then serial() bounds more of the elapsed time than its share of CPU time says.  Prints how long the
 * latter took, "both took 1.023": as long as the work of one, where both always ran side by side.
 */
#include <pthread.h>

#include "workload.h"

static double work_s;

HOT static void serial(uint64_t n)
{
	burn(n);
}

/* Not the same code, which would be one function. */
HOT static void both(uint64_t n)
{
	burn(n + 1);
}

static void *work_both(void *unused)
{
	const double end_s = clock_s(CLOCK_THREAD_CPUTIME_ID) + work_s;

	while (clock_s(CLOCK_THREAD_CPUTIME_ID) < end_s)
		both(100000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	double begun_s;
	int failed;

	work_s = number_argument(argc, argv, 1, 1);
	while (clock_s(CLOCK_THREAD_CPUTIME_ID) < work_s)
		serial(100000);
	begun_s = clock_s(CLOCK_MONOTONIC);
	if (pthread_create(&thread, NULL, work_both, NULL))
		return 1;
	work_both(NULL);
	failed = pthread_join(thread, NULL);
	printf("both took %.3f\n", clock_s(CLOCK_MONOTONIC) - begun_s);
	return failed;
}
