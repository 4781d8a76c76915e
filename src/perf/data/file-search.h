/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_SEARCH_H
#define PTOP_PERF_DATA_FILE_SEARCH_H

#include "perf/data/file-events.h"
#include "perf/data/file-input.h"

/*
 * Finds where records go on behind one whose size cannot be.  Takes bytes from IN, which is `lost`, until
 * what comes next can be a record; then clears `lost`.  NEWEST_NS is the time of the newest record so far, 0
 * unknown.  Returns the number of bytes taken.  Inside perf/ only.
 */
size_t file_search_record(struct file_events *events, uint64_t newest_ns, struct file_input *in);

#endif
