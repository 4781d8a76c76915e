/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SRCLINE_H
#define PTOP_SYMBOL_SRCLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"

/*
 * The debugging information of one object.  It tells which line an address comes from, and which
 * functions the compiler inlined there (DWARF 5, 3.3.8 "Inlined Subroutines", 6.2 "Line Number
 * Information").  libdw reads it.
 *
 * Results are kept by compilation unit: the first address of a unit costs milliseconds, the others
 * microseconds.  So this is not for a hot path, nor for the loader.  One thread at a time.  For JIT
 * code see jitcode.h.
 */
struct srcline;

#define SRCLINE_DEPTH_MAX 64u          /* nested functions; deeper ones are left out */
#define SRCLINE_BYTES_MAX (1ull << 30) /* of .debug_* sections; larger ones are not read */

struct srcline_frame {
	const char *function;    /* demangled; NULL unknown */
	const char *file;        /* as given to the compiler, with its directory; NULL unknown */
	uint32_t line;           /* in FILE, 0 unknown */
	const char *declared_in; /* file where FUNCTION is declared; NULL unknown */
	uint32_t declared_at;    /* the line there, 0 unknown */
	bool inlined;            /* its code is inlined in the next frame's function */
};

/*
 * Opens the information of L's object and takes `object` away from L.  The information is in the
 * object itself or in its separate debug file, and in files of its units (split.h).  A debug file
 * is fetched from a server if that is wanted (fetch.h).  A relocatable file is moved to the places of L's `module`.
 *
 * Returns NULL if there is none: L's `missing` says why, and L keeps its object.  Afterwards L's roots are
 * still used, and its `context` if it has an `open`.
 */
struct srcline *srcline_open(struct load *l);
void srcline_close(struct srcline *s); /* NULL is allowed */

/*
 * Finds the frames at ADDRESS, one of the object's own virtual addresses: innermost first, at most
 * MAX (SRCLINE_DEPTH_MAX are all).  The last frame is the function itself.  Returns their number; 0
 * if nothing is known.  Texts are borrowed until srcline_close().
 */
size_t srcline_find(struct srcline *s, uint64_t address, struct srcline_frame *frames, size_t max);

/*
 * The information that srcline_find() has missed so far, and where it should be, in one line; ""
 * nothing.  Places there have lines, but no functions.
 */
void srcline_missing(const struct srcline *s, struct error *text);

/* The opened object, for its bytes and segments.  Borrowed. */
const struct object *srcline_object(const struct srcline *s);

/* Memory in bytes, about: the sections that were read, and what was made from them. */
size_t srcline_bytes(const struct srcline *s);

#endif
