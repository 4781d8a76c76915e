/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_WORKER_H
#define PTOP_SYMBOL_LOAD_WORKER_H

#include <stdbool.h>

#include "symbol/load-state.h"
#include "symbol/reader-pool.h"

/*
 * Reads the symbols of a file in a worker (reader-pool.h), and gets a finished table.  A wrong answer
 * can give wrong names to the objects of one owner.
 */

/* The worker's side: a worker_main(). */
void load_job(int socket);

/*
 * As load_run(), for a DSO_FILE, in a worker of POOL, whose job is READER_LOAD.  If the worker was stopped or its
 * answer is nonsense, `missing` says "refused: …" and *REFUSED is set: the same file would be refused again.
 */
struct symtab *load_run_in_worker(struct load *l, struct reader_pool *pool, bool *refused);

#endif
