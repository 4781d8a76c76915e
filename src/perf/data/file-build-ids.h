/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_BUILD_IDS_H
#define PTOP_PERF_DATA_FILE_BUILD_IDS_H

#include "base/build-id.h"
#include "base/bytes.h"
#include "base/hash.h"

/* The build ids that a recording's header has, by path.  Zeroed: none.  Inside perf/ only. */
struct file_build_ids {
	struct map by_hash; /* of a path */
};

void file_build_ids_fini(struct file_build_ids *ids);

/* Adds what one record HEADER_BUILD_ID, header first, says.  Sets B's `failed` if it is cut short. */
void file_build_ids_add(struct file_build_ids *ids, struct bytes *b);

/* Adds a row of such records. */
void file_build_ids_add_all(struct file_build_ids *ids, struct bytes *b);

/* Returns the build id of PATH, borrowed, or NULL. */
const struct build_id *file_build_ids_find(const struct file_build_ids *ids, const char *path);

#endif
