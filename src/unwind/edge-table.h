/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_EDGE_TABLE_H
#define PTOP_UNWIND_EDGE_TABLE_H

#include "unwind/cfi.h"
#include "unwind/rule.h"

/*
 * Rules that come from an aarch64 object's code, not from its call frame information.  They cover
 * functions whose description still has a frame at its end and never returns to a remembered state,
 * so that it describes no epilogue.  No other code is read.
 *
 * To check a description takes some 0.3 us.  A function without a described epilogue takes 1.5 us
 * and 70 bytes.
 */
struct edge_rule {
	uint32_t
		address; /* from the object's base; of an instruction, whose other bytes it is not about */
	struct rule rule;
};

struct edge_table {
	struct edge_rule *rules; /* by address, one for each */
	size_t count, capacity;
};

/* Reads up to SIZE bytes of code at ADDRESS of the object; returns their number. */
struct edge_text {
	size_t (*read)(const void *context, uint64_t address, void *bytes, size_t size);
	const void *context;
};

/*
 * Fills T, which is empty.  Whatever C says, at most 128 MiB are read and EDGE_RULES_MAX rules
 * kept.
 */
#define EDGE_RULES_MAX (1u << 20)
void edge_table_read(struct edge_table *t, const struct cfi *c, const struct edge_text *text);
void edge_table_fini(struct edge_table *t);

#endif
