/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_READER_POOL_H
#define PTOP_SYMBOL_READER_POOL_H

#include "symbol/file-reader.h"

/*
 * Workers that read one file after the other, of one job.
 *
 * A worker that has read a small file waits a second for another one of the same owner: the same user on the same device.
 * Neither file may be writable for others: they could take over the worker in the owner's place.
 * Such a worker may answer, but not fail: the file is then read again, by a worker of its own.  So what
 * an earlier file used or broke refuses no other file.
 */
struct reader_pool;

/* ZYGOTE is borrowed.  A pool belongs to one thread. */
struct reader_pool *reader_pool_new(struct zygote *zygote, enum file_reader_job job);
void reader_pool_free(struct reader_pool *p); /* NULL is allowed */

/* How many workers were started. */
unsigned reader_pool_started(const struct reader_pool *p);

/* The question to a worker about one file. */
struct pool_order {
	unsigned ways;     /* as in struct reader_call */
	const void *order; /* sent with the file */
	size_t order_size;
	uint64_t begin; /* bytes of the file that are not read again: it is as small as the rest */
	int second; /* a file from elsewhere that goes with it, after which the worker reads no other; -1: none */
	void *answer; /* as in struct reader_call */
	size_t answer_size;
	/* Checks the answer, and takes what came with it.  Returns false if it is nonsense. */
	bool (*take)(void *context, const struct channel_fds *got);
	void *context;
};

/*
 * Has a worker read L's file (load_open_file()); L's checkpoint is called meanwhile, and may read other files
 * with P.  Returns WORKER_DONE if an answer was taken; anything else is told in L's `missing`, and is a refusal,
 * which another reading would end in as well, unless it is WORKER_KILLED.  *GIVEN_UP: the checkpoint said so.
 */
enum worker_end reader_pool_read(struct reader_pool *p, struct load *l,
				 const struct pool_order *order, bool *given_up);

#endif
