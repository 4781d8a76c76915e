/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JIT_TAIL_H
#define PTOP_SYMBOL_JIT_TAIL_H

#include "symbol/jit-parser.h"
#include "symbol/reader-pool.h"

/*
 * A JIT compiler appends to its files (jitlist.h).  A worker reads what is new in one since the last reading; only
 * that much goes through a sealed block (jit-entries.h).  More than a block comes in parts.
 */
enum jit_kind { JIT_MAP, JIT_DUMP, JIT_KINDS };

/* How files are read. */
struct jit_reading {
	struct reader_pool *pool; /* whose job is READER_MAPS; NULL: this process reads */
	jitframe_make *make;      /* for this process; NULL: callers are not told */
};

struct jit_tail {
	struct jit_entries entries; /* jit_entries_fini() follows */
	struct jitreader at;        /* up to here the file was read */
	uint64_t skipped;
	bool more; /* the file goes on behind AT */
};

/* A file of KIND, to be read from AT to its byte TO. */
struct jit_order {
	uint32_t kind;   /* enum jit_kind */
	uint32_t unused; /* 0 */
	uint64_t to;
	struct jitreader at;
};

/* The worker's side: to be called by a worker_main(). */
void jit_tail_job(int socket, jitframe_make *make);

/*
 * Fills TAIL with what L's open file has.  Returns as reader_pool_read(); without WORKER_DONE TAIL is empty.
 * L's checkpoint may end it early.
 */
enum worker_end jit_tail_read(struct jit_tail *tail, struct load *l, const struct jit_reading *how,
			      const struct jit_order *order);

#endif
