/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_TRACE_H
#define PTOP_PERF_DATA_WRITE_TRACE_H

#include <stdbool.h>

#include "base/buf.h"
#include "perf/event/evlist.h"

/*
 * The section of a recording that describes its tracepoints: without it perf refuses the file.  It has
 * the layout of trace-cmd's files, version 0.6 (Documentation/trace-cmd/trace-cmd.dat.v6.5.txt there),
 * of which the parts that no sample needs are empty.
 *
 * Adds it to B for the tracepoints among the events of L that are WANTED (one for each event).  False, and nothing added,
 * when there are none or their formats cannot be read.
 */
bool write_trace(struct buf *b, const struct evlist *l, const bool *wanted);

#endif
