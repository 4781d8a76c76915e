/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_TABLES_H
#define PTOP_UNWIND_TABLES_H

#include "unwind/edge-table.h"
#include "unwind/rule.h"

/* The inside of an object, for the files of unwind/ only. */
struct unwind_segment {        /* of code */
	uint64_t offset, size; /* in the file, bytes */
	uint64_t address;      /* in the object */
};

struct unwind_object {
	struct cfi cfi;
	struct edge_table edges;
	struct rule_table rules;
	struct unwind_segment *segments;
	size_t segment_count;
	struct unwind_segment *stubs; /* of a PLT, which may have no description */
	size_t stub_count;
	struct unwind_segment pushed; /* aarch64: the PLT's head behind its push; size 0: none */
	uint64_t trampoline;          /* where signal handlers return to, if undescribed; 0 none */
	uint64_t entry; /* where the program or dynamic linker begins, if undescribed; 0 none */
	int fp_percent;
	void *owned[2]; /* the sections' bytes */
};

/* The rule for code address ADDRESS of the object.  *MADE: it was not in the table before. */
struct rule unwind_object_rule(struct unwind_object *o, uint64_t address, bool *made);

#endif
