/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "symbol/names.h"
#include "symbol/symtab-layout.h"
#include "worker/sealed.h"

#define MODULES_MAX UINT16_MAX
#define PAGE_BYTES 4096u
/* Real symbols nest two or three deep; a made-up file could nest a million. */
#define NESTING_MAX 64

_Static_assert(NAMED_BY_COUNT <= 32, "a source has five bits of an entry");

struct entry {
	uint64_t start;
	uint32_t size; /* without a size: how far it may reach, 0 unknown */
	uint32_t name;
	uint32_t number;
	uint16_t module;
	uint8_t rank;
	bool unsized : 1;
	bool unnamed : 1;
	bool retired : 1;
	uint8_t source : 5; /* enum named_by */
};

struct symtab_builder {
	struct entry *entries;
	size_t count, capacity;
	struct names *names; /* held */
	uint32_t no_name;    /* "" in them; NAMES_FULL: not added yet */
	char **modules;
	size_t module_count, module_capacity;
	struct segment *segments;
	size_t segment_count, segment_capacity;
	struct map retired; /* hash of a retired symbol to its number + 1 */
	uint64_t dropped;
	enum named_by source;
	bool exclusive;
	bool full; /* of names */
};

struct symtab_builder *symtab_builder_new(void)
{
	struct symtab_builder *b = mem_alloc(sizeof(*b));

	b->names = names_new(NAMES_BYTES_MAX);
	b->no_name = NAMES_FULL;
	return b;
}

struct symtab_builder *symtab_builder_new_growing(void)
{
	struct symtab_builder *b = symtab_builder_new();

	b->names->bytes_max = NAMES_BYTES_JIT;
	b->retired.seed = hash_seed();
	return b;
}

static void modules_free(char **modules, size_t count)
{
	for (size_t i = 1; i < count; i++)
		free(modules[i]);
	free(modules);
}

void symtab_builder_free(struct symtab_builder *b)
{
	if (!b)
		return;
	names_release(b->names);
	modules_free(b->modules, b->module_count);
	map_fini(&b->retired);
	mem_free(b->segments, b->entries, b);
}

size_t symtab_builder_count(const struct symtab_builder *b)
{
	return b->count;
}

size_t symtab_builder_bytes(const struct symtab_builder *b)
{
	return sizeof(*b) + b->capacity * sizeof(*b->entries) + names_bytes(b->names);
}

/* Modules come in runs: nearly always it is the newest. */
static uint16_t builder_module(struct symtab_builder *b, const char *name)
{
	if (!name)
		return 0;
	for (size_t i = b->module_count; i-- > 1;)
		if (!strcmp(b->modules[i], name))
			return i;
	if (b->module_count >= MODULES_MAX)
		return 0;
	mem_grow((void **)&b->modules, &b->module_capacity, b->module_count + 2,
		 sizeof(*b->modules));
	if (!b->module_count)
		b->modules[b->module_count++] = NULL;
	b->modules[b->module_count] = mem_strdup(name);
	return b->module_count++;
}

static uint64_t entry_hash(const struct symtab_builder *b, const struct entry *e)
{
	const char *name = names_at(b->names->chunks, e->name);

	return hash_u64(e->start) ^ hash_u64(e->size + 1ull) * 31 ^ hash_bytes(name, strlen(name));
}

/* Revives the retired symbol equal to E and returns its number; SIZE_MAX if there is none. */
static size_t builder_revive(struct symtab_builder *b, const struct entry *e)
{
	uintptr_t found = (uintptr_t)map_find(&b->retired, entry_hash(b, e));
	struct entry *old;

	if (!found)
		return SIZE_MAX;
	old = &b->entries[found - 1];
	if (old->start != e->start || old->size != e->size ||
	    strcmp(names_at(b->names->chunks, old->name), names_at(b->names->chunks, e->name)))
		return SIZE_MAX;
	old->retired = false;
	return found - 1;
}

