/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "bad-jobs.h"

#include "base/alloc.h"
#include "worker/channel.h"

void bad_job_loops(int socket)
{
	for (volatile unsigned i = 0;; i++)
		(void)socket;
}

/* One page of each: to fill them all may take more CPU time than a worker has. */
void bad_job_allocates(int socket)
{
	char order[64];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	for (size_t i = 0; i < 1024; i++)
		*(volatile char *)mem_alloc(64u << 20) = 1;
}

void bad_job_faults(int socket)
{
	*(volatile int *)(intptr_t)(socket + 8) = 1;
}

void bad_job_says_nothing(int socket)
{
	(void)socket;
}

void bad_job_says_nonsense(int socket)
{
	channel_send(socket, "nonsense", 8, NULL);
}

const struct bad_job bad_jobs[] = {
	{ bad_job_loops, "refused: too slow" },
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	{ bad_job_allocates, "refused: too large" },
	{ bad_job_faults, "refused: damaged" },
#endif
	{ bad_job_says_nothing, "refused: damaged" },
	{ bad_job_says_nonsense, "refused: damaged" },
	{ NULL, NULL },
};

size_t worker_pids(int process, int *pids, size_t most)
{
	char path[64], text[256] = "", *at = text;
	size_t count = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", process, process);
	f = fopen(path, "r");
	if (!f)
		return 0;
	(void)!fgets(text, sizeof(text), f);
	fclose(f);
	for (long pid; count < most && (pid = strtol(at, &at, 10)) > 0;)
		pids[count++] = (int)pid;
	return count;
}
