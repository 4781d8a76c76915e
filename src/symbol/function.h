/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_FUNCTION_H
#define PTOP_SYMBOL_FUNCTION_H

#include <stdint.h>

#include "base/error.h"

/*
 * Where in the ELF file at PATH its function NAME begins, in bytes from the file's start: what a
 * uprobe is set on.  NAME is that of the symbol table (C++: mangled); the version of "memcpy@@GLIBC"
 * may be left out.  Looked for in .symtab, in the debug file of the same build id, which is under
 * DEBUG_ROOT (NULL: /usr/lib/debug), and in .dynsym.  Of several functions with that name a global
 * one is taken, and of those the first.
 *
 * 0, or -1 with ERR naming the file, the function, and one that has nearly its name.
 */
int function_offset(const char *path, const char *name, const char *debug_root, uint64_t *offset,
		    struct error *err);

#endif
