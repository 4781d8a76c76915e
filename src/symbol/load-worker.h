/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_WORKER_H
#define PTOP_SYMBOL_LOAD_WORKER_H

#include <stdbool.h>

#include "symbol/load-state.h"
#include "worker/zygote.h"

/*
 * Reads the symbols of a file in a worker (file-reader.h), and gets a finished table.  A wrong answer
 * can give wrong names to the objects of one owner.
 *
 * A worker that has read a small file waits a second for another one of the same owner: the same user on the same device.
 * Neither file may be writable for others: they could take over the worker in the owner's place.
 * Such a worker may answer, but not fail: the file is then read again, by a worker of its own.  So what
 * an earlier file used or broke refuses no other file.
 */
struct load_readers;

/* The worker's side: a worker_main(). */
void load_job(int socket);

/* ZYGOTE is borrowed.  Readers belong to one thread. */
struct load_readers *load_readers_new(struct zygote *zygote);
void load_readers_free(struct load_readers *w); /* NULL is allowed */

/* The number of workers that were started. */
unsigned load_readers_started(const struct load_readers *w);

/*
 * As load_run(), for a DSO_FILE, in a worker of W; the checkpoint of L is called while it runs, and may
 * read other files with W.  If the worker was stopped or its answer is nonsense, `missing` says "refused: …" and *REFUSED is set: the
 * same file would be refused again.
 */
struct symtab *load_run_in_worker(struct load *l, struct load_readers *w, bool *refused);

#endif
