/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_TABLE_MAKER_H
#define PTOP_UNWIND_TABLE_MAKER_H

#include "unwind/cfi.h"
#include "unwind/edge-table.h"
#include "unwind/tables.h"

/*
 * Makes the block of an object (tables.h) of what was read of a file.  Works on foreign bytes, so it mostly runs
 * in a worker.  Takes some 30 ns for each row.
 */

/* Code that has this rule if nothing describes it. */
struct unwind_place {
	uint64_t address, size; /* in the object; size 0: none */
	struct rule rule;
};

#define UNWIND_PLACES_MAX 12u

struct unwind_source {
	struct cfi cfi;
	struct edge_table edges;
	struct unwind_segment *segments; /* owned; at most UNWIND_SEGMENTS_MAX */
	size_t segment_count;
	struct unwind_place places[UNWIND_PLACES_MAX]; /* the first that has an address counts */
	size_t place_count;
	void *owned[2]; /* the sections' bytes */
};

void unwind_source_fini(struct unwind_source *s);

struct unwind_made {
	struct unwind_block head;
	struct unwind_segment *segments; /* borrowed */
	struct rule *rules;              /* owned, as what follows */
	uint32_t *starts;
	uint16_t *numbers;
};

/* Fills M from S.  Returns false if there would be more rows than UNWIND_ROWS_MAX. */
bool unwind_made_init(struct unwind_made *m, const struct unwind_source *s);
void unwind_made_fini(struct unwind_made *m);

/* The size of the block in bytes; and writes it at AT.  MADE is a struct unwind_made. */
size_t unwind_made_bytes(const struct unwind_made *m);
void unwind_made_write(char *at, const void *made);

/* The object of S, in this process; NULL as unwind_made_init() says. */
struct unwind_object *unwind_source_object(const struct unwind_source *s);

#endif
