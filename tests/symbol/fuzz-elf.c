/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/load.h"
#include "symbol/object.h"

/* Every source of symbols of a file, which is whatever the input says. */
/* The decoder of .gnu_debugdata may have 128 MiB (symbol/minidebug.c). */
const struct fuzz_bound fuzz_bound = { 500000, 20000, 144 * 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/nonexistent/directory/file" },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	struct symtab *t;
	uint64_t address;

	l.object = object_new_from_memory(data, size);
	if (!l.object)
		return 0;
	t = load_run(&l);
	for (uint32_t i = 0; t && i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (!s.name || s.end < s.start || symtab_find(t, s.start) == SYMBOL_NONE)
			abort();
	}
	if (t)
		symtab_address_of_offset(t, size, &address);
	symtab_free(t);
	load_fini(&l);
	return 0;
}
