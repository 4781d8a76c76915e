/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"

uint64_t hash_bytes(const void *bytes, size_t size)
{
	return hash_bytes_seeded(0, bytes, size);
}

static uint64_t word_at(const unsigned char *p, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, p, size);
	return word;
}

#define LANES 4 /* a CPU mixes so many words beside each other */

/* Many words at once.  *P and *SIZE are what remains. */
static uint64_t hash_blocks(uint64_t h, const unsigned char **p, size_t *size)
{
	uint64_t lanes[LANES];

	for (size_t i = 0; i < LANES; i++)
		lanes[i] = h + i;
	for (; *size >= sizeof(lanes); *size -= sizeof(lanes), *p += sizeof(lanes)) {
		for (size_t i = 0; i < LANES; i++)
			lanes[i] = hash_u64(lanes[i] ^ word_at(*p + i * sizeof(h), sizeof(h)));
	}
	for (size_t i = 0; i < LANES; i++)
		h = hash_u64(h ^ lanes[i]);
	return h;
}

uint64_t hash_bytes_seeded(uint64_t seed, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	uint64_t h = seed ^ 0x9e3779b97f4a7c15u ^ size;

	if (size >= LANES * sizeof(h))
		h = hash_blocks(h, &p, &size);
	for (; size >= sizeof(h); size -= sizeof(h), p += sizeof(h))
		h = hash_u64(h ^ word_at(p, sizeof(h)));
	return size ? hash_u64(h ^ word_at(p, size)) : h;
}

/* Early at boot there is no randomness yet: the seed is then 0, which risks speed alone. */
uint64_t hash_seed(void)
{
	uint64_t seed;

	return getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed) ? seed : 0;
}

void map_fini(struct map *m)
{
	free(m->slots);
	*m = (struct map){ .seed = m->seed };
}

void map_fini_each(struct map *m, void (*free_value)(void *value))
{
	void *value;

	for (size_t i = 0; (value = map_next(m, &i));)
		free_value(value);
	map_fini(m);
}

static size_t map_home(const struct map *m, uint64_t key)
{
	return hash_u64(key ^ m->seed) & (m->capacity - 1);
}

/* The slot that holds KEY, or the free one where it belongs.  The map must have a free slot. */
static struct map_slot *map_slot_of(const struct map *m, uint64_t key)
{
	size_t i = map_home(m, key);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->capacity - 1);
	return &m->slots[i];
}

size_t map_bytes(const struct map *m)
{
	return m->capacity * sizeof(*m->slots);
}

void *map_find(const struct map *m, uint64_t key)
{
	return m->capacity ? map_slot_of(m, key)->value : NULL;
}

static void map_resize(struct map *m, size_t capacity)
{
	struct map bigger = { .slots = mem_array(capacity, sizeof(*m->slots)),
			      .capacity = capacity,
			      .count = m->count,
			      .seed = m->seed };

	for (size_t i = 0; i < m->capacity; i++) {
		if (m->slots[i].value)
			*map_slot_of(&bigger, m->slots[i].key) = m->slots[i];
	}
	free(m->slots);
	*m = bigger;
}

void map_put(struct map *m, uint64_t key, void *value)
{
	struct map_slot *slot;

	if ((m->count + 1) * 4 > m->capacity * 3)
		map_resize(m, m->capacity ? m->capacity * 2 : 16);
	slot = map_slot_of(m, key);
	if (!slot->value)
		m->count++;
	slot->key = key;
	slot->value = value;
}

size_t map_enter(struct map *m, uint64_t key)
{
	uintptr_t number = (uintptr_t)map_find(m, key);

	if (!number) {
		number = m->count + 1;
		map_put(m, key, (void *)number);
	}
	return number - 1;
}

bool map_seen(struct map *m, uint64_t key, uint64_t *number)
{
	const size_t before = m->count;

	*number = map_enter(m, key) + 1;
	return m->count == before;
}

/* Closes hole I: moves back the entries that probing would no longer reach. */
static void map_close_gap(struct map *m, size_t i)
{
	size_t mask = m->capacity - 1;

	for (size_t j = (i + 1) & mask; m->slots[j].value; j = (j + 1) & mask) {
		size_t home = map_home(m, m->slots[j].key);

		if (((j - home) & mask) < ((j - i) & mask))
			continue;
		m->slots[i] = m->slots[j];
		m->slots[j].value = NULL;
		i = j;
	}
}

void *map_remove(struct map *m, uint64_t key)
{
	struct map_slot *slot;
	void *value;

	if (!m->capacity)
		return NULL;
	slot = map_slot_of(m, key);
	value = slot->value;
	if (!value)
		return NULL;
	slot->value = NULL;
	m->count--;
	map_close_gap(m, slot - m->slots);
	return value;
}

void *map_next(const struct map *m, size_t *cursor)
{
	while (*cursor < m->capacity) {
		void *value = m->slots[(*cursor)++].value;

		if (value)
			return value;
	}
	return NULL;
}
