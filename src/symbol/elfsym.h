/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ELFSYM_H
#define PTOP_SYMBOL_ELFSYM_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Reads the functions of O's symbol table of TYPE (SHT_SYMTAB or SHT_DYNSYM) into L's builder, with
 * BIAS added to their addresses.  Returns their number; 0 if there is no such table.
 *
 * Functions are STT_FUNC, STT_GNU_IFUNC, and labels of assembly code (STT_NOTYPE) in a section of
 * code, except the assembler's and linker's own ($x, .L).
 */
size_t elfsym_read(struct load *l, const struct object *o, uint32_t type, int64_t bias);

/*
 * The same, but passes every function to VISIT, also several at one address.  The name is borrowed
 * for the call.
 */
typedef void elfsym_visitor(void *context, const struct symtab_entry *e);
size_t elfsym_each(struct load *l, const struct object *o, uint32_t type, int64_t bias,
		   elfsym_visitor *visit, void *context);

#endif
