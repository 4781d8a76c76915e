/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITDUMP_H
#define PTOP_SYMBOL_JITDUMP_H

#include "symbol/jit-parser.h"

/*
 * The binary dump of a JIT compiler: jit-PID.dump (kernel:
 * tools/perf/Documentation/jitdump-specification.txt).  The compiler maps a page of the file as
 * code, which tells a profiler where the file is.  A header, then records:
 *
 *	header		"JiTD" as a number of 4 bytes, in the byte order of all that follows;
 *			version 1
 *	record		type, size of it all, timestamp; then
 *	CODE_LOAD	pid, tid, vma, address, size, index, name NUL, the code itself
 *	CODE_MOVE	pid, tid, vma, old address, new address, size, index
 *	UNWINDING_INFO	size of what follows, size of the .eh_frame_hdr at its end, size in
 *			memory; .eh_frame, .eh_frame_hdr: of the code that the next
 *			CODE_LOAD describes
 *	CODE_CLOSE	and newer types are skipped; jitcode.h reads DEBUG_INFO, and the code
 */
#define JITDUMP_BYTES_MAX (16ull << 30) /* the rest is not read; code is skipped */

/*
 * Returns true if the last part of a mapped file's path is "jit-", digits, ".dump" (and "
 * (deleted)").
 */
bool jitdump_is_path(const char *path);

/*
 * Opens L's `dump`.  Returns the descriptor, or -1 if the file cannot be read or trusted: L's `missing` then says
 * why.
 */
int jitdump_open(struct load *l);

/*
 * Takes the next records, whose first SIZE bytes are here of LEFT in the file.  SIZE is 64 KiB at
 * least, or all that is LEFT.
 *
 * Returns how far to go on: more than SIZE if the rest of the last record is not needed.  Returns 0
 * if more of the file is needed, or if nothing behind can be a record.
 */
uint64_t jitdump_parse(struct jit_parser *p, const void *bytes, size_t size, uint64_t left);

#endif
