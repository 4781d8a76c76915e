/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_WORKER_H
#define PTOP_SYMBOL_LOAD_WORKER_H

#include <stdbool.h>

#include "symbol/load-state.h"
#include "worker/zygote.h"

/*
 * Reads the symbols of a file in a worker, a process that may do nothing.  This side opens the file
 * and the debug files that the worker asks for, and gets a finished table.  What the worker says is
 * checked and otherwise not trusted: a wrong answer can give this one object wrong names.
 *
 * A worker's CPU time, time and memory are limited by what its file has on the disk.
 */

/* The jobs that main() gives to zygote_start(). */
extern worker_main *const symbol_jobs[];
extern const size_t symbol_job_count;

/*
 * As load_run(), for a DSO_FILE, in a worker of Z; the checkpoint of L is called while it runs.  If the
 * worker was stopped or its answer is nonsense, `missing` says "refused: …" and *REFUSED is set: the
 * same file would be refused again.
 */
struct symtab *load_run_in_worker(struct load *l, struct zygote *z, bool *refused);

#endif
