/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_MINIDEBUG_H
#define PTOP_SYMBOL_MINIDEBUG_H

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Opens the ELF file in section .gnu_debugdata ("MiniDebugInfo" in the GDB manual).  Fedora and
 * others leave it, compressed with LZMA, in stripped files; its .symtab has the functions that
 * .dynsym lacks.
 *
 * Owned by the caller.  Returns NULL if there is none, if it is damaged or larger than
 * MINIDEBUG_BYTES_MAX, or if ptop was built without liblzma.
 */
struct object *minidebug_open(struct load *l);

#define MINIDEBUG_BYTES_MAX (256u << 20)

#endif
