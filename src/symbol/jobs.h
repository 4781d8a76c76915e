/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JOBS_H
#define PTOP_SYMBOL_JOBS_H

#include <stddef.h>

#include "worker/zygote.h"

/* The jobs that main() gives to zygote_start(): a row for each enum file_reader_job. */
extern worker_main *const symbol_jobs[];
extern const size_t symbol_job_count;

#endif
