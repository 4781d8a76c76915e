/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_WORKER_H
#define PTOP_SYMBOL_LOAD_WORKER_H

#include <stdbool.h>

#include "symbol/load-state.h"
#include "worker/zygote.h"

/*
 * Reads the symbols of a file in a worker, a process that may do nothing.  This side opens the file
 * and the debug files that the worker asks for, and gets a finished table.  What the worker says is
 * checked and otherwise not trusted: a wrong answer can give wrong names to the objects of one owner.
 *
 * A worker's CPU time, time and memory are limited by what its file has on the disk.  A worker that has
 * read a small file waits a second for another one of the same owner: the same user on the same device.
 * Neither file may be writable for others: they could take over the worker in the owner's place.
 * Such a worker may answer, but not fail: the file is then read again, by a worker of its own.  So what
 * an earlier file used or broke refuses no other file.
 */
struct load_readers;

/* The jobs that main() gives to zygote_start(). */
extern worker_main *const symbol_jobs[];
extern const size_t symbol_job_count;

/* ZYGOTE is borrowed.  Readers belong to one thread. */
struct load_readers *load_readers_new(struct zygote *zygote);
void load_readers_free(struct load_readers *w); /* NULL is allowed */

/* How many workers were started. */
unsigned load_readers_started(const struct load_readers *w);

/*
 * As load_run(), for a DSO_FILE, in a worker of W; the checkpoint of L is called while it runs, and may
 * read other files with W.  If the worker was stopped or its answer is nonsense, `missing` says "refused: …" and *REFUSED is set: the
 * same file would be refused again.
 */
struct symtab *load_run_in_worker(struct load *l, struct load_readers *w, bool *refused);

#endif
