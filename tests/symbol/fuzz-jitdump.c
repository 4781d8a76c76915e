/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/jitcode.h"
#include "symbol/jitdump.h"
#include "symbol/jitlist.h"
#include "unwind/unwind-worker.h"

static void check(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || (s.end && symtab_find(t, s.start) != i))
			abort();
	}
}

/* The rules are those of a worker that nobody has taken over: they must be believed. */
static void check_frames(struct jitlist *j)
{
	size_t count;
	struct jitframe **frames = jitlist_take_frames(j, &count);

	for (size_t i = 0; i < count; i++) {
		const struct jitframe *f = frames[i];
		struct unwind_object *o =
			f->bytes_size ? unwind_object_of_rules(f->bytes, f->bytes_size) : NULL;

		if (f->start + f->size < f->start || (f->bytes_size && !o))
			abort();
		unwind_object_free(o);
		jitframe_free(frames[i]);
	}
	free(frames);
}

/* A worker sends its entries: they must be those that it read, and be believed. */
static void check_sent(const struct jit_entries *made)
{
	int fd = jit_entries_write(made);
	struct jit_entries got;

	if (fd < 0 || !jit_entries_open(&got, fd) || got.count != made->count ||
	    got.byte_count != made->byte_count ||
	    (made->count &&
	     memcmp(got.entries, made->entries, made->count * sizeof(*made->entries))) ||
	    (made->byte_count && memcmp(got.bytes, made->bytes, made->byte_count)))
		abort();
	close(fd);
	jit_entries_fini(&got);
}

/* Entries are what follows the record's two numbers: anything may. */
static void check_lines(struct jitcode *j, uint64_t start, const uint8_t *data, size_t size)
{
	const struct jitfunction *f = jitcode_find(j, start);
	struct srcline_frame frame;

	if (!f)
		return;
	if (f->start != start || f->start + f->size < f->start || f->code_bytes > f->size)
		abort();
	jitcode_set_lines(j, f, data, size);
	for (uint64_t at = 0; at < f->size && at < 256; at++)
		if (jitcode_line(j, f, start + at, &frame) && !*frame.file)
			abort();
}

static void check_code(const uint8_t *data, size_t size, const struct symtab *t)
{
	struct jitcode *j = jitcode_new(-1);
	uint64_t at = 0, used = 1;

	for (; used && at < size; at += used)
		used = jitcode_parse(j, data + at, size - at, size - at);
	for (uint32_t i = 0; i < symtab_count(t); i++)
		check_lines(j, symtab_at(t, i).start, data, size);
	jitcode_free(j);
}

static void take(struct jitlist *j, struct jit_parser *p)
{
	struct symtab *t;

	check_sent(&p->entries);
	jitlist_take(j, &p->entries);
	jit_entries_fini(&p->entries);
	t = jitlist_make(j);
	check(t);
	symtab_free(t);
}

/* As a file that was half written when it was read for the first time. */
const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct jit_parser p = { .make = unwind_code_rules };
	struct jitlist *j = jitlist_new(JIT_DUMP);
	uint64_t at = 0, used = 1;
	struct symtab *t;

	while (used && at < size / 2) {
		used = jitdump_parse(&p, data + at, size / 2 - at, size / 2 - at);
		at += used;
	}
	if (at > size / 2 || (p.frames && p.frames_at.offset >= at))
		abort();
	take(j, &p);
	for (used = 1; used && at < size; at += used)
		used = jitdump_parse(&p, data + at, size - at, size - at);
	if (at > size && used)
		abort();
	take(j, &p);
	free(p.frames);
	check_frames(j);
	t = jitlist_make(j);
	check_code(data, size, t);
	symtab_free(t);
	jitlist_free(j);
	return 0;
}
