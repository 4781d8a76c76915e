/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_INDEX_H
#define PTOP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds items of any kind that lie densely in an array of their owner.  The index holds numbers and parts of
 * hashes; the owner hashes and compares.  Open addressing, linear probing.  Nothing is removed: who removes items
 * resets the index and enters the rest anew.
 *
 *	struct index_place at = index_first(&x, hash);
 *
 *	while (at.number && !equal(&items[at.number - 1], key))
 *		index_next(&x, &at);
 *
 * Then AT.number is the item's number + 1, or 0: there is none, and index_enter() puts a new item at AT.  An owner
 * whose item 0 is never looked for can enter plain numbers.  Numbers are below the index's size.
 *
 * A number needs few bits of its slot; the rest holds those bits of the hash that did not choose the slot.  So items
 * that only lie in the way are passed without a look at them: each would be a miss of the CPU's cache.
 *
 * index_reset() comes first.  One thread.
 */
struct index {
	uint32_t *slots; /* owned; 0: free */
	size_t size;     /* a power of two */
};

struct index_place {
	uint32_t number; /* 0: the slot is free */
	uint32_t mark;   /* the part of the hash */
	size_t slot;
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

/* AT's slot, or the next one behind it that is free or may have what is looked for. */
static inline void index_stop(const struct index *x, struct index_place *at)
{
	const size_t mask = x->size - 1;

	while (x->slots[at->slot] && ((x->slots[at->slot] ^ at->mark) & ~(uint32_t)mask))
		at->slot = (at->slot + 1) & mask;
	at->number = x->slots[at->slot] & (uint32_t)mask;
}

static inline struct index_place index_first(const struct index *x, uint64_t hash)
{
	const size_t mask = x->size - 1;
	struct index_place at = { .slot = hash & mask,
				  .mark = (uint32_t)(hash >> 32) & ~(uint32_t)mask };

	index_stop(x, &at);
	return at;
}

static inline void index_next(const struct index *x, struct index_place *at)
{
	at->slot = (at->slot + 1) & (x->size - 1);
	index_stop(x, at);
}

/* AT is free, and nothing was entered since it was found. */
static inline void index_enter(struct index *x, const struct index_place *at, uint32_t number)
{
	x->slots[at->slot] = at->mark | number;
}

/* Enters an item that is equal to none that is there. */
static inline void index_enter_new(struct index *x, uint64_t hash, uint32_t number)
{
	struct index_place at = index_first(x, hash);

	while (at.number)
		index_next(x, &at);
	index_enter(x, &at, number);
}

static inline size_t index_bytes(const struct index *x)
{
	return x->size * sizeof(*x->slots);
}

#endif
