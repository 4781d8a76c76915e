/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KALLSYMS_H
#define PTOP_SYMBOL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"

/*
 * The kernel's own list of its symbols, /proc/kallsyms (proc(5)).  One line:
 *   ffffffffc0a01000 t nft_do_chain	[nf_tables]
 * Code is of type t, T, w or W; capital is global.  To who may not see them all addresses are 0.
 */
struct kallsyms_count {
	uint64_t added;
	uint64_t hidden;	/* code whose address is 0 */
	uint64_t skipped;	/* lines that are no such line */
};

/* Adds the whole lines of TEXT to B; the bytes used, so that what is left is a line's beginning. */
size_t kallsyms_parse(struct symtab_builder *b, const char *text, size_t size,
		      struct kallsyms_count *count);

/* Reads L's kallsyms into its builder; the number of symbols, and 0 with L's `source` saying why. */
uint64_t kallsyms_read(struct load *l);

#endif
