/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_HEADER_H
#define PTOP_PERF_DATA_FILE_HEADER_H

#include "base/bytes.h"
#include "perf/data/file-build-ids.h"
#include "perf/data/file-damage.h"
#include "perf/data/file-events.h"
#include "perf/data/file-parts.h"
#include "perf/record/source.h"

/*
 * The parts of a recording around its records: magic, events and features
 * (tools/perf/Documentation/perf.data-file-format.txt).  A recording in pipe layout has most of it
 * as records (file-own.h).  Inside perf/ only.
 */
struct file_header {
	struct file_part *part;         /* the file with the header; borrowed */
	struct file_events *events;     /* borrowed */
	struct source_machine *machine; /* borrowed; its texts are set */
	struct file_damage *damage;     /* borrowed */
	struct file_build_ids build_ids;
	bool stream; /* pipe layout */
};

/*
 * Reads the header and sets PART to where its records begin.  Returns 0, or -1 with ERR set if it is no
 * recording of perf.
 */
int file_header_read(struct file_header *h, struct error *err);

/* Reads the content B of a feature.  One that is not used is passed over. */
void file_header_read_feature(struct file_header *h, uint64_t feature, struct bytes b);

#endif
