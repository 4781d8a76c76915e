/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_SINK_H
#define PTOP_APP_SINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"
#include "output/output.h"

/*
 * Where snapshots are written to.  The format decides what a second snapshot does, see enum
 * output_series.  A file that a shell opened with `>` is a file too; one that it opened with `>>`
 * counts as a pipe.
 */
struct sink {
	int fd;           /* -1: nowhere */
	const char *name; /* for messages */
	const struct output_format *format;
	bool begun;  /* something was written: no titles any more */
	bool file;   /* what was written can be replaced, */
	off_t start; /* from here on, */
	char *path;  /* or, when this is not NULL, by a new file; owned */
	mode_t mode; /* of the new file */
};

/* The format that the options choose, by its name or the file's; "text" by default. */
const struct output_format *sink_format(const struct options *o);

/* By the options: their file, or standard output.  0, or -1 with ERR set. */
int sink_open(struct sink *k, const struct options *o, struct error *err);
void sink_close(struct sink *k);

/*
 * Empties the file that -o names, unless it is replaced as a whole.  Call it before the first line
 * is written, so that a run that cannot start leaves an older file as it was.  Returns 0, or -1
 * with ERR set.
 */
int sink_begin(struct sink *k, const struct options *o, struct error *err);

/* Returns true if the sink takes only one snapshot, which must be the last. */
bool sink_takes_last(const struct sink *k);

/* One snapshot's bytes.  0, 1 when the reader has gone, -1 with ERR set. */
int sink_write(struct sink *k, const struct buf *snapshot, struct error *err);

#endif
