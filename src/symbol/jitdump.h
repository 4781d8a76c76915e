/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITDUMP_H
#define PTOP_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"

/*
 * What a JIT compiler says of its code in binary: jit-PID.dump (kernel: tools/perf/Documentation/
 * jitdump-specification.txt).  It maps a page of the file as code, which tells a profiler where it
 * is, and appends while it runs: so the file is read on from where it was.  A header, then records:
 *
 *   header    "JiTD" as a number of 4 bytes, in the byte order of all that follows; version 1
 *   record    type, size of it all, timestamp; then
 *   CODE_LOAD   pid, tid, vma, address, size, index, name NUL, the code itself
 *   CODE_MOVE   pid, tid, vma, old address, new address, size, index
 *   UNWINDING_INFO  size of what follows, size of the .eh_frame_hdr at its end, size in memory;
 *                   .eh_frame, .eh_frame_hdr: of the code that the next CODE_LOAD tells
 *   CODE_CLOSE and what is newer are passed over; DEBUG_INFO, and the code, are jitcode.h's
 *
 * Code that was loaded later takes the place of what it overlaps.
 */
struct jitdump;

#define JITDUMP_BYTES_MAX (16ull << 30)		/* what is behind is not read; code is skipped */

/* True when a mapped file's last part is "jit-", digits, ".dump" (and " (deleted)"). */
bool jitdump_is_path(const char *path);

struct jitdump *jitdump_new(void);
void jitdump_free(struct jitdump *j);		/* after the tables it made; NULL is allowed */
size_t jitdump_bytes(const struct jitdump *j);	/* memory held; not while it is read */

/*
 * Reads what is new in L's `dump`.  A new table, owned by the caller; NULL when nothing is new, or
 * the file cannot be read or is not to be trusted: L's `missing` then says why.
 */
struct symtab *jitdump_read(struct jitdump *j, struct load *l);

/*
 * Opens L's `dump`, with *ST of it.  -1 when it cannot be read or is not to be trusted: L's `missing` says
 * why.
 */
struct stat;
int jitdump_open(struct load *l, struct stat *st);

uint64_t jitdump_size(const struct stat *st);	/* as much of the file as is read */

/*
 * Takes the next records, of SIZE bytes that are here of LEFT in the file.  How far to go on: more
 * than SIZE when the rest of the last record is not needed; 0 when more of the file is, or nothing
 * behind it can be a record.  SIZE is 64 KiB at least, or all that is LEFT.
 */
uint64_t jitdump_parse(struct jitdump *j, const void *bytes, size_t size, uint64_t left);

/*
 * What the compiler says of the frames of one function, or that nothing is said of it any more.
 */
struct jitframe {
	uint64_t start, size;		/* of the code */
	uint64_t from;			/* it is what was said of the code there; 0: of none */
	uint64_t address;		/* where .eh_frame is meant to be: behind the code, at a whole word */
	uint16_t machine;		/* e_machine */
	void *made;			/* by who has it now, and freed with it; NULL: nothing */
	void (*free_made)(void *made);
	size_t bytes_size;
	uint8_t bytes[];		/* .eh_frame; foreign */
};

#define JITFRAMES_MAX	    65536u
#define JITFRAMES_BYTES_MAX (32u << 20)

void jitframe_free(struct jitframe *f);		/* NULL is allowed */

/* What was told of since the last time, owned by the caller, as the list is; NULL when nothing was. */
struct jitframe **jitdump_take_frames(struct jitdump *j, size_t *count);

bool jitdump_has_code(const struct jitdump *j);	/* something was taken */

/* A table of what was taken so far, owned by the caller. */
struct symtab *jitdump_make(struct jitdump *j);

#endif
