/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PERFMAP_H
#define PTOP_SYMBOL_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"
#include "symbol/reader-pool.h"

/*
 * A JIT compiler's list of its code: /tmp/perf-PID.map (kernel:
 * tools/perf/Documentation/jit-interface.txt).  The compiler appends while it runs, so the file is
 * read on from the last position.  If it is another file, or shorter, it is read anew.  One line,
 * the numbers in hexadecimal:
 *
 *	7f2c4a000000 1a0 LazyCompile:*render /srv/app.js:12
 */
struct perfmap;

struct perfmap *perfmap_new(void);
void perfmap_free(struct perfmap *m); /* its tables stay; NULL is allowed */

size_t perfmap_bytes(const struct perfmap *m); /* memory held; not while it is being read */

/*
 * Has what is new read, by READERS (perfmap-tail.h).  Returns a new table, owned by the caller.  Returns NULL if
 * nothing is new, or if the file cannot be read or trusted (its owner is neither root nor the process's user, or
 * has changed): L's `missing` then says why.  *REFUSED: a worker was stopped now, and nothing will be read before
 * another file is there.
 */
struct symtab *perfmap_read(struct perfmap *m, struct load *l, struct reader_pool *readers,
			    bool *refused);

#endif