static uint32_t clip_u32(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : value;
}

static uint32_t entry_reach(const struct symtab_entry *e)
{
	uint64_t room = UINT64_MAX - e->start;

	if (e->size)
		return clip_u32(e->size < room ? e->size : room);
	return e->limit > e->start ? clip_u32(e->limit - e->start) : 0;
}

static bool has_name(const struct symtab_entry *e)
{
	return e->name_size && *e->name;
}

/* The name of E in B's names; "" is there once.  NAMES_FULL when it does not fit. */
static uint32_t builder_name(struct symtab_builder *b, const struct symtab_entry *e)
{
	if (has_name(e))
		return names_add(b->names, e->name, e->name_size);
	if (b->no_name == NAMES_FULL)
		b->no_name = names_add(b->names, "", 0);
	return b->no_name;
}

size_t symtab_builder_add(struct symtab_builder *b, const struct symtab_entry *e)
{
	struct entry entry = {
		.start = e->start,
		.size = entry_reach(e),
		.number = b->count,
		.rank = e->rank > UINT8_MAX ? UINT8_MAX : e->rank,
		.unsized = !e->size,
		.unnamed = !has_name(e),
		.source = b->source,
	};
	size_t revived;

	if (b->full || b->count >= SYMBOLS_MAX || e->start == UINT64_MAX) {
		b->dropped++;
		return SIZE_MAX;
	}
	entry.name = builder_name(b, e);
	if (entry.name == NAMES_FULL) {
		b->full = true;
		b->dropped++;
		return SIZE_MAX;
	}
	revived = b->retired.count ? builder_revive(b, &entry) : SIZE_MAX;
	if (revived != SIZE_MAX)
		return revived;
	entry.module = builder_module(b, e->module);
	mem_grow((void **)&b->entries, &b->capacity, b->count + 1, sizeof(*b->entries));
	b->entries[b->count] = entry;
	return b->count++;
}

void symtab_builder_segment(struct symtab_builder *b, uint64_t offset, uint64_t size,
			    uint64_t address)
{
	if (b->segment_count >= SEGMENTS_MAX || !size)
		return;
	mem_grow((void **)&b->segments, &b->segment_capacity, b->segment_count + 1,
		 sizeof(*b->segments));
	b->segments[b->segment_count++] = (struct segment){ offset, size, address };
}

void symtab_builder_set_source(struct symtab_builder *b, enum named_by source)
{
	b->source = source;
}

void symtab_builder_set_exclusive(struct symtab_builder *b)
{
	b->exclusive = true;
}

const char *symtab_builder_name(const struct symtab_builder *b, size_t number)
{
	return names_at(b->names->chunks, b->entries[number].name);
}

void symtab_builder_retire_one(struct symtab_builder *b, size_t number)
{
	struct entry *e = &b->entries[number];

	e->retired = true;
	map_put(&b->retired, entry_hash(b, e), (void *)(uintptr_t)(number + 1));
}

void symtab_builder_retire(struct symtab_builder *b)
{
	for (size_t i = 0; i < b->count; i++)
		symtab_builder_retire_one(b, i);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Sorts by address; at one address the symbol to keep comes first. */
static int compare_growing(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = compare_u64(a->start, b->start);

	return order ? order : compare_u64(b->number, a->number);
}

static int compare_names(const char *a, const char *b)
{
	size_t a_underscores = strspn(a, "_"), b_underscores = strspn(b, "_");

	if (a_underscores != b_underscores)
		return compare_u64(a_underscores, b_underscores);
	return compare_u64(strlen(b), strlen(a));
}

static int compare_entries(const void *left, const void *right, void *context)
{
	const struct symtab_builder *builder = context;
	const struct entry *a = left, *b = right;
	int order;

	if (a->start != b->start)
		return compare_u64(a->start, b->start);
	if (a->unnamed != b->unnamed)
		return a->unnamed ? 1 : -1;
	if (a->unsized != b->unsized)
		return a->unsized ? 1 : -1;
	if (a->unsized)
		return compare_u64(b->number, a->number);
	if (a->rank != b->rank)
		return compare_u64(a->rank, b->rank);
	order = compare_names(names_at(builder->names->chunks, a->name),
			      names_at(builder->names->chunks, b->name));
	return order ? order : compare_u64(a->number, b->number);
}

/* Keeps the first symbol of each address, and no retired one.  Returns how many are left. */
static size_t entries_unique(struct entry *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (entries[i].retired || (kept && entries[kept - 1].start == entries[i].start))
			continue;
		entries[kept++] = entries[i];
	}
	return kept;
}

