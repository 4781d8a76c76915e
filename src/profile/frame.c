/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/frame.h"

#include <stdatomic.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/strtab.h"

/*
 * Frames lie in chunks that never move; a directory of fixed size points to them.  So a reader in
 * another thread follows pointers that were written before it got the number.  `count` is the only
 * word that both threads touch while the collector adds; a demangled name is published once, by
 * whoever computes it first.
 */
#define CHUNK_FRAMES 4096u
#define CHUNKS 4096u
#define MADE_BYTES 18   /* "+0x" and an address */
#define NUMBER_BYTES 32 /* a place in the map of numbers */
#define NAMELESS_FLAGS (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS)

struct frame {
	const char *raw, *object_path, *object_name;
	_Atomic(char *) name; /* demangled; `raw` itself when there is nothing to demangle */
	_Atomic(struct frame_source *) source; /* owned */
	uint64_t address;
	uint32_t object;
	uint8_t named_by;
};

/* Flags are asked for with each sample, and lie so close that a CPU's cache has those of all functions. */
struct chunk {
	struct frame frames[CHUNK_FRAMES];
	uint8_t flags[CHUNK_FRAMES];
};

struct frame_table {
	frame_demangler *demangle;
	struct map numbers;   /* frame_id() to the frame's number, as a pointer */
	struct strtab *texts; /* the raw names */
	struct map by_payer;  /* payer_of() to the bytes of his frames, as a pointer */
	uint64_t memory_bytes, id;
	_Atomic(uint64_t) bytes; /* of all frames, with their names as they are shown */
	uint64_t merged;
	atomic_uint count;
	struct chunk *chunks[CHUNKS];
};

#define OTHERS "[others]" /* of an object, too */

static const struct {
	uint8_t flag;
	const char *name;
} nameless[] = {
	{ FRAME_UNKNOWN, "[unknown]" },
	{ FRAME_PENDING, "[loading]" },
	{ FRAME_OTHERS, OTHERS },
};

static const char *nameless_text(uint8_t flags)
{
	for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++) {
		if (flags & nameless[i].flag)
			return nameless[i].name;
	}
	return "";
}

static uint64_t frame_id(uint32_t object, uint32_t symbol)
{
	return (uint64_t)object << 32 | symbol;
}

static uint32_t symbol_of(const struct frame_key *key)
{
	return key->raw ? key->symbol : UINT32_MAX - (key->flags & NAMELESS_FLAGS);
}

/* Returns true if the text is made of the object and the address. */
static bool is_made(const struct frame_key *key)
{
	return key->raw && !*key->raw && key->flags & FRAME_UNNAMED;
}

static const char *made_text(struct frame_table *t, const struct frame_key *key)
{
	char *text =
		mem_printf("%s+0x%" PRIx64, key->object_name ? key->object_name : "", key->address);
	const char *kept = strtab_copy(t->texts, text);

	free(text);
	return kept;
}

static const char *raw_text(struct frame_table *t, const struct frame_key *key)
{
	if (is_made(key))
		return made_text(t, key);
	return key->raw ? strtab_copy(t->texts, key->raw) : nameless_text(key->flags);
}

static uint32_t frame_append(struct frame_table *t, const struct frame_key *key)
{
	uint32_t number = atomic_load_explicit(&t->count, memory_order_relaxed);
	struct chunk **chunk = &t->chunks[number / CHUNK_FRAMES];
	struct frame *f;

	if (!*chunk)
		*chunk = mem_alloc(sizeof(**chunk));
	f = &(*chunk)->frames[number % CHUNK_FRAMES];
	f->raw = raw_text(t, key);
	f->object_path = key->object_path ? key->object_path : "";
	f->object_name = key->object_name ? key->object_name : "";
	f->object = key->object;
	(*chunk)->flags[number % CHUNK_FRAMES] = key->flags;
	f->named_by = key->named_by;
	f->address = key->address;
	atomic_store_explicit(&t->count, number + 1, memory_order_release);
	return number;
}

struct frame_table *frame_table_new(frame_demangler *demangle, uint64_t memory_bytes)
{
	const struct frame_key others = { .object_path = OTHERS,
					  .object_name = OTHERS,
					  .flags = FRAME_OTHERS };
	struct frame_table *t = mem_alloc(sizeof(*t));

	t->demangle = demangle;
	t->memory_bytes = memory_bytes;
	t->id = hash_seed();
	t->texts = strtab_new();
	t->numbers.seed = t->by_payer.seed = hash_seed(); /* a shared snapshot's are foreign */
	atomic_init(&t->count, FRAME_REST);
	frame_append(t, &others);
	return t;
}

static void frame_fini(struct frame *f)
{
	char *name = atomic_load_explicit(&f->name, memory_order_relaxed);

	if (name != f->raw)
		free(name);
	free(atomic_load_explicit(&f->source, memory_order_relaxed));
}

void frame_table_free(struct frame_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < CHUNKS && t->chunks[i]; i++) {
		for (size_t j = 0; j < CHUNK_FRAMES; j++)
			frame_fini(&t->chunks[i]->frames[j]);
		free(t->chunks[i]);
	}
	map_fini(&t->numbers);
	map_fini(&t->by_payer);
	strtab_free(t->texts);
	free(t);
}

/* Users and objects have numbers of their own. */
static uint64_t payer_of(const struct frame_key *key)
{
	return key->payer ? (uint64_t)key->payer << 32 : (uint64_t)key->object + 1;
}

