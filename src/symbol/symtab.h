/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SYMTAB_H
#define PTOP_SYMBOL_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/named-by.h"

/*
 * The symbols of one object, sorted by address, immutable once built.  The loader thread builds the
 * table; any thread may read it.  Addresses are the object's own: virtual addresses of its program
 * headers for an ELF file, absolute ones for the kernel and for JIT code.
 *
 * A symbol costs 16 bytes and its name, and a byte more where several sources told the symbols.  Only one symbol is kept at each address: see
 * symtab_builder_add().  A function whose name is not known has the name "".
 */
struct symtab;

#define SYMBOL_NONE UINT32_MAX

struct symbol {
	uint64_t start, end; /* [start, end); both 0 if the code has gone (JIT) */
	const char *name;    /* raw, as in the file; borrowed from the symtab, which owns it */
	const char *module;  /* kallsyms: "[nf_tables]", else NULL; borrowed */
	uint8_t named_by;    /* enum named_by: what told it; NAMED_BY_NONE: not said */
};

void symtab_free(struct symtab *t); /* NULL is allowed */
size_t symtab_count(const struct symtab *t);
size_t symtab_bytes(const struct symtab *t); /* memory held */

/*
 * Equal for two tables in which every number means the same symbol, else different; never
 * UINT64_MAX.  0 for a growing table: see symtab_continues().
 */
uint64_t symtab_fingerprint(const struct symtab *t);

/*
 * Returns true if T is a growing table of the builder that made BEFORE: a number means the same
 * symbol in both.  BEFORE may be NULL.
 */
bool symtab_continues(const struct symtab *t, const struct symtab *before);

/*
 * The number of left-out symbols: beyond 4 Mi symbols or 256 MiB of names, or at the last address.
 */
uint64_t symtab_dropped(const struct symtab *t);

/*
 * The number of the symbol that covers ADDRESS, or SYMBOL_NONE.  Among nested symbols it is the
 * innermost.
 */
uint32_t symtab_find(const struct symtab *t, uint64_t address);

/* NUMBER must be below symtab_count(). */
struct symbol symtab_at(const struct symtab *t, uint32_t number);

/*
 * For an ELF file: the virtual address of a byte of the file.  Returns false if no segment has it.
 */
bool symtab_address_of_offset(const struct symtab *t, uint64_t offset, uint64_t *address);

/* For the builders: add in any order, then finish.  Names are copied. */
struct symtab_builder;

struct symtab_entry {
	uint64_t start;
	uint64_t size;    /* 0 unknown: ends at the next symbol, at the latest at LIMIT */
	uint64_t limit;   /* for SIZE 0: end of the section, 0 unknown: end of the page */
	const char *name; /* NAME_SIZE bytes, or up to a NUL; more than 16 KiB is cut */
	size_t name_size;
	const char *module; /* or NULL */
	unsigned rank;      /* 0-255: among symbols at one address the lowest wins */
};

struct symtab_builder *symtab_builder_new(void);
void symtab_builder_free(struct symtab_builder *b); /* NULL is allowed */

/*
 * Adds a symbol.  Among several at one address one stays, by the rules of perf's
 * symbols__fixup_duplicate().  In this order: a known size before an unknown one (among unknown
 * ones the last added); the lowest rank; the fewest leading underscores.  Then the longest name;
 * then the first added.
 *
 * An entry without a name stays only where no other symbol is: neither at its address nor around it.  If it has no size
 * either, no other entry with a size may be around it.
 *
 * Returns the symbol's number in tables that grow; SIZE_MAX if it was left out.
 */
size_t symtab_builder_add(struct symtab_builder *b, const struct symtab_entry *e);
/* The source of the entries that are added from now on. */
void symtab_builder_set_source(struct symtab_builder *b, enum named_by source);
void symtab_builder_segment(struct symtab_builder *b, uint64_t offset, uint64_t size,
			    uint64_t address);
size_t symtab_builder_count(const struct symtab_builder *b);
size_t symtab_builder_bytes(const struct symtab_builder *b);    /* memory held */
struct symtab *symtab_builder_finish(struct symtab_builder *b); /* frees B; never NULL */

/*
 * For a table that grows while it is in use (JIT): a builder that can make any number of tables,
 * with symbols numbered in the order of their adding.  A number means the same symbol in all of
 * them.  The builder and its tables share the names: each may be freed before the others, in any
 * thread.  Among symbols at one address the last added stays.
 */
struct symtab_builder *symtab_builder_new_growing(void);
struct symtab *symtab_builder_make(struct symtab_builder *b); /* never NULL */

/* From now on, among symbols that overlap the last added stays, whole. */
void symtab_builder_set_exclusive(struct symtab_builder *b);

/* The name of symbol NUMBER; borrowed until the builder is freed. */
const char *symtab_builder_name(const struct symtab_builder *b, size_t number);

/* Retires this one symbol, as symtab_builder_retire() retires all. */
void symtab_builder_retire_one(struct symtab_builder *b, size_t number);

/*
 * Retires all symbols so far: their code has gone, but they keep their numbers and names.  Adding
 * one again, unchanged, gives it its old number.
 */
void symtab_builder_retire(struct symtab_builder *b);

#endif
