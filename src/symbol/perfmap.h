/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PERFMAP_H
#define PTOP_SYMBOL_PERFMAP_H

#include "symbol/jit-parser.h"

/*
 * A JIT compiler's list of its code: /tmp/perf-PID.map (kernel:
 * tools/perf/Documentation/jit-interface.txt).  One line, the numbers in hexadecimal:
 *
 *	7f2c4a000000 1a0 LazyCompile:*render /srv/app.js:12
 */
#define PERFMAP_BYTES_MAX (64ull << 20) /* the rest is not read */

/*
 * Opens the map of L's process, which is in that process's own /tmp or in ours.  Returns the descriptor, or -1 if
 * the file cannot be read or trusted: L's `missing` then says why.
 */
int perfmap_open(struct load *l);

/*
 * Takes the whole lines of the SIZE bytes TEXT, of LEFT in the file.  Returns how far they reach: to the end where
 * the line is longer than that.
 */
uint64_t perfmap_parse(struct jit_parser *p, const void *text, size_t size, uint64_t left);

#endif
