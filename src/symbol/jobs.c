/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jobs.h"

#include "symbol/file-reader.h"
#include "symbol/line-reader.h"
#include "symbol/load-worker.h"

worker_main *const symbol_jobs[] = {
	[READER_LOAD] = load_job,
	[READER_LINES] = lines_job,
};
const size_t symbol_job_count = sizeof(symbol_jobs) / sizeof(*symbol_jobs);
