/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JIT_PARSER_H
#define PTOP_SYMBOL_JIT_PARSER_H

#include "symbol/jit-entries.h"
#include "symbol/jitrecord.h"

/*
 * The state of whoever reads a JIT compiler's file from one part in memory to the next: perfmap_parse() and
 * jitdump_parse(), which mostly run in a worker (jit-tail.h).
 */

/* A compiler's description of the frames of one function: a foreign .eh_frame that is meant to be at ADDRESS. */
struct jit_description {
	uint16_t machine;        /* e_machine */
	uint64_t start, address; /* of the code, of its description */
	const void *bytes;
	size_t size;
};

/*
 * Makes the rules of D, which tell callers.  Returns them, *SIZE bytes of malloc() for the owner of the function;
 * NULL: none.  Whoever reads the file has one, since rules belong to others than symbols.
 */
typedef void *jitframe_make(const struct jit_description *d, size_t *size);

#define JITFRAME_BYTES_MAX 65536u /* of one function's rules; more are none */

/* Reads the part of a file that is in memory, into `entries`. */
struct jit_parser {
	struct jitreader at; /* the next byte; of a perf map only `offset` changes */
	struct jit_entries entries;
	jitframe_make *make;
	uint64_t skipped; /* invalid lines or records */
	/* A description whose code has not come yet. */
	unsigned char *frames;
	size_t frames_size;
	struct jitreader frames_at; /* its record's place, */
	uint64_t frames_skipped;    /* and what was invalid before it */
};

#endif
