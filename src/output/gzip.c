/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"

#define GZIP_WINDOW (15 + 16) /* the largest, with gzip's header */
#define GZIP_MEMORY 8         /* zlib's default */

struct gzip {
	z_stream stream;
	struct buf *out;
};

/* FLUSH is zlib's.  It cannot fail, because the output always has room. */
static void compress_piece(struct gzip *g, const void *bytes, size_t size, int flush)
{
	uint8_t piece[4096];

	g->stream.next_in = (uint8_t *)bytes;
	g->stream.avail_in = (uInt)size;
	do {
		g->stream.next_out = piece;
		g->stream.avail_out = sizeof(piece);
		deflate(&g->stream, flush);
		buf_add(g->out, piece, sizeof(piece) - g->stream.avail_out);
	} while (!g->stream.avail_out);
}

struct gzip *gzip_open(struct buf *out)
{
	struct gzip *g = mem_alloc(sizeof(*g));

	g->out = out;
	if (deflateInit2(&g->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return g;
	free(g);
	return NULL;
}

void gzip_write(struct gzip *g, const void *bytes, size_t size)
{
	compress_piece(g, bytes, size, Z_NO_FLUSH);
}

void gzip_close(struct gzip *g)
{
	compress_piece(g, NULL, 0, Z_FINISH);
	deflateEnd(&g->stream);
	free(g);
}
