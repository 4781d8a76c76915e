/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_NURSERY_H
#define PTOP_WORKER_NURSERY_H

#include <stddef.h>

#include "worker/worker.h"

/*
 * The zygote's side: it forks a worker for each request, and tells how each one ended.
 */
struct nursery_request {
	uint32_t job;
	struct worker_limits limits;
};

/* Runs the zygote on the socket CONTROL until it closes; PARENT is the process that forked it. */
void nursery_run(int control, int parent, worker_main *const *jobs, size_t count)
	__attribute__((noreturn));

#endif
