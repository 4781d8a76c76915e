/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITCODE_H
#define PTOP_SYMBOL_JITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"
#include "symbol/srcline.h"

/*
 * The machine code and the source lines of a jitdump (jitdump.h), for who looks at a function: its
 * symbols are read by somebody else, for everybody.  What is kept is where in the file things are.
 *
 *   DEBUG_INFO  address of the code that the next CODE_LOAD tells, number of entries (8 bytes each);
 *               address (8), line, column (4 each), file NUL: that of the entry before where it is
 *               the byte 255
 *
 * One thread.
 */
struct jitcode;

#define JITCODE_FUNCTIONS_MAX (1u << 20)	/* later ones are not looked at */
#define JITCODE_LINES_MAX     65536u		/* of a function */

struct jitfunction {
	uint64_t start, size;
	uint64_t code_offset, code_bytes;	/* in the file; 0 bytes: it is not there */
	uint64_t lines_offset, lines_bytes;	/* its entries; */
	uint64_t line_count;			/* so many, it says; 0: none */
	uint64_t moved;				/* it lies so far behind the addresses of these */
};

struct jitcode *jitcode_new(int fd);		/* takes FD, which may be -1: nothing is read */
void jitcode_free(struct jitcode *j);		/* NULL is allowed */

/* Reads on, from where it was; looks at L's checkpoint. */
void jitcode_read_on(struct jitcode *j, struct load *l);

/* Takes the next records, as jitdump_parse(). */
uint64_t jitcode_parse(struct jitcode *j, const void *bytes, size_t size, uint64_t left);

/* The code that was told of last of those that begin at START; NULL none.  Until the next reading. */
const struct jitfunction *jitcode_find(const struct jitcode *j, uint64_t start);

uint16_t jitcode_machine(const struct jitcode *j);	/* EM_X86_64, … */

/* Up to SIZE bytes of F's code; how many there are. */
size_t jitcode_bytes(const struct jitcode *j, const struct jitfunction *f, void *bytes, size_t size);

/*
 * The source line at ADDRESS of F into *FRAME, whose texts live until another function is asked for.
 * False: not known.
 */
bool jitcode_line(struct jitcode *j, const struct jitfunction *f, uint64_t address,
		  struct srcline_frame *frame);

/* The same of SIZE bytes of entries: what jitcode_line() has read. */
void jitcode_set_lines(struct jitcode *j, const struct jitfunction *f, const void *bytes, size_t size);

#endif
