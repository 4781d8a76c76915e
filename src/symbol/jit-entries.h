/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JIT_ENTRIES_H
#define PTOP_SYMBOL_JIT_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The code that a JIT compiler's file (jitlist.h) lists, in the order of the file: later code replaces earlier
 * code.  A worker fills the list and hands it over in one sealed block (sealed.h).
 */
enum jit_entry_kind { JIT_CODE, JIT_MOVED, JIT_ENTRY_KINDS };

struct jit_entry {
	uint64_t start, size; /* of the code; SIZE is not 0, and the end no less than START */
	uint64_t index;       /* the compiler's number of it; 0: it has none */
	uint64_t from;        /* JIT_MOVED: where it was */
	uint32_t kind;        /* enum jit_entry_kind */
	/* Parts of the list's bytes, one behind the other, as the entries are. */
	uint32_t name_bytes; /* at least 1; JIT_MOVED: 0, it keeps its name */
	uint32_t
		frames_bytes; /* how its callers are found: what a jitframe_make made; 0: unknown */
	uint32_t unused;      /* 0: padding would be undefined */
};

struct jit_entries {
	struct jit_entry *entries;
	unsigned char *bytes;
	size_t count, capacity, byte_count, byte_capacity;
	const char *block; /* mapped: what the arrays point into; NULL: they are owned */
	size_t block_bytes;
};

/* Start from a zeroed struct. */
void jit_entries_fini(struct jit_entries *l);

/* Adds E with its bytes, as many as it says. */
void jit_entries_add(struct jit_entries *l, const struct jit_entry *e, const void *name,
		     const void *frames);

/* Returns true if the list is as long as one may get: the rest of the file belongs into the next one. */
bool jit_entries_are_full(const struct jit_entries *l);

/* Copies L into a block.  Returns its descriptor, owned by the caller, or a negative errno. */
int jit_entries_write(const struct jit_entries *l);

/*
 * Checks the block FD in one pass and makes L, which is empty, of it.  Returns false if anything in it is not as
 * jit_entries_write() makes it; L is then empty.  FD stays the caller's.
 */
bool jit_entries_open(struct jit_entries *l, int fd);

#endif
