/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callers [POLLS]: system calls of which is known how many fail and how long they take.  A child does, and then a
 * thread of the parent:
 *
 *	openat() of a file that is not there	30 times: ENOENT
 *	read() of no descriptor			 7 times: EBADF
 *	poll() for 1, 2 or 4 ms			POLLS (200) times, in the thread alone
 *
 * Says at the end the 99th percentile of the polls in nanoseconds, by its own clock:
 *
 *	p99 4071300
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MISSING 30
#define CLOSED 7

struct polls {
	long count;
	long long *ns;
};

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(void)
{
	char c;

	for (int i = 0; i < MISSING; i++) {
		if (open("/nonexistent/file", O_RDONLY) >= 0)
			_exit(1);
	}
	for (int i = 0; i < CLOSED; i++) {
		if (read(-1, &c, 1) >= 0)
			_exit(1);
	}
}

static void *wait_often(void *polls)
{
	struct polls *p = polls;

	fail();
	for (long i = 0; i < p->count; i++) {
		long long began_ns = now_ns();

		poll(NULL, 0, 1 << i % 3);
		p->ns[i] = now_ns() - began_ns;
	}
	return NULL;
}

static int by_length(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct polls p = { .count = argc > 1 ? atol(argv[1]) : 200 };
	pthread_t thread;
	pid_t child = fork();

	if (!child) {
		fail();
		return 0;
	}
	p.ns = calloc((size_t)p.count, sizeof(*p.ns));
	if (child < 0 || p.count < 1 || !p.ns || pthread_create(&thread, NULL, wait_often, &p))
		return 1;
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	qsort(p.ns, (size_t)p.count, sizeof(*p.ns), by_length);
	printf("p99 %lld\n", p.ns[(p.count * 99 + 99) / 100 - 1]);
	free(p.ns);
	return 0;
}
