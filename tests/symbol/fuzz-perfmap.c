/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/jitlist.h"
#include "symbol/perfmap.h"

static void check(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || (s.end && symtab_find(t, s.start) == SYMBOL_NONE))
			abort();
	}
}

/* What a worker sends must be believed. */
static void check_sent(struct jit_entries *made)
{
	int fd = jit_entries_write(made);
	struct jit_entries got;

	if (fd < 0 || !jit_entries_open(&got, fd))
		abort();
	close(fd);
	jit_entries_fini(made);
	*made = got;
}

static void take(struct jitlist *j, const uint8_t *data, size_t size)
{
	struct jit_parser p = { .skipped = 0 };

	if (perfmap_parse(&p, data, size, size) > size || p.at.offset > size)
		abort();
	check_sent(&p.entries);
	jitlist_take(j, &p.entries);
	jit_entries_fini(&p.entries);
}

/* Read twice, as a map that was appended to itself. */
const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct jitlist *j = jitlist_new(JIT_MAP);
	struct symtab *before, *after;

	take(j, data, size);
	before = jitlist_make(j);
	check(before);
	take(j, data, size);
	after = jitlist_make(j);
	check(after);
	for (uint32_t i = 0; i < symtab_count(before); i++)
		if (symtab_at(before, i).name != symtab_at(after, i).name)
			abort();
	symtab_free(before);
	symtab_free(after);
	jitlist_free(j);
	return 0;
}
