/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_HASH_H
#define PTOP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mixes one word with full avalanche.  Not for keys that an attacker can choose to collide. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ (x >> 32);
}

uint64_t hash_bytes(const void *bytes, size_t size);

/*
 * The same with a SEED that outsiders cannot know.  Use it for tables of foreign names: without the
 * seed an outsider could make all of them collide.
 */
uint64_t hash_bytes_seeded(uint64_t seed, const void *bytes, size_t size);

uint64_t hash_seed(void);

/*
 * Map from a 64-bit key to a pointer: open addressing, linear probing, deletion without tombstones.
 * The map does not own the values.  One thread.
 */
struct map {
	struct map_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
	/* hash_seed() for keys that outsiders choose, set before the first one is put; else 0. */
	uint64_t seed;
};

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free slot */
};

size_t map_bytes(const struct map *m); /* memory held */
void map_fini(struct map *m);          /* frees the slots; the empty map can be used again */
/* The same, and frees each value with FREE_VALUE: for a map that owns them. */
void map_fini_each(struct map *m, void (*free_value)(void *value));
void *map_find(const struct map *m, uint64_t key);      /* NULL when absent */
void map_put(struct map *m, uint64_t key, void *value); /* adds or replaces; VALUE not NULL */
void *map_remove(struct map *m, uint64_t key);          /* the value that was there, or NULL */

/*
 * Numbers keys in the order in which they come: returns KEY's number, from 0.  A new key gets the number that
 * `count` had before.  For a map that has no other values, and from which nothing is removed.
 */
size_t map_enter(struct map *m, uint64_t key);

/* The same, for tables whose first entry is number 1: *NUMBER.  Returns true if KEY had it before. */
bool map_seen(struct map *m, uint64_t key, uint64_t *number);

/*
 * Walks the map in no particular order.  Start with *CURSOR 0; returns NULL at the end.  Do not add
 * or remove entries during a walk.
 */
void *map_next(const struct map *m, size_t *cursor);

#endif
