/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-compress.h"

#ifdef HAVE_ZSTD
#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"

struct decompressor {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
};

struct decompressor *decompressor_new(void)
{
	struct decompressor *d = mem_alloc(sizeof(*d));

	d->stream = ZSTD_createDStream();
	if (d->stream)
		return d;
	decompressor_free(d);
	return NULL;
}

void decompressor_free(struct decompressor *d)
{
	if (!d)
		return;
	ZSTD_freeDStream(d->stream);
	free(d);
}

void decompressor_feed(struct decompressor *d, const void *bytes, size_t size)
{
	d->in = (ZSTD_inBuffer){ .src = bytes, .size = size };
}

size_t decompressor_next(struct decompressor *d, void *out, size_t size)
{
	ZSTD_outBuffer to = { .dst = out, .size = size };
	size_t result = 1;

	/* Output may still come from what it holds when all input was taken. */
	while (!to.pos) {
		size_t before = d->in.pos;

		result = ZSTD_decompressStream(d->stream, &to, &d->in);
		if (ZSTD_isError(result))
			return (size_t)-1;
		if (!to.pos && d->in.pos == before)
			break;
	}
	return to.pos;
}

#else

struct decompressor *decompressor_new(void)
{
	return NULL;
}

void decompressor_free(struct decompressor *d)
{
	(void)d;
}

void decompressor_feed(struct decompressor *d, const void *bytes, size_t size)
{
	(void)d;
	(void)bytes;
	(void)size;
}

size_t decompressor_next(struct decompressor *d, void *out, size_t size)
{
	(void)d;
	(void)out;
	(void)size;
	return (size_t)-1;
}
#endif
