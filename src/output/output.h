/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_OUTPUT_H
#define PTOP_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "profile/snapshot.h"
#include "view/view.h"

/*
 * Batch formats: one file each, one row each in output_formats[].  A format turns the view's rows
 * into bytes; writing them is output_write()'s, which knows about full disks and closed pipes.
 */
struct output_request {
	struct view *view;		/* which rows, in which order; holds the snapshot */
	const char *table;		/* csv: see output_table_known(); NULL: that of the view */
	bool first;			/* the first snapshot of this output: titles are due */
};

/* One sample, for a format of samples.  Texts are raw bytes. */
struct output_sample {
	uint64_t time_ns;		/* of the recording's clock, or CLOCK_MONOTONIC */
	const char *comm;		/* of the thread; "" unknown */
	uint32_t pid, tid, cpu;
	const char *event;
	uint64_t period, address;
	const char *symbol;		/* "[unknown]" when it has no name, and then no OFFSET */
	bool named;
	uint64_t offset;		/* bytes behind the start of the symbol */
	const char *object;		/* full path */
};

/* How the snapshots of one output go together. */
enum output_series {
	SERIES_FOLLOW,	/* each is written behind the one before */
	SERIES_REPLACE,	/* on a pipe likewise; in a file each takes the place of the one before */
	SERIES_LAST,	/* in a file likewise; two are no document: a pipe gets the last one alone */
};

struct output_format {
	const char *name;		/* of --format */
	const char *extensions;		/* of -o FILE: ".json .jsonl"; "" none; the longest that
					 * fits decides among formats */
	const char *help;		/* N_() */
	enum output_series series;
	/* Of a snapshot; NULL in a format of samples. */
	int (*write)(struct buf *out, const struct output_request *request, struct error *err);
	/* Of one sample, which it appends; NULL in the others. */
	void (*sample)(struct buf *out, const struct output_sample *sample);
	/*
	 * SAMPLE prints no texts: it can do without a recording (-i), where symbols would be known
	 * too late.
	 */
	bool address_alone;
	bool stacks;			/* it is of stacks: of a recording that has some, unasked */
};

extern const struct output_format output_formats[];	/* ends with a row whose name is NULL */

bool output_table_known(const char *name);	/* --table can choose it */

const struct output_format *output_format_find(const char *name);	/* or NULL */
const struct output_format *output_format_of_file(const char *path);	/* by extension, or NULL */

/*
 * Writes all of B to FD, waiting where FD does not block.  0; 1 when the reader has gone (EPIPE: end
 * quietly); -1 with ERR naming NAME and the reason.
 */
int output_write(int fd, const char *name, const struct buf *b, struct error *err);

/*
 * Makes B the content of the file PATH in one step: readers see the old or the new one.  PATH must
 * be no symbolic link, which would be replaced itself.  MODE are the permissions of the new file.
 * With SYNC it is on the disk when this returns.  0, or -1 with ERR set.
 */
int output_replace(const char *path, const struct buf *b, mode_t mode, bool sync,
		   struct error *err);

#endif
