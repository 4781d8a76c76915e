/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_COMPRESS_H
#define PTOP_PERF_DATA_FILE_COMPRESS_H

#include <stddef.h>

/*
 * Expands recordings of `perf record -z`.  The pieces in the file's COMPRESSED records are one
 * stream of Zstandard (RFC 8878), whose content is records again.  Without libzstd there is none.
 * Inside perf/ only.
 */
struct decompressor;

struct decompressor *decompressor_new(void);    /* NULL: not built in, or no memory */
void decompressor_free(struct decompressor *d); /* NULL is allowed */

/* The next piece of the stream; borrowed until it is used up. */
void decompressor_feed(struct decompressor *d, const void *bytes, size_t size);

/*
 * At most SIZE bytes more into OUT: how many, 0 when the piece is used up; (size_t)-1 when it is
 * no Zstandard.
 */
size_t decompressor_next(struct decompressor *d, void *out, size_t size);

#endif
