/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parallel [SECONDS]: one thread works in serial() for SECONDS of its CPU time, then two work in both() for as
 * much each.  Then serial() bounds more of the elapsed time than its share of CPU time says.
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

	work_s = number_argument(argc, argv, 1, 1);
	while (clock_s(CLOCK_THREAD_CPUTIME_ID) < work_s)
		serial(100000);
	if (pthread_create(&thread, NULL, work_both, NULL))
		return 1;
	work_both(NULL);
	return pthread_join(thread, NULL);
}
