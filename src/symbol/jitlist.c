/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jitlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

#define CODES_MAX (4u << 20) /* functions that can move: as many as a table has */
#define FRAMES_WAITING_MAX (4 * JITFRAMES_MAX)
#define MADE_BYTES 256 /* of what is made of a function's rules, without these */

/* The kinds of files. */
static const struct kind {
	enum named_by name;
	uint64_t bytes_max;
	bool replaces; /* code that is new replaces what it overlaps; and it can move */
	int (*open)(struct load *l);
	const char *other_owner;
} kinds[JIT_KINDS] = {
	[JIT_MAP] = { NAMED_BY_PERF_MAP, PERFMAP_BYTES_MAX, false, perfmap_open,
		      N_("the perf map has another owner now") },
	[JIT_DUMP] = { NAMED_BY_JITDUMP, JITDUMP_BYTES_MAX, true, jitdump_open,
		       N_("the jitdump has another owner now") },
};

struct jitlist {
	enum jit_kind kind;
	struct symtab_builder *builder;
	struct map codes; /* a function's index to its symbol's number + 1 */
	dev_t device;
	ino_t inode;
	uid_t owner;         /* the first one: another one is refused */
	struct jitreader at; /* all before it was read */
	off_t size;          /* of the file that was read to its end, and */
	struct timespec changed;
	uint64_t skipped; /* invalid lines and records */
	bool refused;     /* its worker was stopped: nothing is read until it is another file */
	struct jitframe **frames; /* not taken by the caller yet */
	size_t frame_count, frame_capacity;
	size_t frame_bytes; /* number of all so far */
};

struct jitlist *jitlist_new(enum jit_kind kind)
{
	struct jitlist *j = mem_alloc(sizeof(*j));

	j->kind = kind;
	j->builder = symtab_builder_new_growing();
	symtab_builder_set_source(j->builder, kinds[kind].name);
	if (kinds[kind].replaces)
		symtab_builder_set_exclusive(j->builder);
	j->codes.seed = hash_seed();
	return j;
}

void jitframe_free(struct jitframe *f)
{
	if (f && f->made)
		f->free_made(f->made);
	free(f);
}

size_t jitframe_bytes(const struct jitframe *f)
{
	return sizeof(*f) + f->bytes_room + MADE_BYTES;
}

struct jitframe **jitlist_take_frames(struct jitlist *j, size_t *count)
{
	struct jitframe **frames = j->frames;

	*count = j->frame_count;
	j->frames = NULL;
	j->frame_count = j->frame_capacity = 0;
	return frames;
}

void jitlist_free(struct jitlist *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->frame_count; i++)
		jitframe_free(j->frames[i]);
	free(j->frames);
	symtab_builder_free(j->builder);
	map_fini(&j->codes);
	free(j);
}

size_t jitlist_bytes(const struct jitlist *j)
{
	return sizeof(*j) + symtab_builder_bytes(j->builder) + map_bytes(&j->codes);
}

bool jitlist_has_code(const struct jitlist *j)
{
	return symtab_builder_count(j->builder) > 0;
}

struct symtab *jitlist_make(struct jitlist *j)
{
	return symtab_builder_make(j->builder);
}

/* ---- What was read. */

/* Retires the code that E moves, and gives S its name.  Returns false if no such code is known. */
static bool leave_place(struct jitlist *j, const struct jit_entry *e, struct symtab_entry *s)
{
	uintptr_t number = (uintptr_t)map_find(&j->codes, e->index);

	if (!number)
		return false;
	s->name = symtab_builder_name(j->builder, number - 1);
	s->name_size = strlen(s->name);
	symtab_builder_retire_one(j->builder, number - 1);
	return true;
}

static size_t frames_room(const struct jitlist *j, const struct jit_entry *e)
{
	return e->frames_bytes <= JITFRAMES_BYTES_MAX - j->frame_bytes ? e->frames_bytes : 0;
}

/* Once a function has rules, every later function is reported as with or without some. */
static void take_rules(struct jitlist *j, const struct jit_entry *e, const void *bytes)
{
	size_t size = frames_room(j, e);
	struct jitframe *f;

	j->skipped += size < e->frames_bytes;
	j->frame_bytes += size;
	if (!j->frame_bytes || j->frame_count == FRAMES_WAITING_MAX)
		return;
	f = mem_alloc(sizeof(*f) + size);
	f->start = f->made_at = e->start;
	f->size = e->size;
	f->from = e->from;
	f->bytes_room = f->bytes_size = size;
	if (size)
		memcpy(f->bytes, bytes, size);
	mem_grow((void **)&j->frames, &j->frame_capacity, j->frame_count + 1, sizeof(*j->frames));
	j->frames[j->frame_count++] = f;
}

