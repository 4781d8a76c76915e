/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/code.h"

#include <stdlib.h>

#include "base/alloc.h"

struct code *code_new(void)
{
	struct code *c = mem_alloc(sizeof(*c));

	c->references = 1;
	c->texts = strtab_new();
	c->missing = c->no_lines = "";
	return c;
}

struct code *code_get(struct code *c)
{
	if (c)
		__atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
	return c;
}

void code_put(struct code *c)
{
	if (!c || __atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(c->instructions);
	free(c->lines);
	strtab_free(c->texts);
	free(c);
}

size_t code_find(const struct code *c, uint64_t address)
{
	size_t low = 0, high = c->instruction_count;

	if (address < c->start || address - c->start >= c->size)
		return SIZE_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->instructions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : SIZE_MAX;
}
