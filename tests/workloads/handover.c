/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * handover [ROUNDS]: five processes, link1 to link5, hand a byte round; each works for a few milliseconds before
 * it hands it on.  Then the process "locks" locks a mutex ROUNDS (50) times that its thread "holder" holds each
 * time for 5 ms more.  Begins at a byte on stdin, then says for how many seconds of wall clock each waited:
 *
 *	link1 1.203100
 *	...
 *	locks 0.250300
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

#define LINKS 5
#define WORK_NS 2000000
#define HOLD_NS 5000000

struct locks {
	pthread_mutex_t mutex;
	int held[2], next[2]; /* pipes: the mutex is held; it was locked and is free again */
	long rounds;
};

static void wait_for_byte(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(1);
}

HOT static void hand_on(int fd)
{
	if (write(fd, "o", 1) != 1)
		_exit(1);
}

static void work(void)
{
	const double end_s = clock_s(CLOCK_THREAD_CPUTIME_ID) + WORK_NS / 1e9;

	while (clock_s(CLOCK_THREAD_CPUTIME_ID) < end_s)
		burn(1000);
}

static void say(const char *name, double waited_s)
{
	printf("%s %.6f\n", name, waited_s);
	fflush(stdout);
}

HOT static void link_main(int number, int from, int to, long rounds)
{
	double waited_s = 0;
	char name[16];

	snprintf(name, sizeof(name), "link%d", number);
	prctl(PR_SET_NAME, name);
	for (long i = 0; i < rounds; i++) {
		double begin_s = clock_s(CLOCK_MONOTONIC);

		wait_for_byte(from);
		waited_s += clock_s(CLOCK_MONOTONIC) - begin_s;
		work();
		hand_on(to);
	}
	say(name, waited_s);
	_exit(0);
}

HOT static void *hold(void *context)
{
	const struct timespec hold = { .tv_nsec = HOLD_NS };
	struct locks *l = context;

	prctl(PR_SET_NAME, "holder");
	for (long i = 0; i < l->rounds; i++) {
		pthread_mutex_lock(&l->mutex);
		hand_on(l->held[1]);
		nanosleep(&hold, NULL);
		pthread_mutex_unlock(&l->mutex);
		wait_for_byte(l->next[0]);
	}
	return NULL;
}

HOT static void locks_main(long rounds)
{
	struct locks l = { .mutex = PTHREAD_MUTEX_INITIALIZER, .rounds = rounds };
	double waited_s = 0;
	pthread_t holder;

	prctl(PR_SET_NAME, "locks");
	if (pipe(l.held) || pipe(l.next) || pthread_create(&holder, NULL, hold, &l))
		_exit(1);
	for (long i = 0; i < rounds; i++) {
		double begin_s;

		wait_for_byte(l.held[0]);
		begin_s = clock_s(CLOCK_MONOTONIC);
		pthread_mutex_lock(&l.mutex);
		waited_s += clock_s(CLOCK_MONOTONIC) - begin_s;
		pthread_mutex_unlock(&l.mutex);
		hand_on(l.next[1]);
	}
	say("locks", waited_s);
	_exit(0);
}

static pid_t child(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

int main(int argc, char **argv)
{
	const long rounds = (long)number_argument(argc, argv, 1, 50);
	int pipes[LINKS][2];

	wait_go();
	for (int i = 0; i < LINKS; i++) {
		if (pipe(pipes[i]))
			return 1;
	}
	for (int i = 0; i < LINKS; i++) {
		if (!child())
			link_main(i + 1, pipes[i][0], pipes[(i + 1) % LINKS][1], rounds);
	}
	hand_on(pipes[0][1]);
	while (wait(NULL) > 0)
		;
	if (!child())
		locks_main(rounds);
	return wait(NULL) < 0;
}
