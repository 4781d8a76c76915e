/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "symbol/disassembly.h"

/*
 * Input: a byte that chooses the machine, one for the address, and code.  The instructions lie side by
 * side within the code, and their text is plain: it goes to a terminal.
 */
static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_RISCV };

const struct fuzz_bound fuzz_bound = { 200000, 200000, 4096, 1024 };

static void check(const struct disassembly_request *r, const struct instruction *all, size_t count)
{
	uint64_t address = r->address;

	for (size_t i = 0; i < count; i++) {
		if (all[i].address != address || !all[i].size)
			abort();
		for (const char *c = all[i].text; *c; c++)
			if (*c < ' ' || *c > '~')
				abort();
		address += all[i].size;
	}
	if (address - r->address > r->size)
		abort();
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct disassembly_request r;
	struct strtab *texts = strtab_new();
	struct instruction *all;
	struct error err = { "" };
	size_t count;

	if (size >= 2) {
		r = (struct disassembly_request){
			.machine = machines[data[0] % (sizeof(machines) / sizeof(*machines))],
			.code = data + 2,
			.size = size - 2,
			.address = (uint64_t)data[1] << 56 | 0x1000,
		};
		all = disassembly_make(&r, texts, &count, &err);
		if (!all && count)
			abort();
		check(&r, all, count);
		free(all);
	}
	strtab_free(texts);
	return 0;
}
