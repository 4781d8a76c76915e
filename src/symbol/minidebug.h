/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_MINIDEBUG_H
#define PTOP_SYMBOL_MINIDEBUG_H

#include "symbol/load.h"
#include "symbol/object.h"

/*
 * The ELF file in section .gnu_debugdata, compressed with LZMA, that Fedora and others leave in
 * stripped files: its .symtab has the functions that .dynsym has not ("MiniDebugInfo" in the GDB
 * manual).  Owned by the caller; NULL when there is none, it is damaged, would have more than
 * MINIDEBUG_BYTES_MAX, or ptop was built without liblzma.
 */
struct object *minidebug_open(struct load *l);

#define MINIDEBUG_BYTES_MAX (256u << 20)

#endif
