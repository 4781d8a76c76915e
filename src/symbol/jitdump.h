/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITDUMP_H
#define PTOP_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"

/*
 * The binary dump of a JIT compiler: jit-PID.dump (kernel:
 * tools/perf/Documentation/jitdump-specification.txt).  The compiler maps a page of the file as
 * code, which tells a profiler where the file is.  It appends to the file while it runs, so the
 * file is read on from the last position.  A header, then records:
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
 *
 * Later code replaces what it overlaps.
 */
struct jitdump;

#define JITDUMP_BYTES_MAX (16ull << 30) /* the rest is not read; code is skipped */

/*
 * Returns true if the last part of a mapped file's path is "jit-", digits, ".dump" (and "
 * (deleted)").
 */
bool jitdump_is_path(const char *path);

struct jitdump *jitdump_new(void);
void jitdump_free(struct jitdump *j);          /* its tables stay; NULL is allowed */
size_t jitdump_bytes(const struct jitdump *j); /* memory held; not while it is being read */

/*
 * Reads what is new in L's `dump`.  Returns a new table, owned by the caller.  Returns NULL if
 * nothing is new, or if the file cannot be read or trusted: L's `missing` then says why.
 */
struct symtab *jitdump_read(struct jitdump *j, struct load *l);

/*
 * Opens L's `dump` and fills *ST.  Returns -1 if the file cannot be read or trusted: L's `missing`
 * says why.
 */
struct stat;
int jitdump_open(struct load *l, struct stat *st);

uint64_t jitdump_size(const struct stat *st); /* the part of the file that is read */

/*
 * Takes the next records, whose first SIZE bytes are here of LEFT in the file.  SIZE is 64 KiB at
 * least, or all that is LEFT.
 *
 * Returns how far to go on: more than SIZE if the rest of the last record is not needed.  Returns 0
 * if more of the file is needed, or if nothing behind can be a record.
 */
uint64_t jitdump_parse(struct jitdump *j, const void *bytes, size_t size, uint64_t left);

/* The compiler's description of one function's frames, or the news that there is none any more. */
struct jitframe {
	uint64_t start, size; /* of the code */
	uint64_t from;        /* takes over the description of the code there; 0: of none */
	uint64_t address;     /* address meant for .eh_frame: behind the code, at a whole word */
	uint16_t machine;     /* e_machine */
	void *made;           /* the owner's, freed with it; NULL: nothing */
	void (*free_made)(void *made);
	size_t bytes_size;
	uint8_t bytes[]; /* .eh_frame; foreign */
};

#define JITFRAMES_MAX 65536u
#define JITFRAMES_BYTES_MAX (32u << 20)

void jitframe_free(struct jitframe *f); /* NULL is allowed */

/* The list of new descriptions, owned by the caller with its entries; NULL if there are none. */
struct jitframe **jitdump_take_frames(struct jitdump *j, size_t *count);

bool jitdump_has_code(const struct jitdump *j); /* something new was taken */

/* A table of all that was taken so far, owned by the caller. */
struct symtab *jitdump_make(struct jitdump *j);

#endif
