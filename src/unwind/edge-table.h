/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_EDGE_TABLE_H
#define PTOP_UNWIND_EDGE_TABLE_H

#include "unwind/cfi.h"
#include "unwind/rule.h"

/*
 * The rules that an aarch64 object's code tells and its call frame information does not: of
 * functions whose description has a frame at its end and never goes back to a remembered state, so
 * that it tells of no epilogue.  No other code is read.  A look at a description takes some 0.3 us;
 * what it does not tell takes 1.5 us and 70 bytes for each function.
 */
struct edge_table {
	struct rule *rules; /* by address */
	size_t count, capacity;
};

/* Up to SIZE bytes of code at ADDRESS of the object; how many there are. */
struct edge_text {
	size_t (*read)(const void *context, uint64_t address, void *bytes, size_t size);
	const void *context;
};

/* Fills T, which is empty.  Whatever C says, 128 MiB are read at most, and EDGE_RULES_MAX kept. */
#define EDGE_RULES_MAX (1u << 20)
void edge_table_read(struct edge_table *t, const struct cfi *c, const struct edge_text *text);
void edge_table_fini(struct edge_table *t);
size_t edge_table_bytes(const struct edge_table *t);

/* Borrowed; NULL when call frame information says it, if anything does. */
const struct rule *edge_table_find(const struct edge_table *t, uint32_t address);

#endif
