/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "symbol/jitrecord.h"
#include "symbol/object.h"

#define CODES_MAX (4u << 20) /* functions that can move: as many as a table has */

#define FRAMES_WAITING_MAX (4 * JITFRAMES_MAX)

struct jitdump {
	struct symtab_builder *builder;
	struct map codes; /* a function's index to its symbol's number + 1 */
	dev_t device;
	ino_t inode;
	uid_t owner; /* the first one: another one is refused */
	struct jitreader reader;
	uint64_t seen_bytes;      /* size of the file at the last look */
	uint64_t skipped;         /* invalid records */
	struct jitframe *next;    /* for the next code, or NULL */
	struct jitframe **frames; /* not taken by the caller yet */
	size_t frame_count, frame_capacity;
	size_t frame_bytes; /* number of all since the file began */
};

bool jitdump_is_path(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	name += 4 + digits;
	return digits && (!strcmp(name, ".dump") || !strcmp(name, ".dump (deleted)"));
}

struct jitdump *jitdump_new(void)
{
	struct jitdump *j = mem_alloc(sizeof(*j));

	j->builder = symtab_builder_new_growing();
	symtab_builder_set_source(j->builder, NAMED_BY_JITDUMP);
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

struct jitframe **jitdump_take_frames(struct jitdump *j, size_t *count)
{
	struct jitframe **frames = j->frames;

	*count = j->frame_count;
	j->frames = NULL;
	j->frame_count = j->frame_capacity = 0;
	return frames;
}

void jitdump_free(struct jitdump *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->frame_count; i++)
		jitframe_free(j->frames[i]);
	free(j->frames);
	jitframe_free(j->next);
	symtab_builder_free(j->builder);
	map_fini(&j->codes);
	free(j);
}

size_t jitdump_bytes(const struct jitdump *j)
{
	return sizeof(*j) + symtab_builder_bytes(j->builder) +
	       j->codes.count * 2 * sizeof(struct map_slot);
}

static bool add_code(struct jitdump *j, uint64_t index, const struct symtab_entry *e)
{
	size_t number;

	if (!e->size || e->start + e->size < e->start) {
		j->skipped++;
		return false;
	}
	number = symtab_builder_add(j->builder, e);
	if (number != SIZE_MAX && j->codes.count < CODES_MAX)
		map_put(&j->codes, index, (void *)(uintptr_t)(number + 1));
	return true;
}

static void add_frame(struct jitdump *j, struct jitframe *f, const struct symtab_entry *e)
{
	if (j->frame_count == FRAMES_WAITING_MAX) {
		jitframe_free(f);
		return;
	}
	f->start = e->start;
	f->size = e->size;
	f->address = (e->start + e->size + 7) & ~UINT64_C(7);
	f->machine = j->reader.machine;
	mem_grow((void **)&j->frames, &j->frame_capacity, j->frame_count + 1, sizeof(*j->frames));
	j->frames[j->frame_count++] = f;
}

/* Once a function has a description, every later function is reported as with or without one. */
static void take_next(struct jitdump *j, const struct symtab_entry *e, uint64_t from)
{
	struct jitframe *f = j->next;

	j->next = NULL;
	if (!j->frame_bytes)
		return;
	if (!f)
		f = mem_alloc(sizeof(*f));
	f->from = from;
	add_frame(j, f, e);
}

/*
 * A record larger than one reading is skipped; a description of a function's frames has some
 * hundred bytes.
 */
static void parse_unwinding(struct jitdump *j, struct bytes *b)
{
	uint64_t size = bytes_u64(b), header = bytes_u64(b);
	const void *bytes;

	jitframe_free(j->next);
	j->next = NULL;
	bytes_take(b, 8);
	if (size == header)
		return;
	bytes = size > header && size - header <= b->left ? bytes_take(b, size - header) : NULL;
	if (b->failed || !bytes || j->frame_bytes > JITFRAMES_BYTES_MAX - (size - header)) {
		j->skipped++;
		return;
	}
	j->next = mem_alloc(sizeof(*j->next) + (size - header));
	j->next->bytes_size = size - header;
	memcpy(j->next->bytes, bytes, size - header);
	j->frame_bytes += size - header;
}

