/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-input.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Small enough for the second level cache: a record is looked at soon after it was read. */
#define BLOCK_BYTES (256u * 1024)

static struct file_block *block_new(struct file_input *in)
{
	struct file_block *b = in->free_blocks;

	if (b)
		in->free_blocks = b->next;
	else
		b = mem_alloc(sizeof(*b) + BLOCK_BYTES);
	b->users = 1;
	b->input = in;
	return b;
}

void file_block_free(struct file_block *b)
{
	b->next = b->input->free_blocks;
	b->input->free_blocks = b;
}

void file_input_fini(struct file_input *in)
{
	struct file_block *b;

	if (in->block)
		file_block_release(in->block);
	while ((b = in->free_blocks)) {
		in->free_blocks = b->next;
		free(b);
	}
	*in = (struct file_input){ 0 };
}

unsigned char *file_input_room(struct file_input *in, size_t *size)
{
	struct file_block *old = in->block;

	if (!old || BLOCK_BYTES - in->end < FILE_RECORD_MAX) {
		size_t left = file_input_left(in);

		in->block = block_new(in);
		if (old) {
			memcpy(in->block->bytes, old->bytes + in->at, left);
			file_block_release(old);
		}
		in->at = 0;
		in->end = left;
	}
	*size = BLOCK_BYTES - in->end;
	return in->block->bytes + in->end;
}

void file_input_put(struct file_input *in, size_t size)
{
	in->end += size;
}
