/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_PYTHON_MEMORY_H
#define PTOP_TESTS_PYTHON_MEMORY_H

#include <stdint.h>
#include <string.h>

#include "runtime/python.h"

/* The memory of a process that is only bytes: what is at BASE is the first of them. */
#define MEMORY_BASE 0x10000u
#define MEMORY_BYTES 0x10000u

struct memory {
	unsigned char bytes[MEMORY_BYTES];
	size_t size;
	uint64_t reads;
};

static inline bool memory_read(void *context, uint64_t address, void *to, size_t size)
{
	struct memory *m = context;

	m->reads++;
	if (address < MEMORY_BASE || address - MEMORY_BASE > m->size ||
	    size > m->size - (address - MEMORY_BASE))
		return false;
	memcpy(to, m->bytes + (address - MEMORY_BASE), size);
	return true;
}

static inline void memory_put(struct memory *m, uint64_t address, const void *from, size_t size)
{
	memcpy(m->bytes + (address - MEMORY_BASE), from, size);
}

static inline void memory_word(struct memory *m, uint64_t address, uint64_t word)
{
	memory_put(m, address, &word, sizeof(word));
}

#endif
