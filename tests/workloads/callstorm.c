/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callstorm SECONDS: a thread that makes system calls as fast as it can.  In a round it makes
 *
 *	getppid()			8 times
 *	read() of no descriptor		once: EBADF
 *	poll() for 1 ms			once in ROUNDS
 *
 * Says at the end how many of each it made:
 *
 *	8000000 1000000 2000
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 8
#define ROUNDS 500

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t); /* no system call: the vDSO's */
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);
	long rounds = 0, polls = 0;
	char c;

	while (now_s() < end_s) {
		for (int i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		if (read(-1, &c, 1) >= 0)
			return 1;
		if (++rounds % ROUNDS)
			continue;
		poll(NULL, 0, 1);
		polls++;
	}
	printf("%ld %ld %ld\n", CALLS * rounds, rounds, polls);
	return 0;
}
