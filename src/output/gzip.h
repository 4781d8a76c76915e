/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_GZIP_H
#define PTOP_OUTPUT_GZIP_H

#include <stddef.h>

#include "base/buf.h"

/* Compression as gzip (RFC 1952).  Builds without zlib have none of it. */
struct gzip;

/* Appends to OUT, borrowed, until it is closed.  NULL if there is no memory. */
struct gzip *gzip_open(struct buf *out);
void gzip_write(struct gzip *g, const void *bytes, size_t size);
void gzip_close(struct gzip *g);

#endif
