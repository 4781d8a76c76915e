/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SYMTAB_BLOCK_H
#define PTOP_SYMBOL_SYMTAB_BLOCK_H

#include "symbol/symtab.h"

/*
 * A finished symtab in one block of memory, for another process.  The block is a sealed memfd: its
 * maker cannot change it any more.  Whoever opens it trusts nothing in it before it is checked.
 */

/*
 * Copies T, which is of symtab_builder_finish() and has no modules, into a block.  Returns its
 * descriptor, owned by the caller, or a negative errno.
 */
int symtab_block_write(const struct symtab *t);

/*
 * Checks the block FD in one pass and returns a table that reads it in place; symtab_free() unmaps it.
 * NULL if anything in it is not as symtab_block_write() makes it.  FD stays the caller's.
 */
struct symtab *symtab_block_open(int fd);

#endif
