/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/jitcode.h"
#include "symbol/jitdump.h"

static void check(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || (s.end && symtab_find(t, s.start) != i))
			abort();
	}
}

static void take_frames(struct jitdump *j)
{
	size_t count;
	struct jitframe **frames = jitdump_take_frames(j, &count);

	for (size_t i = 0; i < count; i++) {
		if (frames[i]->start + frames[i]->size < frames[i]->start)
			abort();
		jitframe_free(frames[i]);
	}
	free(frames);
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

/* As a file that was half written when it was read for the first time. */
const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct jitdump *j = jitdump_new();
	uint64_t at = 0, used = 1;
	struct symtab *t;

	while (used && at < size / 2) {
		used = jitdump_parse(j, data + at, size / 2 - at, size / 2 - at);
		at += used;
	}
	if (at > size / 2)
		abort();
	t = jitdump_make(j);
	check(t);
	symtab_free(t);
	for (used = 1; used && at < size; at += used)
		used = jitdump_parse(j, data + at, size - at, size - at);
	if (at > size && used)
		abort();
	take_frames(j);
	t = jitdump_make(j);
	check(t);
	check_code(data, size, t);
	symtab_free(t);
	jitdump_free(j);
	return 0;
}
