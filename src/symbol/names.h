/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_NAMES_H
#define PTOP_SYMBOL_NAMES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The names of symtabs: texts one after the other in chunks that never move.  So a name that was
 * handed out stays in its place while more are added.  A name is known by a 32-bit offset.
 *
 * A builder and the tables that it made share one set of names, also across threads.  Each of them
 * holds the names, and the last one to release them frees them.  One thread at a time adds names.
 * A table reads the chunks that were there when it was made, by its own list of them.
 */
#define NAMES_CHUNK_BITS 16
#define NAMES_TEXT_MAX (16 * 1024)           /* bytes of one name */
#define NAMES_BYTES_MAX (256u * 1024 * 1024) /* of all */
#define NAMES_BYTES_JIT (48u * 1024 * 1024)  /* of all that a program told of its own code */
#define NAMES_FULL UINT32_MAX

struct names {
	char **chunks; /* owned */
	size_t count, capacity;
	size_t used; /* bytes in the last chunk */
	size_t bytes_max;
	atomic_size_t holders;
};

/* Held by the caller.  BYTES_MAX: at most NAMES_BYTES_MAX. */
struct names *names_new(size_t bytes_max);
struct names *names_hold(struct names *n);                          /* returns N */
void names_release(struct names *n);                                /* NULL is allowed */
uint32_t names_add(struct names *n, const char *text, size_t size); /* NAMES_FULL: did not fit */
void names_trim(struct names *n);          /* frees the unused end; nothing can be added later */
size_t names_bytes(const struct names *n); /* memory held */

/* The bytes of its chunks, one after the other, up to the last one used. */
size_t names_text_bytes(const struct names *n);

static inline const char *names_at(char *const *chunks, uint32_t offset)
{
	return chunks[offset >> NAMES_CHUNK_BITS] + (offset & ((1u << NAMES_CHUNK_BITS) - 1));
}

#endif
