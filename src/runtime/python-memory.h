/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_PYTHON_MEMORY_H
#define PTOP_RUNTIME_PYTHON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory to read.  False: not all of SIZE bytes are there. */
struct python_memory {
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

struct python_range {
	uint64_t start, end; /* the same: nothing */
};

#endif