/*
 * Drops entries without a name that begin within a named one, and those without name and size that begin within any.
 * Returns how many are left.
 */
static size_t entries_named(struct entry *entries, size_t count)
{
	uint64_t end = 0, known_end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];

		if (e->unnamed && e->start < (e->unsized ? known_end : end))
			continue;
		if (!e->unnamed && !e->unsized && e->start + e->size > end)
			end = e->start + e->size;
		if (!e->unsized && e->start + e->size > known_end)
			known_end = e->start + e->size;
		entries[kept++] = *e;
	}
	return kept;
}

/*
 * Keeps the newest of overlapping entries.  The kept ones do not overlap, so the next one can only
 * overlap the last of them: one of these two goes.
 */
static size_t entries_exclusive(struct entry *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct entry *last = kept ? &entries[kept - 1] : NULL;

		if (!last || entries[i].start - last->start >= last->size)
			entries[kept++] = entries[i];
		else if (entries[i].number > last->number)
			*last = entries[i];
	}
	return kept;
}

/* The end of a symbol without a size; NEXT is the following one, or NULL. */
static uint32_t unsized_size(const struct entry *e, const struct entry *next)
{
	uint64_t to_next = next ? next->start - e->start : UINT64_MAX;
	uint64_t reach = e->size;

	/* The gap behind the last symbol of the kernel, or of a module, belongs to no symbol. */
	if (!reach && next && next->module == e->module)
		reach = to_next;
	if (!reach)
		reach = 2 * PAGE_BYTES - e->start % PAGE_BYTES;
	if (reach > UINT64_MAX - e->start)
		reach = UINT64_MAX - e->start;
	return clip_u32(reach < to_next ? reach : to_next);
}

/*
 * Links each symbol to the one around it.  So a search that lands on the inner one, but behind its
 * end, can go on with the outer.  The stack holds the open symbols.
 */
static void symtab_nest(struct symtab *t)
{
	uint32_t *parents = mem_array(t->placed, sizeof(*parents));
	uint32_t open = SYMBOL_NONE;
	bool nested = false;

	for (size_t i = 0; i < t->placed; i++) {
		while (open != SYMBOL_NONE && t->starts[i] - t->starts[open] >= t->sizes[open])
			open = parents[open];
		parents[i] = open;
		nested |= open != SYMBOL_NONE;
		open = i;
	}
	if (nested)
		t->parents = parents;
	else
		free(parents);
}

static void symtab_place(struct symtab *t, const struct entry *entries, size_t count)
{
	t->placed = count;
	t->starts = mem_array(count, sizeof(*t->starts));
	t->sizes = mem_array(count, sizeof(*t->sizes));
	for (size_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];

		t->starts[i] = e->start;
		t->sizes[i] = e->unsized ? unsized_size(e, i + 1 < count ? e + 1 : NULL) : e->size;
	}
	symtab_nest(t);
}

/* Most tables have one source, which costs nothing. */
static void symtab_set_sources(struct symtab *t, const struct entry *entries, size_t count)
{
	size_t same = 0;

	t->source = count ? entries[0].source : NAMED_BY_NONE;
	while (same < count && entries[same].source == t->source)
		same++;
	if (same == count)
		return;
	t->sources = mem_array(count, sizeof(*t->sources));
	for (size_t i = 0; i < count; i++)
		t->sources[i] = entries[i].source;
}

