/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_H
#define PTOP_SYMBOL_LOAD_H

#include "symbol/load-state.h"

/*
 * The sources of symbols.  One row of load.c's table is one source; a new source is a new row and its
 * function.
 */

/*
 * Reads the symbols.  Returns the table, owned by the caller.  Returns NULL if the object cannot be
 * read or the checkpoint said so; `missing` then says why.  Tables that grow (JIT) are perfmap.h's.
 */
struct symtab *load_run(struct load *l);

/* The two parts of load_run(): the reading of what is open, into `outcome`; what a person is told of it. */
struct symtab *load_read(struct load *l);
void load_tell(struct load *l);

#endif
