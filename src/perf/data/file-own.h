/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_OWN_H
#define PTOP_PERF_DATA_FILE_OWN_H

#include "base/buf.h"
#include "perf/data/file-header.h"

/*
 * Records of perf itself, which it writes among the kernel's: enum perf_user_event_type in
 * tools/lib/perf/include/perf/event.h.  Facts about the recording go to the header.  The caller
 * handles the order and the bytes of records.  Inside perf/ only.
 */
#define FILE_OWN_FIRST 64u /* types from here up are perf's own */

enum file_own_type { FILE_OWN_COMPRESSED = 81, FILE_OWN_COMPRESSED2 = 83 };

struct file_own {
	struct file_header *header; /* borrowed */
	uint64_t unused[256];       /* records that were passed over: by type - FILE_OWN_FIRST */
};

/* The work that the caller has left to do with a record. */
struct file_own_rest {
	bool round;              /* perf went once round all buffers */
	struct bytes compressed; /* records; `at` NULL: none */
	uint64_t behind;         /* so many bytes follow the record that are no records */
};

/*
 * Reads the record B, header first, of a TYPE from FILE_OWN_FIRST up.  DECOMPRESSED: it was compressed, where
 * some types make no sense.
 */
struct file_own_rest file_own_read(struct file_own *own, uint32_t type, struct bytes b,
				   bool decompressed);

/* Adds to B what was passed over: "3 AUXTRACE, 1 STAT". */
void file_own_list_unused(const struct file_own *own, struct buf *b);

#endif
