/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITCODE_H
#define PTOP_SYMBOL_JITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"
#include "symbol/srcline.h"

/*
 * The machine code and source lines of a jitdump (jitdump.h), for a look at a function.  Its
 * symbols are read elsewhere.  Only positions in the file are kept.
 *
 *	DEBUG_INFO	address of the code that the next CODE_LOAD describes, number of
 *			entries (8 bytes each);
 *			address (8), line, column (4 each), file NUL: the previous
 *			entry's if it is the byte 255
 *
 * For one thread.
 */
struct jitcode;

#define JITCODE_FUNCTIONS_MAX (1u << 20) /* later ones are ignored */
#define JITCODE_LINES_MAX 65536u         /* of a function */

struct jitfunction {
	uint64_t start, size;
	uint64_t code_offset, code_bytes;   /* in the file; 0 bytes: not written there */
	uint64_t lines_offset, lines_bytes; /* position of its entries; */
	uint64_t line_count;                /* their number, as the dump says; 0: none */
	uint64_t moved;                     /* distance of the code to their addresses */
};

struct jitcode *jitcode_new(int fd);  /* takes FD, which may be -1: then nothing is read */
void jitcode_free(struct jitcode *j); /* NULL is allowed */

/* Reads on from the last position; checks L's checkpoint. */
void jitcode_read_on(struct jitcode *j, struct load *l);

/* Takes the next records, as jitdump_parse(). */
uint64_t jitcode_parse(struct jitcode *j, const void *bytes, size_t size, uint64_t left);

/* Returns the latest code that begins at START, until the next reading, or NULL. */
const struct jitfunction *jitcode_find(const struct jitcode *j, uint64_t start);

uint16_t jitcode_machine(const struct jitcode *j); /* EM_X86_64, … */

/* Reads up to SIZE bytes of F's code; returns their number. */
size_t jitcode_bytes(const struct jitcode *j, const struct jitfunction *f, void *bytes,
		     size_t size);

/*
 * Finds the source line at ADDRESS of F and fills *FRAME.  Its texts live until another function is
 * asked for.  Returns false if it is unknown.
 */
bool jitcode_line(struct jitcode *j, const struct jitfunction *f, uint64_t address,
		  struct srcline_frame *frame);

/* The same from SIZE bytes of entries, which jitcode_line() has read. */
void jitcode_set_lines(struct jitcode *j, const struct jitfunction *f, const void *bytes,
		       size_t size);

#endif
