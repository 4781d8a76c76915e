/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_UNWIND_FILE_H
#define PTOP_UNWIND_UNWIND_FILE_H

#include "symbol/object.h"
#include "unwind/table-maker.h"

/*
 * Reads the parts of an ELF file that unwinding needs: .eh_frame and .debug_frame, which may be compressed, and
 * the segments of code.  Some code has no description: stubs of PLTs, the entry, the code that signal handlers
 * return to, and the edges of aarch64's functions.  Their rules come from the code.
 *
 * Returns false if O is no 64-bit little-endian ELF file of a machine of enum unwind_machine.
 * unwind_source_fini() follows in any case.
 */
bool unwind_file_read(struct unwind_source *u, const struct object *o);

#define UNWIND_CODE_MAX 65536u /* bytes of one function's description by unwind_code_rules() */

#endif
