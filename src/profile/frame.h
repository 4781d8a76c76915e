/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_FRAME_H
#define PTOP_PROFILE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/named-by.h"

/*
 * A frame is "this symbol of this object", interned to a small number: the key of histogram cells
 * and of call-tree nodes.  The collector adds; a number that reached another thread in a snapshot
 * can be asked there without a lock, because frames never move and never change.
 */
typedef char *frame_demangler(const char *raw); /* owned result, or NULL: keep the raw name */

struct frame_table;

#define FRAME_NONE 0u /* no frame has this number */
#define FRAME_REST 1u /* in every table from the start: the one with FRAME_OTHERS */

enum frame_flag {
	FRAME_KERNEL = 1,
	FRAME_UNKNOWN = 2,  /* the address has no symbol: "[unknown]" */
	FRAME_PENDING = 4,  /* the object's symbols are being loaded */
	FRAME_OTHERS = 8,   /* the merged rest of a full histogram */
	FRAME_INLINED = 16, /* its code is within that of the caller: the compiler put it there */
	FRAME_UNNAMED = 32, /* a function whose name is not known: "cc1+0x5e0a40" */
};

#define FRAME_INLINED_SYMBOLS 0x80000000u /* numbers of symbols from here on: inlined functions */

/* DEMANGLE may be NULL.  The table has its part of MEMORY_BYTES (base/account.h). */
struct frame_table *frame_table_new(frame_demangler *demangle, uint64_t memory_bytes);
void frame_table_free(struct frame_table *t); /* NULL is allowed */

/*
 * The number of (OBJECT, SYMBOL), made when new.  OBJECT is any number that the caller uses for the
 * object; RAW is copied, so that the symbols may go; the object's texts are borrowed and must live
 * as long as the table.  RAW may be NULL with a flag that says why there is no name: then SYMBOL is not
 * looked at, an object has one frame for each such flag.  With FRAME_UNNAMED it may be "": the object's
 * short name and ADDRESS make the text.
 *
 * FRAME_REST when the table is full (16 million frames), or when all frames take ACCOUNT_FUNCTIONS.  Others
 * choose names, so the frames of one object, and those of one user, have a part of that.
 */
struct frame_key {
	uint32_t object;
	uint32_t
		payer; /* whose frames are counted together: a user's number + 1; 0: the object's */
	uint32_t symbol;         /* number in the object's symtab, below UINT32_MAX - 255 */
	const char *raw;         /* the symbol's name as in the file */
	const char *object_path; /* "/usr/lib/libc.so.6", "[kernel]", "//anon" */
	const char *object_name; /* the short form: "libc.so.6" */
	uint8_t flags;
	uint8_t named_by; /* enum named_by */
	uint64_t address; /* where it begins, the object's own; 0: not known */
};
uint32_t frame_table_add(struct frame_table *t, const struct frame_key *key);

/* The number that (OBJECT, SYMBOL) got, or FRAME_NONE.  The thread that adds. */
uint32_t frame_table_find(const struct frame_table *t, uint32_t object, uint32_t symbol);

/*
 * The number of times that FRAME_REST was returned because the table was full.  The thread that
 * adds.
 */
uint64_t frame_table_merged(const struct frame_table *t);

/* A number that no other table has, of any process.  Any thread. */
uint64_t frame_table_id(const struct frame_table *t);

/* Numbers in use, FRAME_NONE counted: every frame is below it.  Any thread. */
size_t frame_table_count(const struct frame_table *t);
uint64_t
frame_table_bytes(const struct frame_table *t); /* of all frames and their texts; any thread */

/*
 * Any thread, and never NULL: a number that is not in the table reads as FRAME_REST.  Raw bytes:
 * sanitise before showing.
 *
 * frame_symbol() is the demangled name, computed on the first call.  A frame without a name reads
 * "[unknown]", "[loading]" or "[others]", by its flag.  For FRAME_INLINED it is RAW, which is
 * demangled already, with perf's mark: "name (inlined)".
 */
const char *frame_symbol(const struct frame_table *t, uint32_t frame);
const char *frame_raw_symbol(const struct frame_table *t, uint32_t frame);
const char *frame_object_path(const struct frame_table *t, uint32_t frame);
const char *frame_object_name(const struct frame_table *t, uint32_t frame);
uint32_t frame_object(const struct frame_table *t, uint32_t frame);
uint8_t frame_flags(const struct frame_table *t, uint32_t frame);
uint64_t frame_address(const struct frame_table *t, uint32_t frame);
enum named_by frame_named_by(const struct frame_table *t, uint32_t frame); /* as it was added */

/* frame_symbol() without the mark of an inlined function. */
const char *frame_function(const struct frame_table *t, uint32_t frame);

/*
 * Where a function is declared in the source.  The thread that adds says it, once, FILE is copied;
 * any thread reads it: NULL when it is not known (yet).
 */
struct frame_source {
	const char *file; /* raw bytes */
	uint32_t line;    /* 0 unknown */
	const char *text; /* "file.c:12", without directories */
};
void frame_set_source(struct frame_table *t, uint32_t frame, const char *file, uint32_t line);
const struct frame_source *frame_source(const struct frame_table *t, uint32_t frame);

#endif
