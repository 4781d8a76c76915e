/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_PPROF_H
#define PTOP_OUTPUT_PPROF_H

#include "output/format.h"

/*
 * Appends the snapshot as a pprof, compressed by gzip.  TYPE_NAME changes the name of a sample type in its place to one that the
 * reader takes; NULL: each may stay.  Returns 0, or -1 with ERR set.  Builds without protobuf-c have none of it.
 */
int pprof_make(struct buf *out, const struct output_request *request, void (*type_name)(char *name),
	       struct error *err);

#endif
