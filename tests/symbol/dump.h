/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_DUMP_H
#define PTOP_TESTS_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Writes a jitdump, in either byte order.  The test frees `bytes`. */
struct dump {
	struct buf bytes;
	bool swap;
};

void dump_put(struct dump *d, uint64_t value, size_t size); /* of 4 or 8 bytes */

/* The header of an x86-64 program, pid 77. */
void dump_put_header(struct dump *d);

/* Begins a record; SIZE bytes of it follow. */
void dump_put_record(struct dump *d, uint32_t type, uint32_t size);

#endif
