/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strtab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"

#define CHUNK_BYTES (64 * 1024)

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

struct string {
	const char *text;
	uint64_t hash;
};

struct strtab {
	struct chunk *chunks; /* the chunk being filled */
	struct string *strings;
	size_t count, capacity;
	struct index index; /* numbers + 1 of the strings */
	size_t bytes;       /* of the chunks */
	uint64_t seed;      /* hash seed: the names come from outside */
};

struct strtab *strtab_new(void)
{
	struct strtab *t = mem_alloc(sizeof(*t));

	t->seed = hash_seed();
	index_reset(&t->index, 0);
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
	free(t->strings);
	index_fini(&t->index);
	free(t);
}

static void strtab_rebuild(struct strtab *t)
{
	index_reset(&t->index, t->count + 1);
	for (size_t i = 0; i < t->count; i++)
		index_enter_new(&t->index, t->strings[i].hash, (uint32_t)i + 1);
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

/* Where the index has the N bytes at S, or where they belong; *HASH is theirs. */
static struct index_place place_of(const struct strtab *t, const char *s, size_t n, uint64_t *hash)
{
	struct index_place at;

	*hash = hash_bytes_seeded(t->seed, s, n);
	for (at = index_first(&t->index, *hash); at.number; index_next(&t->index, &at)) {
		const struct string *known = &t->strings[at.number - 1];

		if (known->hash == *hash && !strncmp(known->text, s, n) && !known->text[n])
			break;
	}
	return at;
}

const char *strtab_find(const struct strtab *t, const char *s)
{
	uint64_t hash;
	uint32_t number = place_of(t, s, strlen(s), &hash).number;

	return number ? t->strings[number - 1].text : NULL;
}

const char *strtab_add_n(struct strtab *t, const char *s, size_t n)
{
	struct index_place at;
	uint64_t hash;
	char *copy;

	n = strnlen(s, n);
	if (index_full(&t->index, t->count))
		strtab_rebuild(t);
	at = place_of(t, s, n, &hash);
	if (at.number)
		return t->strings[at.number - 1].text;
	copy = strtab_room(t, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	mem_grow((void **)&t->strings, &t->capacity, t->count + 1, sizeof(*t->strings));
	t->strings[t->count++] = (struct string){ copy, hash };
	index_enter(&t->index, &at, (uint32_t)t->count);
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
	return t->bytes + t->capacity * sizeof(*t->strings) + index_bytes(&t->index);
}
