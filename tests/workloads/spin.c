/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spin [SECONDS [THREADS]]: burns CPU in spin_here; says "done cpu_s=…". */
#include <pthread.h>

#include "workload.h"

static double end_s;

HOT static void spin_here(uint64_t n)
{
	burn(n);
}

static void *spin_until_end(void *unused)
{
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		spin_here(100000);
	return unused;
}

int main(int argc, char **argv)
{
	int threads = (int)number_argument(argc, argv, 2, 1);
	pthread_t thread;

	end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, spin_until_end, NULL) || pthread_detach(thread))
			return 1;
	spin_until_end(NULL);
	printf("done cpu_s=%.6f\n", cpu_s(RUSAGE_SELF));
	return 0;
}