static void take_entry(struct jitlist *j, const struct jit_entry *e, const unsigned char *bytes)
{
	struct symtab_entry s = {
		.start = e->start,
		.size = e->size,
		.name = (const char *)bytes,
		.name_size = e->name_bytes,
	};
	size_t number;

	if (e->kind == JIT_MOVED && !leave_place(j, e, &s)) {
		j->skipped++;
		return;
	}
	number = symtab_builder_add(j->builder, &s);
	if (!kinds[j->kind].replaces)
		return;
	if (number != SIZE_MAX && j->codes.count < CODES_MAX)
		map_put(&j->codes, e->index, (void *)(uintptr_t)(number + 1));
	take_rules(j, e, bytes + e->name_bytes);
}

void jitlist_take(struct jitlist *j, const struct jit_entries *l)
{
	/* Entries may have neither names nor frames. */
	static const unsigned char none[1];
	const unsigned char *bytes = l->bytes ? l->bytes : none;

	for (size_t i = 0; i < l->count; i++) {
		const struct jit_entry *e = &l->entries[i];

		take_entry(j, e, bytes);
		bytes += (size_t)e->name_bytes + e->frames_bytes;
	}
}

/* ---- The file. */

static uint64_t size_to_read(const struct jitlist *j, const struct stat *st)
{
	const uint64_t most = kinds[j->kind].bytes_max;

	return (uint64_t)st->st_size < most ? (uint64_t)st->st_size : most;
}

static bool is_same(const struct jitlist *j, const struct stat *st)
{
	return j->inode == st->st_ino && j->device == st->st_dev &&
	       size_to_read(j, st) >= j->at.offset;
}

static bool is_unchanged(const struct jitlist *j, const struct stat *st)
{
	return is_same(j, st) && j->size == st->st_size &&
	       j->changed.tv_sec == st->st_mtim.tv_sec && j->changed.tv_nsec == st->st_mtim.tv_nsec;
}

/* Another file, or one that was written anew: the code of before has gone. */
static void begin_anew(struct jitlist *j, const struct stat *st)
{
	if (j->inode)
		symtab_builder_retire(j->builder);
	map_fini(&j->codes);
	j->inode = st->st_ino;
	j->owner = st->st_uid;
	j->device = st->st_dev;
	jitreader_restart(&j->at);
	j->refused = false;
}

/*
 * Has the rest of L's file up to its byte TO read, part by part.  *NEWS: something was taken.  Returns false if
 * that ended early.
 */
static bool read_on(struct jitlist *j, struct load *l, const struct jit_reading *how, uint64_t to,
		    bool *news)
{
	struct jit_tail tail;

	do {
		const struct jit_order order = { .kind = j->kind, .to = to, .at = j->at };
		enum worker_end end = jit_tail_read(&tail, l, how, &order);

		j->refused = end != WORKER_DONE && end != WORKER_KILLED;
		if (end != WORKER_DONE)
			return false;
		j->at = tail.at;
		j->skipped += tail.skipped;
		*news |= tail.entries.count > 0;
		jitlist_take(j, &tail.entries);
		jit_entries_fini(&tail.entries);
	} while (tail.more && !load_checkpoint(l));
	return !tail.more;
}

static struct symtab *make_table(struct jitlist *j, struct load *l)
{
	const struct kind *kind = &kinds[j->kind];

	snprintf(l->source, sizeof(l->source), "%s", _(named_by_word(kind->name)));
	if (j->kind == JIT_MAP && j->size > (off_t)kind->bytes_max)
		load_missing(l, _("of the perf map only the first %u MiB are read"),
			     (unsigned)(kind->bytes_max >> 20));
	l->skipped = j->skipped;
	return jitlist_make(j);
}

/* A file that grows while it is read has changed again afterwards: it is looked at before. */
static struct symtab *read_file(struct jitlist *j, struct load *l, const struct jit_reading *how,
				bool *refused)
{
	struct stat st;
	bool news;

	if (fstat(l->file, &st) < 0)
		return NULL;
	if (j->inode && j->owner != st.st_uid) {
		load_missing(l, "%s", _(kinds[j->kind].other_owner));
		return NULL;
	}
	if (j->inode && is_unchanged(j, &st))
		return NULL;
	news = !j->inode || !is_same(j, &st);
	if (news)
		begin_anew(j, &st);
	if (j->refused)
		return NULL;
	if (read_on(j, l, how, size_to_read(j, &st), &news)) {
		j->size = st.st_size;
		j->changed = st.st_mtim;
	}
	*refused = j->refused;
	return news && (!j->refused || jitlist_has_code(j)) ? make_table(j, l) : NULL;
}

struct symtab *jitlist_read(struct jitlist *j, struct load *l, const struct jit_reading *how,
			    bool *refused)
{
	struct symtab *t;

	*refused = false;
	l->file = kinds[j->kind].open(l);
	if (l->file < 0)
		return NULL;
	l->has_file = true;
	t = read_file(j, l, how, refused);
	close(l->file);
	l->has_file = false;
	return t;
}
