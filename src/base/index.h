/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_INDEX_H
#define PTOP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds items of any kind that lie densely in an array of their owner.  The index holds numbers alone; the
 * owner hashes and compares.  Open addressing, linear probing.  Nothing is removed: who removes items resets
 * the index and enters the rest anew.
 *
 *	uint32_t *slot = index_first(&x, hash);
 *
 *	while (*slot && !equal(&items[*slot - 1], key))
 *		slot = index_next(&x, slot);
 *
 * Then *SLOT is the item's number + 1, or 0: a free slot, where the number of a new item belongs.  An owner
 * whose item 0 is never looked for can store plain numbers.
 *
 * index_reset() comes first.  One thread.
 */
struct index {
	uint32_t *slots; /* owned; 0: free */
	size_t size;     /* a power of two */
};

/* Frees all slots and makes room for ITEMS, three in four slots at most.  Gives back what is too much. */
void index_reset(struct index *x, size_t items);

/* Frees all slots; the room stays as it is. */
void index_clear(struct index *x);
void index_fini(struct index *x);

/* Returns true if there is no room for one item more than ITEMS. */
static inline bool index_full(const struct index *x, size_t items)
{
	return (items + 1) * 4 > x->size * 3;
}

static inline uint32_t *index_first(const struct index *x, uint64_t hash)
{
	return &x->slots[hash & (x->size - 1)];
}

static inline uint32_t *index_next(const struct index *x, uint32_t *slot)
{
	return ++slot == x->slots + x->size ? x->slots : slot;
}

static inline size_t index_bytes(const struct index *x)
{
	return x->size * sizeof(*x->slots);
}

#endif
