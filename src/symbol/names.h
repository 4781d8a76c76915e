/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_NAMES_H
#define PTOP_SYMBOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The names of a symtab: texts one after the other in chunks that never move.  So a name that was
 * handed out stays in its place while more are added.  A name is known by a 32-bit offset.
 */
#define NAMES_CHUNK_BITS 16
#define NAMES_TEXT_MAX   (16 * 1024)			/* bytes of one name */
#define NAMES_BYTES_MAX  (256u * 1024 * 1024)		/* of all */
#define NAMES_FULL       UINT32_MAX

struct names {
	char **chunks;		/* owned */
	size_t count, capacity;
	size_t used;		/* bytes in the last chunk */
};

void names_fini(struct names *n);
uint32_t names_add(struct names *n, const char *text, size_t size);	/* NAMES_FULL: did not fit */
void names_trim(struct names *n);		/* frees the unused end; nothing can be added later */
size_t names_bytes(const struct names *n);	/* memory held */

static inline const char *names_at(char *const *chunks, uint32_t offset)
{
	return chunks[offset >> NAMES_CHUNK_BITS] + (offset & ((1u << NAMES_CHUNK_BITS) - 1));
}

#endif
