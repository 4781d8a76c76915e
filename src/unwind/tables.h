/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_TABLES_H
#define PTOP_UNWIND_TABLES_H

#include "unwind/regs.h"
#include "unwind/rule.h"

/*
 * The inside of an object, for the files of unwind/ only: one block of bytes, which may come from a process
 * that nobody trusts.
 *
 * The block: this head, then segments, rules, starts and numbers.  The large members come first, so each is
 * aligned.  Row I is valid from its start up to the next row's, the last one to the end of the address
 * space; its rule is that of its number.
 */
#define UNWIND_BLOCK_MAGIC 0x6b6c62646e777570ull

struct unwind_block {
	uint64_t magic;
	uint64_t base;      /* the object's lowest address; starts are relative to it */
	uint64_t functions; /* that are described */
	uint32_t machine;   /* enum unwind_machine */
	int32_t fp_percent;
	uint32_t segments, rules, rows, unused;
};

struct unwind_segment {        /* of code */
	uint64_t offset, size; /* in the file, bytes */
	uint64_t address;      /* in the object */
};

#define UNWIND_SEGMENTS_MAX 1024u
#define UNWIND_RULES_MAX 0x8000u
#define UNWIND_ROWS_MAX (UINT32_C(1) << 23) /* a browser's largest library has a third of it */

/*
 * In a row's number: a description begins here, or code without one.  Only machines whose calls leave their
 * return address in a register have that mark.
 */
#define UNWIND_BEGINS 0x8000u

/* Where the parts of a block lie, in bytes from its start. */
struct unwind_parts {
	size_t segments, rules, starts, numbers, end;
};

static inline struct unwind_parts unwind_parts_of(const struct unwind_block *b)
{
	struct unwind_parts p = { .segments = sizeof(*b) };

	p.rules = p.segments + b->segments * sizeof(struct unwind_segment);
	p.starts = p.rules + b->rules * sizeof(struct rule);
	p.numbers = p.starts + b->rows * sizeof(uint32_t);
	p.end = p.numbers + b->rows * sizeof(uint16_t);
	return p;
}

struct unwind_object {
	struct unwind_block head;
	const struct unwind_segment *segments;
	const struct rule *rules;
	const uint32_t *starts;
	const uint16_t *numbers;
	uint32_t
		*first; /* owned: of each piece of code, the first row that begins in it or later */
	unsigned shift; /* a piece is 1 << SHIFT bytes */
	uint32_t pieces;    /* behind the last one there is no start of a row */
	void *heap;         /* the block: owned; or both NULL, borrowed; or */
	const char *sealed; /* mapped */
	size_t bytes;
};

/*
 * Checks the block at AT, of SIZE bytes, in one pass, and returns an object that reads it in place; NULL if it
 * is not as it must be.  The object owns the block, which is of malloc(); without an object it is freed.
 */
struct unwind_object *unwind_object_of_block(void *at, size_t size);

/* The rule for code address ADDRESS of the object. */
const struct rule *unwind_object_rule(const struct unwind_object *o, uint64_t address);

/*
 * The described function that ADDRESS is in, where functions have marks.  Returns false if there is none, or
 * if it has too many rows to look for its ends.
 */
bool unwind_object_function(const struct unwind_object *o, uint64_t address, uint64_t *start,
			    uint64_t *end);

#endif
