/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ELFPLT_H
#define PTOP_SYMBOL_ELFPLT_H

#include <stddef.h>

#include "symbol/load.h"
#include "symbol/object.h"

/*
 * Names the entries of O's procedure linkage tables, "malloc@plt", in L's builder.  No symbol table
 * has them: the jump in each is decoded for the slot it goes through, and the relocation of that
 * slot names the function.  x86-64 and aarch64; how many were named.
 */
size_t elfplt_read(struct load *l, const struct object *o);

#endif
