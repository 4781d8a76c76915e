/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_WORKER_BAD_JOBS_H
#define PTOP_TESTS_WORKER_BAD_JOBS_H

#include "worker/worker.h"

/* Jobs of workers that do something else than their work. */
void bad_job_loops(int socket);
void bad_job_allocates(int socket); /* 64 GiB, when its order has come */
void bad_job_faults(int socket);
void bad_job_says_nothing(int socket);
void bad_job_says_nonsense(int socket);

/* Those that can be tried in this build, and how a reader of files calls such an end; ends with a NULL job. */
struct bad_job {
	worker_main *job;
	const char *missing;
};

extern const struct bad_job bad_jobs[];

/*
 * The processes that the zygote PROCESS has at this moment, at most MOST of them, and their number.
 */
size_t worker_pids(int process, int *pids, size_t most);

#endif
