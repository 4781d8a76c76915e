/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ELFCALLS_H
#define PTOP_SYMBOL_ELFCALLS_H

#include <stddef.h>

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Adds a function without a name to L's builder for each place in O's code that a direct call leads to.  The program's entry
 * and the start of each section are such places, too.  It ends where the next function begins.  The builder leaves it out
 * where a symbol is, or a function with known bounds.
 *
 * This is for code that nothing else tells of: many a C library has no call frame information.  Neither has code
 * that gcc 12 makes for riscv64.  A function that only pointers and jumps lead to is taken for a part of the one before it.
 * For x86-64, aarch64 and riscv64.  Returns the number of functions.
 */
size_t elfcalls_read(struct load *l, const struct object *o);

#endif
