/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_PYTHON_IMAGE_H
#define PTOP_RUNTIME_PYTHON_IMAGE_H

#include "runtime/python-memory.h"

/*
 * An ELF file in the memory of a process, where its loader left the tables: System V ABI, and "GNU hash" as in glibc's
 * dl-lookup.c.  Anything may be there: each search reads a bounded number of times.
 */
struct python_image {
	const struct python_memory *memory; /* borrowed */
	uint16_t machine;                   /* EM_X86_64 */
	uint64_t bias, hash, symbols, strings;
	uint64_t descriptions; /* .eh_frame_hdr; 0: it has none */
};

/* False: no ELF file with dynamic symbols is mapped with its first byte at ADDRESS. */
bool python_image_find(struct python_image *to, const struct python_memory *m, uint64_t address);

/* Where the file defines the dynamic symbol NAME, of at most 31 bytes; false: it does not. */
bool python_image_symbol(const struct python_image *image, const char *name,
			 struct python_range *to);

/* The code whose unwinding one entry of .eh_frame describes, with ADDRESS in it; false: none is told. */
bool python_image_description(const struct python_image *image, uint64_t address,
			      struct python_range *to);

#endif