/* Charges a new frame to who pays for it.  Returns false, and counts it, if there is no room. */
static bool frame_pays(struct frame_table *t, const struct frame_key *key)
{
	size_t bytes =
		sizeof(struct chunk) / CHUNK_FRAMES + NUMBER_BYTES +
		(key->raw ? strlen(key->raw) + 1 : 0) +
		(is_made(key) && key->object_name ? strlen(key->object_name) + MADE_BYTES : 0);
	size_t of_payer = (uintptr_t)map_find(&t->by_payer, payer_of(key)) + bytes;

	if (of_payer > account_user(t->memory_bytes, ACCOUNT_FUNCTIONS) ||
	    frame_table_bytes(t) + bytes > account_most(t->memory_bytes, ACCOUNT_FUNCTIONS) ||
	    frame_table_count(t) >= (size_t)CHUNKS * CHUNK_FRAMES) {
		t->merged++;
		return false;
	}
	atomic_fetch_add_explicit(&t->bytes, bytes, memory_order_relaxed);
	map_put(&t->by_payer, payer_of(key), (void *)of_payer);
	return true;
}

uint64_t frame_table_bytes(const struct frame_table *t)
{
	return atomic_load_explicit(&t->bytes, memory_order_relaxed);
}

uint64_t frame_table_merged(const struct frame_table *t)
{
	return t->merged;
}

uint32_t frame_table_add(struct frame_table *t, const struct frame_key *key)
{
	uint64_t id = frame_id(key->object, symbol_of(key));
	uint32_t number;

	if (!key->raw && key->flags & FRAME_OTHERS)
		return FRAME_REST;
	number = (uint32_t)(uintptr_t)map_find(&t->numbers, id);
	if (number)
		return number;
	if (!frame_pays(t, key))
		return FRAME_REST;
	number = frame_append(t, key);
	map_put(&t->numbers, id, (void *)(uintptr_t)number);
	return number;
}

uint32_t frame_table_find(const struct frame_table *t, uint32_t object, uint32_t symbol)
{
	return (uint32_t)(uintptr_t)map_find(&t->numbers, frame_id(object, symbol));
}

uint64_t frame_table_id(const struct frame_table *t)
{
	return t->id;
}

size_t frame_table_count(const struct frame_table *t)
{
	return atomic_load_explicit(&t->count, memory_order_acquire);
}

/* FRAME, or FRAME_REST in place of what no number is. */
static uint32_t number_of(const struct frame_table *t, uint32_t frame)
{
	return frame == FRAME_NONE || frame >= frame_table_count(t) ? FRAME_REST : frame;
}

static struct frame *frame_at(const struct frame_table *t, uint32_t frame)
{
	frame = number_of(t, frame);
	return &t->chunks[frame / CHUNK_FRAMES]->frames[frame % CHUNK_FRAMES];
}

/* Owned by the caller; NULL: as it is. */
static char *shown_name(const struct frame_table *t, const struct frame *f, uint8_t flags)
{
	if (flags & FRAME_INLINED)
		return mem_printf("%s (inlined)", f->raw);
	if (t->demangle && !(flags & (NAMELESS_FLAGS | FRAME_UNNAMED)))
		return t->demangle(f->raw);
	return NULL;
}

const char *frame_symbol(const struct frame_table *t, uint32_t frame)
{
	struct frame *f = frame_at(t, frame);
	char *name = atomic_load_explicit(&f->name, memory_order_acquire);
	char *expected = NULL;

	if (name)
		return name;
	if (frame_table_bytes(t) < account_most(t->memory_bytes, ACCOUNT_FUNCTIONS))
		name = shown_name(t, f, frame_flags(t, frame));
	if (!name)
		name = (char *)f->raw;
	if (atomic_compare_exchange_strong(&f->name, &expected, name)) {
		if (name != f->raw)
			atomic_fetch_add_explicit(&((struct frame_table *)t)->bytes,
						  strlen(name) + 1, memory_order_relaxed);
		return name;
	}
	if (name != f->raw)
		free(name); /* another thread was first */
	return expected;
}

const char *frame_function(const struct frame_table *t, uint32_t frame)
{
	const struct frame *f = frame_at(t, frame);

	return frame_flags(t, frame) & FRAME_INLINED ? f->raw : frame_symbol(t, frame);
}

const char *frame_raw_symbol(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->raw;
}

const char *frame_object_path(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->object_path;
}

const char *frame_object_name(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->object_name;
}

uint32_t frame_object(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->object;
}

uint8_t frame_flags(const struct frame_table *t, uint32_t frame)
{
	frame = number_of(t, frame);
	return t->chunks[frame / CHUNK_FRAMES]->flags[frame % CHUNK_FRAMES];
}

uint64_t frame_address(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->address;
}

enum named_by frame_named_by(const struct frame_table *t, uint32_t frame)
{
	return frame_at(t, frame)->named_by;
}

void frame_set_source(struct frame_table *t, uint32_t frame, const char *file, uint32_t line)
{
	struct frame *f = frame_at(t, frame);
	const char *slash = strrchr(file, '/');
	struct frame_source *source;
	char *text;

	if (atomic_load_explicit(&f->source, memory_order_relaxed) ||
	    frame_table_bytes(t) > account_most(t->memory_bytes, ACCOUNT_FUNCTIONS))
		return;
	source = mem_alloc(sizeof(*source));
	source->file = strtab_add(t->texts, file);
	source->line = line;
	slash = slash ? slash + 1 : file;
	text = line ? mem_printf("%s:%u", slash, line) : mem_strdup(slash);
	source->text = strtab_add(t->texts, text);
	atomic_fetch_add_explicit(&t->bytes, sizeof(*source) + strlen(file) + strlen(text),
				  memory_order_relaxed);
	free(text);
	atomic_store_explicit(&f->source, source, memory_order_release);
}

const struct frame_source *frame_source(const struct frame_table *t, uint32_t frame)
{
	return atomic_load_explicit(&frame_at(t, frame)->source, memory_order_acquire);
}
