/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jit-entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "worker/sealed.h"

#define BLOCK_MAGIC 0x74696a706f747031ull
#define ENTRIES_MAX 65536u
#define BYTES_MAX (4u << 20) /* of names and frames; one entry may go beyond */
#define ENTRY_BYTES_MAX (1u << 20)

/* The block: this, then entries, then bytes. */
struct block {
	uint64_t magic, count, bytes;
};

void jit_entries_fini(struct jit_entries *l)
{
	if (l->block)
		sealed_close(l->block, l->block_bytes);
	else
		mem_free(l->entries, l->bytes);
	*l = (struct jit_entries){ .count = 0 };
}

static void add_bytes(struct jit_entries *l, const void *bytes, size_t size)
{
	if (!size)
		return;
	mem_grow((void **)&l->bytes, &l->byte_capacity, l->byte_count + size, 1);
	memcpy(l->bytes + l->byte_count, bytes, size);
	l->byte_count += size;
}

void jit_entries_add(struct jit_entries *l, const struct jit_entry *e, const void *name,
		     const void *frames)
{
	mem_grow((void **)&l->entries, &l->capacity, l->count + 1, sizeof(*l->entries));
	l->entries[l->count++] = *e;
	add_bytes(l, name, e->name_bytes);
	add_bytes(l, frames, e->frames_bytes);
}

bool jit_entries_are_full(const struct jit_entries *l)
{
	return l->count >= ENTRIES_MAX || l->byte_count >= BYTES_MAX;
}

static size_t block_size(const struct block *b)
{
	return sizeof(*b) + b->count * sizeof(struct jit_entry) + b->bytes;
}

static void block_fill(char *at, const void *context)
{
	const struct jit_entries *l = context;
	const struct block b = { BLOCK_MAGIC, l->count, l->byte_count };
	const size_t entries = l->count * sizeof(*l->entries);

	memcpy(at, &b, sizeof(b));
	if (l->count)
		memcpy(at + sizeof(b), l->entries, entries);
	if (l->byte_count)
		memcpy(at + sizeof(b) + entries, l->bytes, l->byte_count);
}

int jit_entries_write(const struct jit_entries *l)
{
	const struct block b = { BLOCK_MAGIC, l->count, l->byte_count };

	return sealed_write(block_size(&b), block_fill, l);
}

/* Returns true if the sizes are possible, and add up to SIZE. */
static bool sizes_are_valid(const struct block *b, size_t size)
{
	return b->magic == BLOCK_MAGIC && b->count <= ENTRIES_MAX &&
	       b->bytes <= BYTES_MAX + ENTRY_BYTES_MAX && block_size(b) == size;
}

static bool entry_is_valid(const struct jit_entry *e)
{
	return e->kind < JIT_ENTRY_KINDS && e->size && e->size <= UINT64_MAX - e->start &&
	       (e->name_bytes == 0) == (e->kind == JIT_MOVED) && !e->unused;
}

/* Each byte belongs to one entry, so whoever reads them all reads no more than there are. */
static bool entries_are_valid(const struct jit_entries *l)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!entry_is_valid(&l->entries[i]))
			return false;
		bytes += (uint64_t)l->entries[i].name_bytes + l->entries[i].frames_bytes;
	}
	return bytes == l->byte_count;
}

static bool list_map(struct jit_entries *l, const char *at, size_t size)
{
	struct block b;

	memcpy(&b, at, sizeof(b));
	if (!sizes_are_valid(&b, size))
		return false;
	l->count = b.count;
	l->byte_count = b.bytes;
	l->entries = (struct jit_entry *)(at + sizeof(b));
	l->bytes = (unsigned char *)(at + size - b.bytes);
	return entries_are_valid(l);
}

bool jit_entries_open(struct jit_entries *l, int fd)
{
	*l = (struct jit_entries){ .count = 0 };
	l->block = sealed_open(fd, sizeof(struct block), &l->block_bytes);
	if (l->block && list_map(l, l->block, l->block_bytes))
		return true;
	jit_entries_fini(l);
	return false;
}
