/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jitrecord.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define MAGIC 0x4a695444u /* "JiTD" */
#define DUMP_VERSION 1u
#define HEADER_BYTES 40u
#define RECORD_BYTES 16u
#define CHUNK_BYTES (256u * 1024)

void jitreader_restart(struct jitreader *r)
{
	*r = (struct jitreader){ 0 };
}

static uint64_t end_dump(struct jitreader *r)
{
	r->ended = true;
	return 0;
}

/* Magic, version, size of the header, machine, padding, pid, timestamp, flags. */
static uint64_t read_header(struct jitreader *r, const void *bytes, size_t size, uint64_t left)
{
	struct bytes b = bytes_of(bytes, size);
	uint32_t magic, header_size;

	if (size < HEADER_BYTES)
		return 0;
	magic = bytes_u32(&b);
	r->swap = b.swap = magic != MAGIC;
	if ((b.swap ? __builtin_bswap32(magic) : magic) != MAGIC || bytes_u32(&b) != DUMP_VERSION)
		return end_dump(r);
	header_size = bytes_u32(&b);
	if (header_size < HEADER_BYTES)
		return end_dump(r);
	if (header_size > left)
		return 0;
	r->machine = (uint16_t)bytes_u32(&b);
	r->begun = true;
	return header_size;
}

static uint64_t read_record(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			    struct jitrecord *record)
{
	struct bytes b = bytes_of(bytes, size);
	uint32_t type, record_size;

	b.swap = r->swap;
	if (size < RECORD_BYTES)
		return 0;
	type = bytes_u32(&b);
	record_size = bytes_u32(&b);
	if (record_size < RECORD_BYTES || type == JIT_CODE_CLOSE)
		return end_dump(r);
	if (record_size > left || (size < record_size && size < JITRECORD_BYTES))
		return 0;
	bytes_take(&b, 8);
	record->type = type <= INT32_MAX ? (int)type : INT32_MAX;
	record->body_size = record_size - RECORD_BYTES;
	record->body_offset = r->offset + RECORD_BYTES;
	if (b.left > record->body_size)
		b.left = record->body_size;
	record->body = b;
	return record_size;
}

uint64_t jitreader_next(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			struct jitrecord *record)
{
	uint64_t step;

	*record = (struct jitrecord){ .type = JIT_HEADER };
	if (r->ended)
		return 0;
	step = r->begun ? read_record(r, bytes, size, left, record)
			: read_header(r, bytes, size, left);
	r->offset += step;
	return step;
}

uint64_t jitreader_parse(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			 jitrecord_take *take, void *context)
{
	uint64_t used = 0, step;
	struct jitrecord record;

	while (used < size) {
		step = jitreader_next(r, (const unsigned char *)bytes + used, size - used,
				      left - used, &record);
		if (!step)
			break;
		take(context, &record);
		used += step;
	}
	return used;
}

void jitreader_read(struct jitreader *r, struct load *l, int fd, uint64_t size,
		    jitrecord_take *take, void *context)
{
	unsigned char *chunk = mem_alloc(CHUNK_BYTES);

	while (r->offset < size && !load_checkpoint(l)) {
		uint64_t offset = r->offset;
		ssize_t n = pread(fd, chunk, CHUNK_BYTES, (off_t)offset);

		if (n <= 0 || !jitreader_parse(r, chunk, (size_t)n, size - offset, take, context))
			break; /* an unfinished record */
	}
	free(chunk);
}

bool jitrecord_load(struct jitrecord *record, struct jitload *load)
{
	struct bytes *b = &record->body;
	const unsigned char *body = b->at;

	bytes_take(b, 4 + 4 + 8);
	load->address = bytes_u64(b);
	load->size = bytes_u64(b);
	load->index = bytes_u64(b);
	load->name = (const char *)b->at;
	load->name_size = strnlen(load->name, b->left);
	load->head = (uint64_t)(b->at - body) + load->name_size + 1;
	return !b->failed && load->name_size && load->name_size < b->left;
}

bool jitrecord_move(struct jitrecord *record, struct jitmove *move)
{
	struct bytes *b = &record->body;

	bytes_take(b, 4 + 4 + 8);
	move->from = bytes_u64(b);
	move->to = bytes_u64(b);
	move->size = bytes_u64(b);
	move->index = bytes_u64(b);
	return !b->failed;
}
