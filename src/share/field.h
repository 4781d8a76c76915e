/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_FIELD_H
#define PTOP_SHARE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/hash.h"

/*
 * The members of a structure, one row each: how they are written to a flat block, and which values are
 * believed when they are read.  Writer and reader walk the same table, so they cannot disagree.  Bytes
 * between members are not written, so no memory of the writer leaks.
 *
 * Numbers are in the byte order of the machine, without padding.  A text is the place of its first byte among
 * the texts of the block, in 32 bits.
 */
enum field_kind {
	FIELD_RAW,      /* any bytes, which need no check */
	FIELD_BOOL,     /* 0 or 1 */
	FIELD_COUNT,    /* int64_t: up to FIELD_COUNT_MAX to either side of 0 */
	FIELD_NUMBERS,  /* doubles: NAN, or up to FIELD_NUMBER_MAX to either side of 0 */
	FIELD_CHAR,     /* 0, or a printable ASCII character */
	FIELD_TEXT,     /* const char *, not NULL */
	FIELD_OPTIONAL, /* const char * that may be NULL */
	FIELD_BELOW,    /* an unsigned number of 1, 2 or 4 bytes below `limit` */
};

#define FIELD_COUNT_MAX ((int64_t)1 << 56) /* the largest address space; sums have room */
#define FIELD_NUMBER_MAX 0x1p63            /* a conversion to 64 bits is defined */

/* Who may see a member of a row.  A row that does not say it is not shown. */
enum field_seen {
	SEEN_BY_OWNER, /* the user whose row it is, and root */
	SEEN_BY_ALL,   /* whoever sees that the row is there */
};

struct field {
	const char *name; /* part of what a format is, see fields_hash() */
	uint16_t offset, size;
	enum field_kind kind;
	uint64_t limit; /* FIELD_BELOW */
	enum field_seen seen;
};

/* clang-format off */
#define FIELD_OF(type, member, kind_, limit_, seen_) \
	{ #member, offsetof(type, member), sizeof(((type *)NULL)->member), kind_, limit_, seen_ }

/* A member whose type says what may be in it. */
#define FIELD(type, member, seen) \
	FIELD_OF(type, member, _Generic(((type *)NULL)->member, \
		bool: FIELD_BOOL, char: FIELD_CHAR, int64_t: FIELD_COUNT, double: FIELD_NUMBERS, \
		const char *: FIELD_TEXT, default: FIELD_RAW), 0, seen)
/* clang-format on */

#define FIELD_MAYBE(type, member, seen) FIELD_OF(type, member, FIELD_OPTIONAL, 0, seen)
#define FIELD_UNDER(type, member, limit, seen) FIELD_OF(type, member, FIELD_BELOW, limit, seen)
/* A structure or an array of nothing but doubles. */
#define FIELD_DOUBLES(type, member, seen) FIELD_OF(type, member, FIELD_NUMBERS, 0, seen)

struct fields {
	const struct field *items;
	size_t count;
	size_t row_bytes; /* of the structure in memory */
};

#define FIELDS_OF(table, type)                                        \
	{                                                             \
		table, sizeof(table) / sizeof(*(table)), sizeof(type) \
	}

size_t fields_bytes(const struct fields *f); /* of one row in a block */

/* HASH with the names, kinds and sizes of F: two builds of ptop that differ in them have another format. */
uint64_t fields_hash(uint64_t hash, const struct fields *f);

/*
 * Texts that a block needs, each once.  Texts of the blocks before stay, so that each keeps its place.  All are
 * given up when most of them are needed no more.
 */
struct field_texts {
	struct map places; /* by the pointers of this block */
	struct map known;  /* by what is in them */
	struct buf bytes;
	size_t needed; /* bytes, by this block */
};

void field_texts_next(struct field_texts *t);                      /* another block begins */
uint32_t field_texts_add(struct field_texts *t, const char *text); /* its place; NULL is allowed */
void field_texts_fini(struct field_texts *t);

/* Appends COUNT rows, which begin at ROWS, to OUT. */
void fields_write(const struct fields *f, const void *rows, size_t count, struct buf *out,
		  struct field_texts *texts);

/* Copies the members that are SEEN_BY_ALL from the row FROM to TO; others of TO stay.  Texts are borrowed. */
void fields_show(const struct fields *f, void *to, const void *from);

/* The foreign bytes that rows are read from. */
struct field_reader {
	struct bytes in;   /* `failed` once anything was not as a writer makes it */
	const char *texts; /* TEXT_BYTES bytes, the last one is a NUL if there is any */
	size_t text_bytes;
};

/* Fills one row, of which other members stay.  Texts are borrowed from the reader's. */
void fields_read(const struct fields *f, void *row, struct field_reader *r);

/* COUNT doubles as FIELD_NUMBERS. */
void field_read_numbers(struct field_reader *r, double *to, size_t count);

/*
 * Returns true if COUNT rows of F, each with MORE bytes behind it, may be left in R.  Ask it before room is made for
 * them: it bounds their memory by the size of the block.
 */
bool fields_may_follow(const struct fields *f, uint64_t count, size_t more, struct field_reader *r);

#endif
