/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/perfmap.h"

static void check(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || (s.end && symtab_find(t, s.start) == SYMBOL_NONE))
			abort();
	}
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
