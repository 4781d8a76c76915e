/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shmswap ROUNDS: two processes hand a buffer in shared memory (shm_open(3)) back and forth with
 * semaphores.  Says "peer PID" once it goes on, then "done"; both stay, standing still, until
 * stdin ends, so that /proc tells how often each gave up a CPU.
 */
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

struct buffer {
	sem_t turn[2]; /* whose it is */
	sem_t begun, ended;
	unsigned char bytes[4096];
};

static struct buffer *buffer_open(void)
{
	struct buffer *b;
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/ptop-shmswap-%d", (int)getpid());
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*b)))
		exit(1);
	shm_unlink(name);
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b == MAP_FAILED || sem_init(&b->turn[0], 1, 0) || sem_init(&b->turn[1], 1, 0) ||
	    sem_init(&b->begun, 1, 0) || sem_init(&b->ended, 1, 0))
		exit(1);
	return b;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		;
}

static void play(struct buffer *b, int me, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		wait_for(&b->turn[me]);
		for (size_t j = 0; j < sizeof(b->bytes); j++)
			b->bytes[j]++;
		sem_post(&b->turn[1 - me]);
	}
}

static void peer(struct buffer *b, long rounds)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	wait_for(&b->begun);
	play(b, 1, rounds);
	sem_post(&b->ended);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	long rounds = (long)number_argument(argc, argv, 1, 10000);
	struct buffer *b = buffer_open();
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (!pid)
		peer(b, rounds);
	wait_go();
	printf("peer %d\n", (int)pid);
	fflush(stdout);
	sem_post(&b->begun);
	sem_post(&b->turn[0]);
	play(b, 0, rounds);
	wait_for(&b->ended);
	printf("done\n");
	wait_end();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return b->bytes[0] != (unsigned char)(2 * rounds);
}