static void symtab_name(struct symtab *t, const struct entry *entries, size_t count,
			struct symtab_builder *b)
{
	t->count = count;
	t->names = mem_array(count, sizeof(*t->names));
	if (b->module_count)
		t->modules = mem_array(count, sizeof(*t->modules));
	for (size_t i = 0; i < count; i++) {
		t->names[i] = entries[i].name;
		if (t->modules)
			t->modules[i] = entries[i].module;
	}
	symtab_set_sources(t, entries, count);
	t->dropped = b->dropped;
}

/*
 * Takes the builder's names, or a copy of the kept ones if that saves a quarter: aliases are a
 * third of the text of a C++ library.
 */
static void symtab_take_names(struct symtab *t, struct symtab_builder *b)
{
	uint32_t no_name = NAMES_FULL;

	if (t->count >= b->count / 4 * 3) {
		t->owner = names_hold(b->names);
	} else {
		t->owner = names_new(NAMES_BYTES_MAX);
		for (size_t i = 0; i < t->count; i++) {
			const char *name = names_at(b->names->chunks, t->names[i]);

			if (!*name && no_name != NAMES_FULL)
				t->names[i] = no_name;
			else
				t->names[i] = names_add(t->owner, name, strlen(name));
			if (!*name)
				no_name = t->names[i];
		}
	}
	names_trim(t->owner);
	t->chunks = t->owner->chunks;
}

/*
 * Hashes the meaning of the numbers.  Chunks are hashed whole, because their unused ends are zero.
 */
uint64_t symtab_hash(const struct symtab *t, size_t text_bytes)
{
	size_t chunk_bytes = (size_t)1 << NAMES_CHUNK_BITS;

	uint64_t hash = hash_bytes_seeded(t->count, t->starts, t->placed * sizeof(*t->starts));

	hash = hash_bytes_seeded(hash, t->names, t->count * sizeof(*t->names));
	for (size_t i = 0; text_bytes; i++) {
		size_t size = text_bytes < chunk_bytes ? text_bytes : chunk_bytes;

		hash = hash_bytes_seeded(hash, t->chunks[i], size);
		text_bytes -= size;
	}
	return hash && hash != UINT64_MAX ? hash : 1;
}

struct symtab *symtab_builder_finish(struct symtab_builder *b)
{
	struct symtab *t = mem_alloc(sizeof(*t));
	size_t count;

	if (b->count)
		qsort_r(b->entries, b->count, sizeof(*b->entries), compare_entries, b);
	count = entries_named(b->entries, entries_unique(b->entries, b->count));
	symtab_place(t, b->entries, count);
	symtab_name(t, b->entries, count, b);
	free(b->entries);
	b->entries = NULL;
	symtab_take_names(t, b);
	t->segments = b->segments;
	t->segment_count = b->segment_count;
	b->segments = NULL;
	t->module_names = b->modules;
	t->module_count = b->module_count;
	b->modules = NULL;
	b->module_count = 0;
	symtab_builder_free(b);
	t->fingerprint = symtab_hash(t, names_text_bytes(t->owner));
	return t;
}

struct symtab *symtab_builder_make(struct symtab_builder *b)
{
	struct symtab *t = mem_alloc(sizeof(*t));
	struct entry *sorted = mem_array(b->count, sizeof(*sorted));
	size_t placed;

