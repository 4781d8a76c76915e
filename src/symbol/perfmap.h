/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PERFMAP_H
#define PTOP_SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"

/*
 * What a JIT compiler says of its code: /tmp/perf-PID.map (kernel: tools/perf/Documentation/
 * jit-interface.txt).  It appends while it runs, so the file is read on from where it was; when the
 * file is another one or is shorter it is read anew.  One line, the numbers in hexadecimal:
 *   7f2c4a000000 1a0 LazyCompile:*render /srv/app.js:12
 */
struct perfmap;

#define PERFMAP_BYTES_MAX (256u * 1024 * 1024)		/* what is behind is not read */

struct perfmap *perfmap_new(void);
void perfmap_free(struct perfmap *m);		/* after the tables it made; NULL is allowed */

size_t perfmap_bytes(const struct perfmap *m);	/* memory held; not while it is read */

/*
 * Reads what is new.  A new table, owned by the caller; NULL when nothing is, or when the file
 * cannot be read or is not to be trusted (neither root's nor the process's user's): L's `missing`
 * then says why.
 */
struct symtab *perfmap_read(struct perfmap *m, struct load *l);

/* Adds the whole lines of TEXT to B; the bytes used.  *SKIPPED grows by the lines that are none. */
size_t perfmap_parse(struct symtab_builder *b, const char *text, size_t size, uint64_t *skipped);

#endif