static void parse_load(struct jitdump *j, struct jitrecord *record)
{
	struct jitload load;
	struct symtab_entry e;

	if (!jitrecord_load(record, &load)) {
		j->skipped++;
		return;
	}
	e = (struct symtab_entry){ .start = load.address,
				   .size = load.size,
				   .name = load.name,
				   .name_size = load.name_size };
	if (add_code(j, load.index, &e))
		take_next(j, &e, 0);
}

static void parse_move(struct jitdump *j, struct jitrecord *record)
{
	struct symtab_entry e = { .name_size = SIZE_MAX };
	struct jitmove move;
	uintptr_t number = 0;

	if (jitrecord_move(record, &move))
		number = (uintptr_t)map_find(&j->codes, move.index);
	if (!number) {
		j->skipped++;
		return;
	}
	e.start = move.to;
	e.size = move.size;
	e.name = symtab_builder_name(j->builder, number - 1);
	symtab_builder_retire_one(j->builder, number - 1);
	if (add_code(j, move.index, &e))
		take_next(j, &e, move.from);
}

static void take_record(void *context, struct jitrecord *record)
{
	struct jitdump *j = context;

	if (record->type == JIT_CODE_LOAD)
		parse_load(j, record);
	else if (record->type == JIT_CODE_MOVE)
		parse_move(j, record);
	else if (record->type == JIT_UNWINDING_INFO)
		parse_unwinding(j, &record->body);
}

uint64_t jitdump_parse(struct jitdump *j, const void *bytes, size_t size, uint64_t left)
{
	return jitreader_parse(&j->reader, bytes, size, left, take_record, j);
}

bool jitdump_has_code(const struct jitdump *j)
{
	return symtab_builder_count(j->builder) > 0;
}

struct symtab *jitdump_make(struct jitdump *j)
{
	return symtab_builder_make(j->builder);
}

/* The file was begun anew, or is another one. */
static void restart(struct jitdump *j, const struct stat *st)
{
	symtab_builder_retire(j->builder);
	map_fini(&j->codes);
	jitframe_free(j->next);
	j->next = NULL;
	j->inode = st->st_ino;
	j->owner = st->st_uid;
	j->device = st->st_dev;
	j->seen_bytes = 0;
	jitreader_restart(&j->reader);
}

uint64_t jitdump_size(const struct stat *st)
{
	return (uint64_t)st->st_size < JITDUMP_BYTES_MAX ? (uint64_t)st->st_size
							 : JITDUMP_BYTES_MAX;
}

int jitdump_open(struct load *l, struct stat *st)
{
	int fd = object_open_key(l->proc_root, &l->dump, &l->error);

	if (fd < 0) {
		load_missing(l, "%s", l->error.text);
		return -1;
	}
	if (fstat(fd, st) == 0 && load_trusts(l, st))
		return fd;
	load_missing(l, _("%s belongs to neither root nor the process's user"), l->dump.path);
	close(fd);
	return -1;
}

struct symtab *jitdump_read(struct jitdump *j, struct load *l)
{
	struct stat st;
	uint64_t size, before = symtab_builder_count(j->builder);
	bool anew;
	int fd = jitdump_open(l, &st);

	if (fd < 0)
		return NULL;
	if (j->inode && j->owner != st.st_uid) {
		load_missing(l, "%s", _("the jitdump has another owner now"));
		close(fd);
		return NULL;
	}
	size = jitdump_size(&st);
	anew = st.st_ino != j->inode || st.st_dev != j->device || size < j->seen_bytes;
	if (anew)
		restart(j, &st);
	jitreader_read(&j->reader, l, fd, size, take_record, j);
	j->seen_bytes = size;
	close(fd);
	if (!anew && symtab_builder_count(j->builder) == before)
		return NULL;
	snprintf(l->source, sizeof(l->source), "%s", _(named_by_word(NAMED_BY_JITDUMP)));
	l->skipped = j->skipped;
	return jitdump_make(j);
}
