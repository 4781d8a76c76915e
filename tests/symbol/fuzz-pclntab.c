/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/pclntab.h"

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	for (int swap = 0; swap < 2; swap++) {
		struct allowance allowance = allowance_of(size);
		const struct pclntab_bytes table = { data, size, swap, 0x401000, &allowance };
		struct symtab_builder *b = symtab_builder_new();
		size_t added = pclntab_parse(b, &table);
		struct symtab *t = symtab_builder_finish(b);

		if (symtab_count(t) > added || added > size / 8)
			abort();
		for (uint32_t i = 0; i < symtab_count(t); i++)
			if (symtab_find(t, symtab_at(t, i).start) != i || !symtab_at(t, i).name)
				abort();
		symtab_free(t);
	}
	return 0;
}
