/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ELFPLT_H
#define PTOP_SYMBOL_ELFPLT_H

#include <stddef.h>

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Names the entries of O's procedure linkage tables, "malloc@plt", in L's builder.  No symbol table
 * has them.  The jump in each entry is decoded for its slot; the relocation of the slot names the
 * function.  For x86-64, aarch64 and riscv64.  Returns the number of named entries.
 */
size_t elfplt_read(struct load *l, const struct object *o);

#endif
