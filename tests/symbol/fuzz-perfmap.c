/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/perfmap-tail.h"
#include "symbol/symtab-block.h"

static void check(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || (s.end && symtab_find(t, s.start) == SYMBOL_NONE))
			abort();
	}
}

/* A worker sends its symbols sorted: they must be those that it read, and be believed. */
static void check_sent(const uint8_t *data, size_t size, const struct symtab *read)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	struct symtab *sent, *got;
	uint64_t skipped = 0;
	int fd;

	perfmap_parse(b, (const char *)data, size, &skipped);
	sent = symtab_builder_finish(b);
	fd = symtab_block_write(sent);
	got = fd < 0 ? NULL : symtab_block_open(fd);
	if (!got)
		abort();
	for (uint32_t i = 0; i < symtab_count(got); i++) {
		struct symbol s = symtab_at(got, i);
		uint32_t n = symtab_find(read, s.start);

		if (n == SYMBOL_NONE || strcmp(symtab_at(read, n).name, s.name))
			abort();
	}
	close(fd);
	symtab_free(got);
	symtab_free(sent);
}

/* Read twice, as a map that was rewritten: the symbols must keep their numbers. */
const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	struct symtab *before, *after;
	uint64_t skipped = 0;

	if (perfmap_parse(b, (const char *)data, size, &skipped) > size)
		abort();
	before = symtab_builder_make(b);
	check(before);
	check_sent(data, size, before);
	symtab_builder_retire(b);
	perfmap_parse(b, (const char *)data, size, &skipped);
	after = symtab_builder_make(b);
	check(after);
	for (uint32_t i = 0; i < symtab_count(before); i++)
		if (symtab_at(before, i).name != symtab_at(after, i).name)
			abort();
	symtab_free(before);
	symtab_free(after);
	symtab_builder_free(b);
	return 0;
}
