/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/kallsyms.h"

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct symtab_builder *b = symtab_builder_new();
	struct kallsyms_count count = { 0 };
	struct symtab *t;

	if (kallsyms_parse(b, (const char *)data, size, size % 2, &count) > size)
		abort();
	t = symtab_builder_finish(b);
	if (symtab_count(t) > count.added)
		abort();
	for (uint32_t i = 0; i < symtab_count(t); i++)
		if (symtab_find(t, symtab_at(t, i).start) != i)
			abort();
	symtab_free(t);
	return 0;
}
