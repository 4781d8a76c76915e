/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pingpong ROUNDS: two processes on one CPU hand a byte back and forth, some ten thousand times a
 * second; at each turn "ping" makes two page faults and "pong" one.  Says "ping PID minflt=…", "pong PID minflt=…", "done".
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

#define TURN_ROUNDS 30000 /* of burn(): tens of microseconds */

struct player {
	const char *name;
	int from, to; /* descriptors */
	int faults_per_turn;
	long rounds;
};

static void fault(volatile char *page, size_t size)
{
	madvise((void *)page, size, MADV_DONTNEED);
	*page = 1;
}

static void play(const struct player *p)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;
	char ball;

	if (page == MAP_FAILED)
		_exit(1);
	prctl(PR_SET_NAME, p->name);
	getrusage(RUSAGE_SELF, &before);
	for (long i = 0; i < p->rounds; i++) {
		if (read(p->from, &ball, 1) != 1)
			_exit(1);
		for (int f = 0; f < p->faults_per_turn; f++)
			fault(page, size);
		burn(TURN_ROUNDS);
		if (write(p->to, &ball, 1) != 1)
			_exit(1);
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%s %d minflt=%ld switches=%ld\n", p->name, (int)getpid(),
	       after.ru_minflt - before.ru_minflt, after.ru_nvcsw - before.ru_nvcsw);
	fflush(stdout);
}

static void stay_on_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	int there[2], back[2], hold[2];
	struct player ping = { .name = "ping", .faults_per_turn = 2 };
	struct player pong = { .name = "pong", .faults_per_turn = 1 };
	char c;

	ping.rounds = pong.rounds = (long)number_argument(argc, argv, 1, 10000);
	if (pipe(there) || pipe(back) || pipe(hold))
		return 1;
	stay_on_one_cpu();
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(hold[1]);
		pong.from = there[0];
		pong.to = back[1];
		play(&pong);
		return read(hold[0], &c, 1) < 0; /* stays for the snapshot until ping ends */
	}
	ping.from = back[0];
	ping.to = there[1];
	wait_go();
	if (write(back[1], "o", 1) != 1) /* the serve */
		return 1;
	play(&ping);
	printf("done\n");
	wait_end();
	close(hold[1]);
	wait(NULL);
	return 0;
}
