/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * family [SECONDS]: when told to, starts a thread "daughter" that burns in thread_hot and a child
 * process "son" that burns in child_hot.  Says "child PID".
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

static double end_s;

HOT static void thread_hot(uint64_t n)
{
	burn(n);
}

HOT static void child_hot(uint64_t n)
{
	burn(n);
	__asm__ volatile("nop");
}

static void *thread_main(void *unused)
{
	prctl(PR_SET_NAME, "daughter");
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		thread_hot(100000);
	return unused;
}

int main(int argc, char **argv)
{
	double seconds = number_argument(argc, argv, 1, 2);
	pthread_t thread;
	pid_t child;

	wait_go();
	end_s = clock_s(CLOCK_MONOTONIC) + seconds;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "son");
		while (clock_s(CLOCK_MONOTONIC) < end_s)
			child_hot(100000);
		_exit(0);
	}
	printf("child %d\n", (int)child);
	fflush(stdout);
	if (child < 0 || pthread_create(&thread, NULL, thread_main, NULL))
		return 1;
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
