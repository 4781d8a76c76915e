/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symtab-block.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/names.h"
#include "symbol/symtab-layout.h"
#include "worker/sealed.h"

#define BLOCK_MAGIC 0x6b6c62706f747032ull
#define CHUNK_BYTES ((size_t)1 << NAMES_CHUNK_BITS)

/*
 * The block: this, then starts, segments, sizes, names, parents and sources if there are any, texts.  The large
 * members come first, so each is aligned.
 */
struct block {
	uint64_t magic;
	uint64_t count, segments, text_bytes, dropped;
	uint64_t has_parents, has_sources, source;
};

/* Where the parts of a block lie, in bytes from its start. */
struct parts {
	size_t starts, segments, sizes, names, parents, sources, text, end;
};

static struct parts parts_of(const struct block *b)
{
	struct parts p = { .starts = sizeof(*b) };

	p.segments = p.starts + b->count * sizeof(uint64_t);
	p.sizes = p.segments + b->segments * sizeof(struct segment);
	p.names = p.sizes + b->count * sizeof(uint32_t);
	p.parents = p.names + b->count * sizeof(uint32_t);
	p.sources = p.parents + (b->has_parents ? b->count * sizeof(uint32_t) : 0);
	p.text = p.sources + (b->has_sources ? b->count : 0);
	p.end = p.text + b->text_bytes;
	return p;
}

static void put(char *at, const void *from, size_t size)
{
	if (size)
		memcpy(at, from, size);
}

struct written {
	const struct block *block;
	const struct symtab *table;
};

static void block_fill(char *at, const void *context)
{
	const struct written *w = context;
	const struct block *b = w->block;
	const struct symtab *t = w->table;
	struct parts p = parts_of(b);

	put(at, b, sizeof(*b));
	put(at + p.starts, t->starts, b->count * sizeof(*t->starts));
	put(at + p.segments, t->segments, b->segments * sizeof(*t->segments));
	put(at + p.sizes, t->sizes, b->count * sizeof(*t->sizes));
	put(at + p.names, t->names, b->count * sizeof(*t->names));
	if (t->parents)
		put(at + p.parents, t->parents, b->count * sizeof(*t->parents));
	if (t->sources)
		put(at + p.sources, t->sources, b->count);
	for (size_t done = 0; done < b->text_bytes; done += CHUNK_BYTES) {
		size_t left = b->text_bytes - done;

		put(at + p.text + done, t->chunks[done >> NAMES_CHUNK_BITS],
		    left < CHUNK_BYTES ? left : CHUNK_BYTES);
	}
}

int symtab_block_write(const struct symtab *t)
{
	struct block b = { .magic = BLOCK_MAGIC,
			   .count = t->count,
			   .segments = t->segment_count,
			   .dropped = t->dropped,
			   .has_parents = t->parents != NULL,
			   .has_sources = t->sources != NULL,
			   .source = t->source };
	const struct written w = { &b, t };

	if (!t->owner || t->numbers || t->modules)
		return -EINVAL;
	b.text_bytes = names_text_bytes(t->owner);
	return sealed_write(parts_of(&b).end, block_fill, &w);
}

/* Returns true if the sizes are possible, and add up to SIZE. */
static bool sizes_are_valid(const struct block *b, size_t size)
{
	return b->magic == BLOCK_MAGIC && b->count <= SYMBOLS_MAX && b->segments <= SEGMENTS_MAX &&
	       b->text_bytes <= NAMES_BYTES_MAX && b->has_parents <= 1 && b->has_sources <= 1 &&
	       b->source < NAMED_BY_COUNT && (!b->count || b->text_bytes) &&
	       parts_of(b).end == size;
}

/* Symbols are sorted, none wraps around, an outer one starts before, and a source told them. */
static bool symbols_are_valid(const struct symtab *t, size_t text_bytes)
{
	for (size_t i = 0; i < t->count; i++) {
		if (i && t->starts[i] <= t->starts[i - 1])
			return false;
		if (t->sizes[i] > UINT64_MAX - t->starts[i] || t->names[i] >= text_bytes)
			return false;
		if (t->parents && t->parents[i] != SYMBOL_NONE && t->parents[i] >= i)
			return false;
		if (t->sources && t->sources[i] >= NAMED_BY_COUNT)
			return false;
	}
	return true;
}

/* Every text ends, and none is longer than a name may be. */
static bool texts_are_valid(const char *text, size_t size)
{
	const char *end = text + size, *nul;

	for (const char *at = text; at < end; at = nul + 1) {
		size_t left = (size_t)(end - at);

		nul = memchr(at, '\0', left < NAMES_TEXT_MAX + 1 ? left : NAMES_TEXT_MAX + 1);
		if (!nul)
			return false;
	}
	return true;
}

/* Points T, but its chunks, into the block at AT. */
static void table_map(struct symtab *t, const char *at, const struct block *b)
{
	struct parts p = parts_of(b);

	t->count = t->placed = b->count;
	t->segment_count = b->segments;
	t->dropped = b->dropped;
	t->starts = (uint64_t *)(at + p.starts);
	t->segments = (struct segment *)(at + p.segments);
	t->sizes = (uint32_t *)(at + p.sizes);
	t->names = (uint32_t *)(at + p.names);
	t->parents = b->has_parents ? (uint32_t *)(at + p.parents) : NULL;
	t->sources = b->has_sources ? (uint8_t *)(at + p.sources) : NULL;
	t->source = (uint8_t)b->source;
	t->block = at;
	t->block_bytes = p.end;
}

static struct symtab *table_open(const char *at, size_t size)
{
	struct symtab t = { .count = 0 }, *kept;
	const char *text;
	struct block b;

	memcpy(&b, at, sizeof(b));
	if (!sizes_are_valid(&b, size))
		return NULL;
	table_map(&t, at, &b);
	text = at + parts_of(&b).text;
	if (!texts_are_valid(text, b.text_bytes) || !symbols_are_valid(&t, b.text_bytes))
		return NULL;
	t.chunks = mem_array(b.text_bytes / CHUNK_BYTES + 1, sizeof(*t.chunks));
	for (size_t done = 0; done < b.text_bytes; done += CHUNK_BYTES)
		t.chunks[done >> NAMES_CHUNK_BITS] = (char *)text + done;
	t.fingerprint = symtab_hash(&t, b.text_bytes);
	kept = mem_alloc(sizeof(*kept));
	*kept = t;
	return kept;
}

struct symtab *symtab_block_open(int fd)
{
	size_t size = 0;
	const char *at = sealed_open(fd, sizeof(struct block), &size);
	struct symtab *t = at ? table_open(at, size) : NULL;

	if (!t)
		sealed_close(at, size);
	return t;
}
