/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_PARTS_H
#define PTOP_PERF_DATA_FILE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/data/file-compress.h"
#include "perf/data/file-input.h"

/*
 * The files of a recording: one, or those in the directory that `perf record --threads` makes (tools/perf/
 * Documentation/perf.data-directory-format.txt).  There `data` is as any recording and has what perf itself
 * tells; `data.0`, `data.1`, … hold the buffer of one CPU each and nothing else.  `perf record --kcore` makes
 * a directory with `data` alone, and `kcore_dir` with copies of the kernel's lists and code.
 *
 * Files of threads have no FINISHED_ROUNDs.  A buffer is in order but for what an interrupt wrote before
 * what it interrupted; so the files are merged as they are read, and little waits.  Only buffers that were
 * written from the end are not: their records wait as in a recording without marks.  Inside perf/ only.
 */
struct file_part {
	int fd;
	bool seekable;
	bool ended;                   /* there is no more to read */
	uint64_t size;                /* of a regular file; else 0 */
	uint64_t records_at;          /* byte of the file with the first record */
	uint64_t left;                /* bytes of records still to be read; UINT64_MAX unknown */
	uint64_t skip;                /* bytes behind a record that are no records */
	uint64_t newest_ns;           /* time of the newest record that was taken */
	struct file_input raw, plain; /* as in the file; decompressed */
	struct decompressor *decompressor;
};

struct file_parts {
	struct file_part *items; /* the first one has the header; owned, and they never move */
	size_t count;
};

/*
 * Opens the file or the directory PATH; "-" is the standard input.  Returns 0, or -1 with ERR set; close
 * PARTS in both cases.
 */
int file_parts_open(struct file_parts *parts, const char *path, struct error *err);
void file_parts_close(struct file_parts *parts);

/* Frees what only reading needs.  No block of P's inputs may be held any more. */
void file_part_release(struct file_part *p);

/* Returns the part to be read next: the one that was read up to the oldest time.  NULL if all have ended. */
struct file_part *file_parts_next(const struct file_parts *parts);

/*
 * Returns the time up to which all records of files in order were taken, or 0 while that is unknown.
 */
uint64_t file_parts_whole_ns(const struct file_parts *parts);

/* Returns the `kcore_dir` beside the `data` in the directory PATH, owned by the caller; NULL if it has none. */
char *file_parts_kernel_copy(const char *path);

#endif
