/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_FUNCTION_H
#define PTOP_SYMBOL_FUNCTION_H

#include <stdint.h>

#include "base/error.h"

/*
 * Finds where function NAME begins in the ELF file at PATH, in bytes from the start of the file:
 * the place for a uprobe.  NAME is that of the symbol table (C++: mangled); the version of
 * "memcpy@@GLIBC" may be left out.
 *
 * The function is looked for in .symtab, in the debug file of the same build id under DEBUG_ROOT
 * (NULL: /usr/lib/debug), and in .dynsym.  Among several of that name the first global one is
 * taken, else the first.
 *
 * Returns 0, or -1 with ERR naming the file, the function, and one with a similar name.
 */
int function_offset(const char *path, const char *name, const char *debug_root, uint64_t *offset,
		    struct error *err);

#endif
