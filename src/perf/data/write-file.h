/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_FILE_H
#define PTOP_PERF_DATA_WRITE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "perf/data/write-head.h"

/*
 * One file of a recording, on its disk.  Between two calls it is a whole recording: header, records,
 * and the table behind them say the same, so that whatever kills ptop leaves a file that can be
 * read.  Only between the steps of one call there is no table, and the header says so.
 */
struct write_file {
	int fd;                        /* owned */
	const struct write_head *head; /* borrowed */
	struct write_state state;
};

/* Empties the file FD, which must be regular, and takes it.  0 or a negative errno (FD is taken). */
int write_file_begin(struct write_file *f, int fd, const struct write_head *head);

/*
 * HEAD, which is as large, takes the place of the head that F has: the file describes more events.  0
 * or a negative errno.
 */
int write_file_renew(struct write_file *f, const struct write_head *head);

/* Records to be added, and what becomes known with them. */
struct write_piece {
	const void *bytes; /* whole records, one behind the other */
	size_t size;
	uint64_t first_ns, last_ns; /* times of the samples in it; 0: none */
};

/*
 * Adds records.  0; or a negative errno, and then the file holds those for which there was room, and
 * is as whole as before.  Nothing can be added after that.
 */
int write_file_append(struct write_file *f, const struct write_piece *piece);

/*
 * Adds SIZE bytes of build ids (write_build_id()) and closes the file, which is whole whatever this
 * returns: 0, or a negative errno when there was no room for them.
 */
int write_file_end(struct write_file *f, const void *build_ids, size_t size);

#endif
