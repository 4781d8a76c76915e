/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_INPUT_H
#define PTOP_PERF_DATA_FILE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of a recording, in order, whether they are read or decompressed.  They lie in blocks of
 * a fixed size; a record is never cut by a block's end, and stays where it is as long as somebody
 * holds its block.  So a recording of any size takes as much memory as waits to be put in order.
 *
 * Read, not mapped: a file that is cut short meanwhile ends early, and raises no SIGBUS.  Inside
 * perf/ only.
 */
#define FILE_RECORD_MAX 65536u /* a record's size has 16 bits */

struct file_block {
	size_t users;             /* queued records, and the input that fills it */
	struct file_input *input; /* whose it is */
	struct file_block *next;  /* in the list of free ones */
	unsigned char bytes[];
};

struct file_input {
	struct file_block *block; /* being filled; NULL before the first bytes */
	size_t at, end;           /* what it has that was not taken */
	uint64_t offset;          /* bytes taken, all together */
	bool lost;                /* for the owner: what comes next is not known to be a record */
	struct file_block *free_blocks;
};

void file_input_fini(struct file_input *in); /* after all blocks were released */

/* Room for at least one record behind what is there, and how much in *SIZE; then put what came. */
unsigned char *file_input_room(struct file_input *in, size_t *size);
void file_input_put(struct file_input *in, size_t size);

static inline size_t file_input_left(const struct file_input *in)
{
	return in->end - in->at;
}

/* The next bytes, of which file_input_left() are there.  They stay while the block is held. */
static inline const unsigned char *file_input_peek(const struct file_input *in)
{
	return in->block->bytes + in->at;
}

static inline void file_input_take(struct file_input *in, size_t size)
{
	in->at += size;
	in->offset += size;
}

static inline struct file_block *file_block_hold(struct file_block *b)
{
	b->users++;
	return b;
}

void file_block_free(struct file_block *b); /* for the next function alone */

static inline void file_block_release(struct file_block *b)
{
	if (--b->users == 0)
		file_block_free(b);
}

#endif
