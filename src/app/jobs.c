/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/jobs.h"

#include "symbol/line-reader.h"
#include "symbol/load-worker.h"
#include "symbol/perfmap-tail.h"
#include "unwind/unwind-worker.h"

worker_main *const app_jobs[] = {
	[READER_LOAD] = load_job,
	[READER_LINES] = lines_job,
	[READER_FRAMES] = unwind_job,
	[READER_MAPS] = perfmap_job,
};
const size_t app_job_count = sizeof(app_jobs) / sizeof(*app_jobs);
