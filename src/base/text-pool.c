/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text-pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct text {
	struct text *same_hash; /* the next one */
	uint64_t hash;
	size_t holders;
	char bytes[];
};

struct text_pool {
	struct map by_hash; /* to the first struct text; owned */
	uint64_t seed;      /* the texts come from outside */
	size_t bytes;
};

struct text_pool *text_pool_new(void)
{
	struct text_pool *p = mem_alloc(sizeof(*p));

	p->seed = hash_seed();
	return p;
}

void text_pool_free(struct text_pool *p)
{
	struct text *t, *next;
	size_t cursor = 0;

	if (!p)
		return;
	while ((t = map_next(&p->by_hash, &cursor))) {
		for (; t; t = next) {
			next = t->same_hash;
			free(t);
		}
	}
	map_fini(&p->by_hash);
	free(p);
}

static struct text *text_of(const char *bytes)
{
	return (struct text *)(bytes - offsetof(struct text, bytes));
}

static size_t text_bytes(const struct text *t)
{
	return sizeof(*t) + strlen(t->bytes) + 1;
}

const char *text_pool_take(struct text_pool *p, const char *s)
{
	size_t size = strlen(s) + 1;
	uint64_t hash = hash_bytes_seeded(p->seed, s, size);
	struct text *first = map_find(&p->by_hash, hash), *t = first;

	while (t && strcmp(t->bytes, s))
		t = t->same_hash;
	if (!t) {
		t = mem_alloc(sizeof(*t) + size);
		memcpy(t->bytes, s, size);
		t->hash = hash;
		t->same_hash = first;
		map_put(&p->by_hash, hash, t);
		p->bytes += text_bytes(t);
	}
	t->holders++;
	return t->bytes;
}

void text_pool_hold(const char *text)
{
	text_of(text)->holders++;
}

static void text_remove(struct text_pool *p, struct text *t)
{
	struct text *first = map_find(&p->by_hash, t->hash), *before = first;

	if (first == t && t->same_hash) {
		map_put(&p->by_hash, t->hash, t->same_hash);
	} else if (first == t) {
		map_remove(&p->by_hash, t->hash);
	} else {
		while (before->same_hash != t)
			before = before->same_hash;
		before->same_hash = t->same_hash;
	}
	p->bytes -= text_bytes(t);
	free(t);
}

void text_pool_drop(struct text_pool *p, const char *text)
{
	struct text *t = text_of(text);

	if (--t->holders == 0)
		text_remove(p, t);
}

size_t text_pool_bytes(const struct text_pool *p)
{
	return p->bytes;
}
