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
	uint32_t id; /* of the worker, never 0 */
	struct worker_limits limits;
};

#define NURSERY_WORKERS_MAX 64
#define NURSERY_PLACES (2 * NURSERY_WORKERS_MAX)

/* A worker, also after its end: the place that is free for longest is taken first. */
struct nursery_place {
	_Atomic(uint32_t) id;     /* nursery_request's; 0 none */
	_Atomic(int) pid;         /* 0: it has ended */
	_Atomic(uint64_t) cpu_ns; /* of the zygote to fork it; once it has ended, also its own */
};

/* Sums of the zygote in a page of its own that ptop reads; workers have no access to it. */
struct nursery_account {
	_Atomic(uint64_t) cpu_ns; /* of the zygote, and of all workers that have ended */
	struct nursery_place places[NURSERY_PLACES];
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
