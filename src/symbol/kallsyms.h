/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KALLSYMS_H
#define PTOP_SYMBOL_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"

/*
 * The kernel's own list of its symbols, /proc/kallsyms (proc(5)).  One line:
 *
 *	ffffffffc0a01000 t nft_do_chain	[nf_tables]
 *
 * Code has type t, T, w or W; capitals are global.  All addresses are 0 for a user who may not see
 * them.
 */
struct kallsyms_count {
	uint64_t added;
	uint64_t hidden;  /* code with address 0 */
	uint64_t skipped; /* invalid lines */
};

/*
 * Adds the whole lines of TEXT to B, without those of BPF programs if it is not to have them.  Returns the bytes used; the
 * rest is the beginning of a line.
 */
size_t kallsyms_parse(struct symtab_builder *b, const char *text, size_t size, bool bpf,
		      struct kallsyms_count *count);

/*
 * Reads L's kallsyms into its builder.  Returns the number of symbols, or 0 with L's `missing`
 * saying why.
 */
uint64_t kallsyms_read(struct load *l);

#endif
