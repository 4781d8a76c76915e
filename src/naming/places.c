/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/places.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define GIVE_UP_INTERVALS 4 /* at the shortest, two readings of a JIT map */

struct entry {
	struct place place;
	struct name shown;  /* the frame that it has until it has a name, or that name */
	uint32_t next_free; /* number + 1 of the next free one */
	bool used, named;
	bool old;      /* here since the end of the last GIVE_UP_INTERVALS */
	uint64_t mark; /* the newest one when it came */
};

struct places {
	struct resolver *resolver;
	struct frame_table *frames;
	struct map entry_of; /* key_of() to number + 1; another place with that key has no entry */
	struct entry *entries;
	size_t count, capacity, used;
	uint32_t free; /* number + 1 of a free one, or 0 */
	unsigned intervals;
	uint64_t overflow;
	/*
	 * Objects that were loaded, whose frames may have better names: "[loading]" after an overflow, and
	 * functions without a name.
	 */
	uint32_t *loaded;
	size_t loaded_count, loaded_capacity;
};

struct places *places_new(struct resolver *resolver, struct frame_table *frames)
{
	struct places *p = mem_alloc(sizeof(*p));

	p->resolver = resolver;
	p->frames = frames;
	return p;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	map_fini(&p->entry_of);
	mem_free(p->entries, p->loaded, p);
}

static uint64_t key_of(const struct place *place)
{
	return hash_u64(place->address ^ hash_u64(place->object));
}

/* The entry of a placeholder; NULL: NAME is none. */
static const struct entry *entry_of(const struct places *p, struct name name)
{
	return name_is_placeholder(name) && name_number(name) < p->count
		       ? &p->entries[name_number(name)]
		       : NULL;
}

static uint32_t take_entry(struct places *p)
{
	uint32_t number = p->free;

	if (number) {
		p->free = p->entries[number - 1].next_free;
		return number;
	}
	mem_grow((void **)&p->entries, &p->capacity, p->count + 1, sizeof(*p->entries));
	return (uint32_t)++p->count;
}

struct name places_add(struct places *p, const struct place *place, struct name shown,
		       uint64_t mark)
{
	uint64_t key = key_of(place);
	uint32_t number = (uint32_t)(uintptr_t)map_find(&p->entry_of, key);

	if (number && p->entries[number - 1].place.object == place->object &&
	    p->entries[number - 1].place.address == place->address)
		return name_of_placeholder(number - 1);
	if (number || p->used >= PLACES_LIMIT) {
		p->overflow++;
		return shown;
	}
	number = take_entry(p);
	p->entries[number - 1] =
		(struct entry){ .place = *place, .shown = shown, .used = true, .mark = mark };
	p->used++;
	map_put(&p->entry_of, key, (void *)(uintptr_t)number);
	return name_of_placeholder(number - 1);
}

struct name places_shown(const struct places *p, struct name name)
{
	const struct entry *e = entry_of(p, name);

	return e ? e->shown : name;
}

/* Once named, a place stays named; the others get the best name known now. */
static bool name_entry(struct places *p, struct entry *e)
{
	struct name name = resolver_name(p->resolver, &e->place);
	uint8_t flags = frame_flags(p->frames, resolver_outer(p->resolver, name));

	if (resolver_rests(p->resolver, e->place.object))
		e->place.loading = false; /* nobody waits for it now */
	e->named = !name_is_open(name) && !(flags & FRAME_PENDING) &&
		   (e->place.loading || !(flags & FRAME_UNKNOWN));
	e->shown = name_closed(name);
	return e->named;
}

bool places_loaded(struct places *p, uint32_t object, bool renamed)
{
	bool any = p->overflow || renamed;

	for (size_t i = 0; i < p->count; i++) {
		struct entry *e = &p->entries[i];

		if (e->used && !e->named && e->place.object == object)
			any |= name_entry(p, e);
	}
	if (p->overflow || renamed) {
		mem_grow((void **)&p->loaded, &p->loaded_capacity, p->loaded_count + 1,
			 sizeof(*p->loaded));
		p->loaded[p->loaded_count++] = object;
	}
	return any;
}

bool places_next_interval(struct places *p)
{
	bool any = false;

	if (++p->intervals % GIVE_UP_INTERVALS)
		return false;
	for (size_t i = 0; i < p->count; i++) {
		struct entry *e = &p->entries[i];

		if (e->used && !e->named && !e->place.loading && e->old)
			any = e->named = true;
		e->old = true;
	}
	return any;
}

static bool was_loaded(const struct places *p, uint32_t object)
{
	for (size_t i = 0; i < p->loaded_count; i++) {
		if (p->loaded[i] == object)
			return true;
	}
	return false;
}

/* A function without a name, or a frame that lacked room for a placeholder. */
static struct name name_again(const struct places *p, struct name name)
{
	uint32_t frame = name_number(name), object;
	uint8_t flags;

	if (!p->loaded_count)
		return name;
	flags = frame_flags(p->frames, frame);
	object = frame_object(p->frames, frame);
	if (!(flags & (FRAME_PENDING | FRAME_UNNAMED)) || !was_loaded(p, object))
		return name;
	if (flags & FRAME_UNNAMED)
		return name_of_frame(resolver_renamed(p->resolver, frame));
	return name_of_frame(resolver_nameless(p->resolver, object, FRAME_UNKNOWN));
}

struct name places_name(const struct places *p, struct name name)
{
	const struct entry *e = entry_of(p, name);

	if (!e)
		return name_again(p, name);
	return e->named ? e->shown : name;
}

void places_renamed(struct places *p)
{
	p->loaded_count = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		struct entry *e = &p->entries[i];

		if (!e->used || !e->named)
			continue;
		map_remove(&p->entry_of, key_of(&e->place));
		*e = (struct entry){ .next_free = p->free };
		p->free = i + 1;
		p->used--;
	}
}

size_t places_count(const struct places *p)
{
	return p->used;
}

uint64_t places_overflow(const struct places *p)
{
	return p->overflow;
}

bool places_waits(const struct places *p, uint64_t mark)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct entry *e = &p->entries[i];

		if (e->used && !e->named && e->place.loading && e->mark < mark)
			return true;
	}
	return false;
}
