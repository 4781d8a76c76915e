/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PERFMAP_TAIL_H
#define PTOP_SYMBOL_PERFMAP_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/reader-pool.h"

/*
 * A JIT compiler appends to its perf map (perfmap.h).  A worker reads and sorts what is new since the last
 * reading; only that much goes through a sealed block (symtab-block.h).
 */
#define PERFMAP_BYTES_MAX (64u << 20) /* of a map; the rest is not read */

struct perfmap_tail {
	struct symtab *table; /* owned; at one address the last line counts */
	uint64_t bytes;       /* of the file: all whole lines of it */
	uint64_t skipped;     /* invalid lines */
};

/* The worker's side: a worker_main(). */
void perfmap_job(int socket);

/*
 * Fills TAIL with what L's file (load_open_file()) has behind its first FROM bytes.  A worker of POOL, whose
 * job is READER_MAPS, reads it; with POOL NULL this process does.  Returns as reader_pool_read(); without
 * WORKER_DONE there is no table.
 */
enum worker_end perfmap_tail_read(struct perfmap_tail *tail, struct load *l,
				  struct reader_pool *pool, uint64_t from);

/*
 * Adds the whole lines of TEXT to B and returns the bytes used.  Adds the number of invalid lines
 * to *SKIPPED.
 */
size_t perfmap_parse(struct symtab_builder *b, const char *text, size_t size, uint64_t *skipped);

#endif
