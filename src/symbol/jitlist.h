/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITLIST_H
#define PTOP_SYMBOL_JITLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/jit-tail.h"
#include "symbol/load-state.h"

/*
 * A JIT compiler's list of its code, in a file: a perf map (perfmap.h), or a dump (jitdump.h), which tells more.
 * The compiler appends while it runs, so the file is read on from the last position.  If it is another
 * file, or shorter, it is read anew.  The last of the symbols at one address counts; code in a dump
 * replaces all that it overlaps.
 */
struct jitlist;

struct jitlist *jitlist_new(enum jit_kind kind);
void jitlist_free(struct jitlist *j);          /* its tables stay; NULL is allowed */
size_t jitlist_bytes(const struct jitlist *j); /* memory held; not while it is being read */

/*
 * Has what is new read.  Returns a new table, owned by the caller.  Returns NULL if nothing is new, or if the
 * file cannot be read or trusted (its owner is neither root nor the process's user, or has changed): L's
 * `missing` then says why.  *REFUSED: a worker was stopped now, and nothing will be read before another file is
 * there.
 */
struct symtab *jitlist_read(struct jitlist *j, struct load *l, const struct jit_reading *how,
			    bool *refused);

/* The two halves of that, for what was read: takes E; and a table of all that was taken so far. */
void jitlist_take(struct jitlist *j, const struct jit_entries *e);
struct symtab *jitlist_make(struct jitlist *j);

bool jitlist_has_code(const struct jitlist *j); /* something was taken */

/* How callers of one function are found, or the news that this is not known any more. */
struct jitframe {
	uint64_t start, size; /* of the code */
	uint64_t from;        /* takes over the rules of the code there; 0: of none */
	uint64_t made_at;     /* where the code was when its rules were made */
	void *made;           /* the owner's, freed with it, may borrow BYTES; NULL: nothing */
	void (*free_made)(void *made);
	size_t bytes_room; /* of `bytes` */
	size_t bytes_size; /* 0: nothing is to be made of them any more */
	/* The rules, as a jitframe_make made them; unchecked. */
	_Alignas(max_align_t) uint8_t bytes[];
};

#define JITFRAMES_MAX 65536u
#define JITFRAMES_BYTES_MAX (32u << 20)

void jitframe_free(struct jitframe *f); /* NULL is allowed */

/* Memory held, in bytes, with what may be made of the rules. */
size_t jitframe_bytes(const struct jitframe *f);

/* The list of new rules, owned by the caller with its entries; NULL if there are none. */
struct jitframe **jitlist_take_frames(struct jitlist *j, size_t *count);

#endif
