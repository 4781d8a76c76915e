/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SYMTAB_LAYOUT_H
#define PTOP_SYMBOL_SYMTAB_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* The members of a symtab, for symtab.c, which builds and searches it, and symtab-block.c. */
#define SYMBOLS_MAX (4u * 1024 * 1024)
#define SEGMENTS_MAX 1024

struct segment {
	uint64_t offset, size, address;
};

/*
 * There are two orders: a position is the place in address order, a number is what other modules
 * know.  They are equal except in a growing table, where `numbers` and `positions` convert between
 * them.
 */
struct symtab {
	size_t count;        /* numbers */
	size_t placed;       /* positions */
	uint64_t *starts;    /* by position, ascending */
	uint32_t *sizes;     /* by position */
	uint32_t *parents;   /* by position: the symbol around it; NULL: there is none */
	uint32_t *numbers;   /* by position; NULL: equal */
	uint32_t *positions; /* by number, SYMBOL_NONE: gone; NULL: equal */
	uint32_t *names;     /* by number */
	uint16_t *modules;   /* by number, 0 none; NULL: no symbol has one */
	uint8_t *sources;    /* by number, enum named_by; NULL: it is `source` for all */
	uint8_t source;
	struct segment *segments;
	size_t segment_count;
	char **module_names; /* [0] unused */
	size_t module_count;
	struct names *owner; /* held: of the names; NULL for a block */
	char **chunks;       /* its chunks; of a growing table, or a block, a list of its own */
	const void *block;   /* mapped: what the arrays above point into; NULL: they are owned */
	size_t block_bytes;
	uint64_t dropped;
	uint64_t fingerprint;
};

/* Its fingerprint; the texts of all its names have TEXT_BYTES, in chunks. */
uint64_t symtab_hash(const struct symtab *t, size_t text_bytes);

#endif
