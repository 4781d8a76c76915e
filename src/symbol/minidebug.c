/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/minidebug.h"

#ifdef HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbol/object.h"

#define PACKED_MAX (64u << 20)
#define MEMORY_MAX (128ull << 20) /* of the decoder: a stream may ask for 4 GiB */
#define CHUNK_BYTES 65536u

/* Decodes up to the end of STREAM into the CHUNK_BYTES of FD from AT on, which it grows by. */
static lzma_ret unpack_chunk(lzma_stream *stream, int fd, off_t at)
{
	uint8_t *chunk;
	lzma_ret result;

	if (ftruncate(fd, at + CHUNK_BYTES) < 0)
		return LZMA_MEM_ERROR;
	chunk = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (chunk == MAP_FAILED)
		return LZMA_MEM_ERROR;
	stream->next_out = chunk;
	stream->avail_out = CHUNK_BYTES;
	result = lzma_code(stream, LZMA_FINISH);
	munmap(chunk, CHUNK_BYTES);
	return result == LZMA_OK && stream->avail_out ? LZMA_DATA_ERROR : result;
}

/*
 * Decodes the input of STREAM into FD, through memory: a worker may not write(2).  Returns true if it
 * reached its end.
 */
static bool unpack(struct load *l, lzma_stream *stream, int fd)
{
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK && stream->total_out <= MINIDEBUG_BYTES_MAX &&
	       !load_checkpoint(l)) {
		if (!allowance_take(l->object->allowance, CHUNK_BYTES))
			break;
		result = unpack_chunk(stream, fd, (off_t)stream->total_out);
	}
	return result == LZMA_STREAM_END && !ftruncate(fd, (off_t)stream->total_out);
}

static int unpack_file(struct load *l, const void *packed, size_t size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int fd = memfd_create("ptop-minidebug", MFD_CLOEXEC);
	bool whole;

	if (fd < 0)
		return -1;
	stream.next_in = packed;
	stream.avail_in = size;
	whole = lzma_stream_decoder(&stream, MEMORY_MAX, 0) == LZMA_OK && unpack(l, &stream, fd);
	lzma_end(&stream);
	if (whole)
		return fd;
	close(fd);
	return -1;
}

struct object *minidebug_open(struct load *l)
{
	GElf_Shdr header;
	void *packed;
	size_t size;
	int fd;

	if (!object_section(l->object, ".gnu_debugdata", SHT_PROGBITS, &header))
		return NULL;
	packed = object_section_bytes(l->object, &header, PACKED_MAX, &size);
	fd = packed ? unpack_file(l, packed, size) : -1;
	free(packed);
	return object_new_elf(fd);
}
#else
struct object *minidebug_open(struct load *l)
{
	(void)l;
	return NULL;
}
#endif
