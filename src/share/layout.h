/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_LAYOUT_H
#define PTOP_SHARE_LAYOUT_H

#include "profile/snapshot.h"
#include "share/field.h"

/*
 * The block of a snapshot (share/block.h): the head, pids of the target, and a row for the snapshot itself.  Then come
 * the arrays in the order of enum block_part, each row with its doubles behind it.  The texts are last.
 */
enum block_part {
	PART_PIDS, /* uint32_t each */
	PART_EVENTS,
	PART_FRAMES, /* those that the rows below have, by number */
	PART_NODES,
	PART_PROCESSES, /* behind each: a byte, and when that is 1 its counters */
	PART_CELLS,     /* likewise */
	PART_CPUS,      /* behind each: counters, then samples */
	PART_GROUPS,    /* likewise; then another byte, and when that is 1 a row of: */
	PART_GROUP_FACTS,
	PART_OBJECTS,
	PART_SLICES, /* behind each: samples */
	PART_STACK_ENDS,
	PART_VIOLATIONS,
	PART_FUNCTION,  /* none, or that which is looked at, and then: */
	PART_ADDRESSES, /* behind each: a byte, and when that is 1 its counters */
	PART_CODE,      /* none or one, and then: */
	PART_INSTRUCTIONS,
	PART_LINES,
	PARTS
};

struct block_head {
	uint64_t format; /* layout_format() */
	uint64_t bytes;  /* of the whole block */
	uint64_t frames; /* frame_table_id() of the writer's: what numbers of functions mean */
	uint64_t text_bytes;
	uint64_t counts[PARTS];
};

/* A function as a block has it, without its address, which no viewer needs.  Texts of the frame table. */
struct block_frame {
	uint32_t number; /* in the writer's frame table */
	uint32_t object;
	const char *raw, *object_path, *object_name;
	const char *file; /* of its source; NULL: not known */
	uint32_t line;
	uint8_t flags, named_by;
};

#define BLOCK_EVENTS_MAX 1024u /* far more than any source measures */

extern const struct fields layout_snapshot; /* its members that are no arrays */
extern const struct fields layout_parts[PARTS];

/* Differs between builds of ptop whose rows differ. */
uint64_t layout_format(void);

#endif
