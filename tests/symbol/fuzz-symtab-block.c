/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "symbol/symtab-block.h"

/* A block that was believed can be asked for anything. */
static void walk(const struct symtab *t)
{
	uint64_t address;

	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);
		uint32_t found = symtab_find(t, s.start);

		if (s.end < s.start || !s.name || strlen(s.name) > 16384 ||
		    s.named_by >= NAMED_BY_COUNT)
			abort();
		if (found != SYMBOL_NONE && found > i)
			abort();
		symtab_find(t, s.end);
	}
	symtab_address_of_offset(t, 4096, &address);
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct symtab *t;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		abort();
	t = symtab_block_open(fd);
	close(fd);
	if (t)
		walk(t);
	symtab_free(t);
	return 0;
}
