/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "naming/inlines.h"

#define AGE_LIMIT 4	/* intervals: at the shortest, two readings of a JIT map */

struct waiting {
	struct cell_key key;
	struct place place;
	uint64_t samples, period;
	uint32_t age;		/* intervals that ended since it came */
	uint64_t mark;		/* the newest one when it came */
};

/* As in the histogram: entries dense, and an index of their numbers + 1 that is built anew. */
struct pending {
	struct waiting *entries;
	size_t count, limit;
	uint32_t *index;
	size_t index_size;		/* a power of two, at least twice the limit */
	uint64_t overflow;
	uint64_t mark;
	bool overflowed;		/* since it was cleared: sweeping is needed */
};

struct pending *pending_new(size_t limit)
{
	struct pending *p = mem_alloc(sizeof(*p));

	p->limit = limit ? limit : PENDING_LIMIT;
	for (p->index_size = 64; p->index_size < 2 * p->limit;)
		p->index_size *= 2;
	p->entries = mem_array(p->limit, sizeof(*p->entries));
	p->index = mem_array(p->index_size, sizeof(*p->index));
	return p;
}

void pending_free(struct pending *p)
{
	if (!p)
		return;
	free(p->entries);
	free(p->index);
	free(p);
}

static bool same(const struct waiting *w, const struct cell_key *key, const struct place *place)
{
	return w->place.address == place->address && w->place.object == place->object &&
	       w->key.process == key->process && w->key.tid == key->tid &&
	       w->key.frame == key->frame && w->key.data == key->data &&
	       w->key.node == key->node && w->key.event == key->event;
}

static uint32_t *index_slot(const struct pending *p, const struct cell_key *key,
			    const struct place *place)
{
	uint64_t task = (uint64_t)key->process << 32 | key->tid;
	uint64_t what = (uint64_t)key->event << 48 ^ (uint64_t)key->frame << 16 ^ place->object;
	size_t i = hash_u64(hash_u64(task ^ what) ^ place->address) & (p->index_size - 1);

	while (p->index[i] && !same(&p->entries[p->index[i] - 1], key, place))
		i = (i + 1) & (p->index_size - 1);
	return &p->index[i];
}

void pending_add(struct pending *p, const struct cell_key *key, const struct place *place,
		 uint64_t period)
{
	uint32_t *slot = index_slot(p, key, place);
	struct waiting *w;

	if (!*slot) {
		if (p->count >= p->limit) {
			p->overflow++;
			p->overflowed = true;
			return;
		}
		p->entries[p->count++] = (struct waiting){ .key = *key, .place = *place,
							   .mark = p->mark };
		*slot = (uint32_t)p->count;
	}
	w = &p->entries[*slot - 1];
	w->samples++;
	w->period += period;
}

/* The first COUNT entries stay. */
static void keep(struct pending *p, size_t count)
{
	p->count = count;
	memset(p->index, 0, p->index_size * sizeof(*p->index));
	for (size_t i = 0; i < count; i++)
		*index_slot(p, &p->entries[i].key, &p->entries[i].place) = (uint32_t)i + 1;
}

/* Cells of FROM that no entry claims: what overflowed. */
static void sweep(struct histogram *h, uint32_t from, uint32_t to)
{
	struct cell_key *keys = mem_array(histogram_count(h), sizeof(*keys));
	const struct cell *c;
	size_t count = 0;

	for (size_t i = 0; (c = histogram_next(h, &i));) {
		if (c->key.frame == from)
			keys[count++] = c->key;
	}
	for (size_t i = 0; i < count; i++) {
		struct cell_key key = keys[i];

		key.frame = to;
		histogram_move(h, &keys[i], &key, UINT64_MAX, UINT64_MAX);
	}
	free(keys);
}

/* Whether all that can be known of W is known now.  Its samples move to what is. */
static bool name(struct waiting *w, uint32_t loading, struct resolver *resolver,
		 struct histogram *h)
{
	uint32_t number = resolver_name(resolver, &w->place);
	struct cell_key key = w->key;

	key.frame = resolver_inner(resolver, number);
	if (key.frame == w->key.frame)
		return w->place.loading && key.frame != loading && !(number & INLINE_WAITS);
	histogram_move(h, &w->key, &key, w->samples, w->period);
	w->key = key;
	return !(number & INLINE_WAITS);
}

void pending_loaded(struct pending *p, uint32_t object, struct resolver *resolver,
		    struct histogram *h)
{
	uint32_t loading = resolver_nameless(resolver, object, FRAME_PENDING);
	bool still_loading = false, changed = false;
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct waiting w = p->entries[i];
		uint32_t had = w.key.frame;

		if (w.place.object != object || !name(&w, loading, resolver, h)) {
			p->entries[kept++] = w;
			still_loading |= w.key.frame == loading;
		}
		changed |= w.key.frame != had;
	}
	if (p->overflowed && !still_loading)
		sweep(h, loading, resolver_nameless(resolver, object, FRAME_UNKNOWN));
	if (changed || kept != p->count)
		keep(p, kept);
}

void pending_next_interval(struct pending *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct waiting *w = &p->entries[i];

		if (w->age++ < AGE_LIMIT || w->place.loading)
			p->entries[kept++] = *w;
	}
	if (kept != p->count)
		keep(p, kept);
}

void pending_clear(struct pending *p)
{
	keep(p, 0);
	p->overflowed = false;
}

size_t pending_count(const struct pending *p)
{
	return p->count;
}

uint64_t pending_mark(struct pending *p)
{
	return ++p->mark;
}

bool pending_waits(const struct pending *p, uint64_t mark)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->entries[i].place.loading && p->entries[i].mark < mark)
			return true;
	}
	return false;
}

uint64_t pending_overflow(const struct pending *p)
{
	return p->overflow;
}