	if (b->count) {
		memcpy(sorted, b->entries, b->count * sizeof(*sorted));
		qsort(sorted, b->count, sizeof(*sorted), compare_growing);
	}
	placed = entries_unique(sorted, b->count);
	if (b->exclusive)
		placed = entries_exclusive(sorted, placed);
	symtab_place(t, sorted, placed);
	symtab_name(t, b->entries, b->count, b);
	t->numbers = mem_array(placed, sizeof(*t->numbers));
	t->positions = mem_array(b->count, sizeof(*t->positions));
	memset(t->positions, 0xff, b->count * sizeof(*t->positions));
	for (size_t i = 0; i < placed; i++) {
		t->numbers[i] = sorted[i].number;
		t->positions[sorted[i].number] = i;
	}
	free(sorted);
	t->owner = names_hold(b->names);
	t->chunks = mem_array(b->names->count, sizeof(*t->chunks));
	if (b->names->count)
		memcpy(t->chunks, b->names->chunks, b->names->count * sizeof(*t->chunks));
	return t;
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	if (t->numbers || t->block)
		free(t->chunks);
	if (t->block) {
		sealed_close(t->block, t->block_bytes);
		free(t);
		return;
	}
	names_release(t->owner);
	modules_free(t->module_names, t->module_count);
	mem_free(t->segments, t->starts, t->sizes, t->parents, t->numbers, t->positions, t->names,
		 t->modules, t->sources, t);
}

size_t symtab_count(const struct symtab *t)
{
	return t->count;
}

uint64_t symtab_fingerprint(const struct symtab *t)
{
	return t->fingerprint;
}

bool symtab_continues(const struct symtab *t, const struct symtab *before)
{
	return before && t->numbers && t->owner == before->owner;
}

uint64_t symtab_dropped(const struct symtab *t)
{
	return t->dropped;
}

size_t symtab_bytes(const struct symtab *t)
{
	size_t position = sizeof(*t->starts) + sizeof(*t->sizes);
	size_t number = sizeof(*t->names) + (t->modules ? sizeof(*t->modules) : 0) +
			(t->sources ? sizeof(*t->sources) : 0);

	if (t->block)
		return sizeof(*t) + t->block_bytes;
	if (t->parents)
		position += sizeof(*t->parents);
	if (t->numbers) {
		position += sizeof(*t->numbers);
		number += sizeof(*t->positions);
	}
	return sizeof(*t) + t->placed * position + t->count * number +
	       (t->numbers ? 0 : names_bytes(t->owner)) + t->segment_count * sizeof(*t->segments);
}

/* The last position that starts at or before ADDRESS; there is one. */
static size_t symtab_floor(const struct symtab *t, uint64_t address)
{
	const uint64_t *base = t->starts;
	size_t left = t->placed;

	/* Without a branch on the data: the compiler makes a conditional move. */
	while (left > 1) {
		size_t half = left / 2;

		base = base[half] <= address ? base + half : base;
		left -= half;
	}
	return base - t->starts;
}

uint32_t symtab_find(const struct symtab *t, uint64_t address)
{
	size_t i;

	if (!t->placed || address < t->starts[0])
		return SYMBOL_NONE;
	i = symtab_floor(t, address);
	for (unsigned depth = 0; depth < NESTING_MAX; depth++) {
		if (address - t->starts[i] < t->sizes[i])
			return t->numbers ? t->numbers[i] : i;
		if (!t->parents || t->parents[i] == SYMBOL_NONE)
			return SYMBOL_NONE;
		i = t->parents[i];
	}
	return SYMBOL_NONE;
}

struct symbol symtab_at(const struct symtab *t, uint32_t number)
{
	uint32_t i = t->positions ? t->positions[number] : number;
	struct symbol s = { .name = names_at(t->chunks, t->names[number]),
			    .named_by = t->sources ? t->sources[number] : t->source };

	if (t->modules && t->modules[number])
		s.module = t->module_names[t->modules[number]];
	if (i == SYMBOL_NONE)
		return s;
	s.start = t->starts[i];
	s.end = s.start + t->sizes[i];
	return s;
}

bool symtab_address_of_offset(const struct symtab *t, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < t->segment_count; i++) {
		const struct segment *s = &t->segments[i];

		if (offset < s->offset || offset - s->offset >= s->size)
			continue;
		*address = s->address + (offset - s->offset);
		return true;
	}
	return false;
}
