/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_UNWIND_WORKER_H
#define PTOP_UNWIND_UNWIND_WORKER_H

#include "symbol/load-state.h"
#include "symbol/reader-pool.h"
#include "unwind/unwind-object.h"

/*
 * Reads the call frame information of a file in a worker (reader-pool.h), and gets finished rules.  A wrong answer
 * can give wrong callers to code of the objects of one owner.
 */

/* The worker's side: a worker_main(). */
void unwind_job(int socket);

/*
 * As unwind_object_new() for L's file (load_open_file()), in a worker of POOL, whose job is READER_FRAMES.
 * Returns NULL without saying more for what is no ELF file that can be unwound, or if the checkpoint said so.
 * Otherwise L's `missing` tells why there is none: "refused: …" also where a worker was stopped, or its answer was
 * nonsense.
 */
struct unwind_object *unwind_object_in_worker(struct load *l, struct reader_pool *pool);

#endif
