/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_JOBS_H
#define PTOP_APP_JOBS_H

#include <stddef.h>

#include "worker/zygote.h"

/* The jobs that main() gives to zygote_start(): a row for each enum file_reader_job. */
extern worker_main *const app_jobs[];
extern const size_t app_job_count;

#endif
