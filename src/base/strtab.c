/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strtab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/hash.h"

#define CHUNK_BYTES (64 * 1024)

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

struct slot {
	const char *text;	/* NULL: free */
	uint64_t hash;
};

struct strtab {
	struct chunk *chunks;	/* the chunk being filled */
	struct slot *slots;
	size_t capacity, count, bytes;
	uint64_t seed;		/* hash seed: the names come from outside */
};

struct strtab *strtab_new(void)
{
	struct strtab *t = mem_alloc(sizeof(*t));

	/* Early at boot there is no randomness yet: the seed is then 0, which risks speed alone. */
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) < 0)
		t->seed = 0;
	return t;
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	for (struct chunk *c = t->chunks; c;) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
	free(t->slots);
	free(t);
}

static void strtab_resize(struct strtab *t)
{
	size_t capacity = t->capacity ? t->capacity * 2 : 256;
	struct slot *slots = mem_array(capacity, sizeof(*slots));

	for (size_t i = 0; i < t->capacity; i++) {
		size_t j = t->slots[i].hash & (capacity - 1);

		if (!t->slots[i].text)
			continue;
		while (slots[j].text)
			j = (j + 1) & (capacity - 1);
		slots[j] = t->slots[i];
	}
	t->bytes += (capacity - t->capacity) * sizeof(*slots);
	free(t->slots);
	t->slots = slots;
	t->capacity = capacity;
}

static char *strtab_room(struct strtab *t, size_t need)
{
	struct chunk *c = t->chunks;
	char *room;

	if (!c || c->size - c->used < need) {
		size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;

		c = mem_alloc(sizeof(*c) + size);
		c->size = size;
		c->next = t->chunks;
		t->chunks = c;
		t->bytes += sizeof(*c) + size;
	}
	room = c->bytes + c->used;
	c->used += need;
	return room;
}

const char *strtab_add_n(struct strtab *t, const char *s, size_t n)
{
	struct slot *slot;
	uint64_t hash;
	char *copy;

	n = strnlen(s, n);
	if ((t->count + 1) * 4 > t->capacity * 3)
		strtab_resize(t);
	hash = hash_bytes_seeded(t->seed, s, n);
	slot = &t->slots[hash & (t->capacity - 1)];
	while (slot->text) {
		if (slot->hash == hash && !strncmp(slot->text, s, n) && !slot->text[n])
			return slot->text;
		if (++slot == t->slots + t->capacity)
			slot = t->slots;
	}
	copy = strtab_room(t, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	*slot = (struct slot){ copy, hash };
	t->count++;
	return copy;
}

const char *strtab_add(struct strtab *t, const char *s)
{
	return strtab_add_n(t, s, SIZE_MAX);
}

const char *strtab_copy(struct strtab *t, const char *s)
{
	size_t size = strlen(s) + 1;

	return size > 1 ? memcpy(strtab_room(t, size), s, size) : "";
}

size_t strtab_bytes(const struct strtab *t)
{
	return t->bytes;
}
