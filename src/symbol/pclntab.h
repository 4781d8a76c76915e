/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_PCLNTAB_H
#define PTOP_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/allowance.h"
#include "symbol/load-state.h"

/*
 * Go's own table of functions, section .gopclntab ("Go 1.2 Runtime Symbol Information";
 * src/debug/gosym/pclntab.go and runtime/symtab.go of Go).  A Go program needs it to run, so it is
 * there even in a stripped file.  A magic number tells its forms since Go 1.2, 1.16, 1.18 and 1.20:
 *
 *	header		magic, 0, 0, quantum of code, size of a pointer; then pointers:
 *			number of functions, [1.16: of files], [1.18: start of the code],
 *			[1.16: where in the table the parts are]
 *	functions	address and place of its description, for each; then the end of the last
 *	a function	its address, offset of its name, …
 */

/* Adds the functions of L's object to its builder.  Returns their number. */
size_t pclntab_read(struct load *l);

struct pclntab_bytes {
	const void *bytes;
	size_t size;
	bool swap;                   /* the other byte order than this machine's */
	uint64_t text;               /* address of section .text, for tables that do not give it */
	struct allowance *allowance; /* what names are paid from; borrowed, NULL: unlimited */
};

/* The same from the bytes of the table. */
size_t pclntab_parse(struct symtab_builder *b, const struct pclntab_bytes *table);

#endif
