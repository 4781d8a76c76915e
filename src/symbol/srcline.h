/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SRCLINE_H
#define PTOP_SYMBOL_SRCLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"

/*
 * The debugging information of one object: which line an address comes from, and which functions
 * the compiler put into which others there (DWARF 5, 3.3.8 "Inlined Subroutines", 6.2 "Line Number
 * Information").  libdw reads it.  What is looked up is kept by compilation unit, so the first
 * address of a unit costs milliseconds and the others microseconds: this is nothing for a hot
 * path, nor for the loader.  One thread at a time.
 *
 * Of JIT code see jitcode.h.
 */
struct srcline;

#define SRCLINE_DEPTH_MAX 64u			/* functions within each other; deeper ones are left out */
#define SRCLINE_BYTES_MAX (1ull << 30)		/* of .debug_* sections; larger ones are not read */

struct srcline_frame {
	const char *function;	/* demangled; NULL unknown */
	const char *file;	/* as the compiler was told, with its directory; NULL unknown */
	uint32_t line;		/* in FILE, 0 unknown */
	const char *declared_in;	/* the file in which FUNCTION is declared; NULL unknown */
	uint32_t declared_at;		/* the line there, 0 unknown */
	bool inlined;		/* its code is within the next frame's function */
};

/*
 * Opens the information of L's object, which is in the object itself or in its separate debug file,
 * fetched from a server where that is wanted (fetch.h), and in files of its units (split.h); takes
 * `object` away from L.  NULL when there is none: L's `missing` says why.  L's other parts are not
 * used after that, but for `proc_root`.
 */
struct srcline *srcline_open(struct load *l);
void srcline_close(struct srcline *s);		/* NULL is allowed */

/*
 * The frames at ADDRESS, one of the object's own virtual addresses, innermost first, at most MAX
 * (SRCLINE_DEPTH_MAX are all): the last is the function itself.  The number; 0 when nothing is
 * known.  Texts are borrowed until srcline_close().
 */
size_t srcline_find(struct srcline *s, uint64_t address, struct srcline_frame *frames, size_t max);

/*
 * What of the information was not found where srcline_find() looked so far, and where it should be, in
 * one line; "" nothing.  Places there have lines, but no functions.
 */
void srcline_missing(const struct srcline *s, struct error *text);

/* The object that was opened, for its bytes and segments.  Borrowed. */
const struct object *srcline_object(const struct srcline *s);

/* Memory: sections that were read and what was made of them, in bytes; about. */
size_t srcline_bytes(const struct srcline *s);

#endif
