/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/jobs.h"

#include "symbol/jit-tail.h"
#include "symbol/line-reader.h"
#include "symbol/load-worker.h"
#include "unwind/unwind-worker.h"

static void maps_job(int socket)
{
	jit_tail_job(socket, unwind_code_rules);
}

worker_main *const app_jobs[] = {
	[READER_LOAD] = load_job,
	[READER_LINES] = lines_job,
	[READER_FRAMES] = unwind_job,
	[READER_MAPS] = maps_job,
};
const size_t app_job_count = sizeof(app_jobs) / sizeof(*app_jobs);
