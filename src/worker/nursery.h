/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_NURSERY_H
#define PTOP_WORKER_NURSERY_H

#include <stdatomic.h>
#include <stddef.h>

#include "worker/worker.h"

/*
 * The zygote's side: it forks a worker for each request, and tells how each one ended.
 */
struct nursery_request {
	uint32_t job;
	uint32_t unused; /* 0: no byte of a message is undefined, as padding would be */
	struct worker_limits limits;
};

#define NURSERY_WORKERS_MAX 64

/* Sums of the zygote in a page of its own that ptop reads; workers have no access to it. */
struct nursery_account {
	_Atomic(uint64_t) cpu_ns; /* of the zygote, and of all workers that have ended */
	_Atomic(int) workers[NURSERY_WORKERS_MAX]; /* the others' process ids; 0 none */
};

/* The jobs, and where their cost is written. */
struct nursery_work {
	worker_main *const *jobs;
	size_t count;
	struct nursery_account *account; /* alone in its pages, which are shared */
};

/* Runs the zygote on the socket CONTROL until it closes; PARENT is the process that forked it. */
void nursery_run(int control, int parent, const struct nursery_work *work)
	__attribute__((noreturn));

#endif
