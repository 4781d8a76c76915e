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
 * into bytes.  output_write() writes them; it handles full disks and closed pipes.
 */
struct output_request {
	struct view *view; /* the rows and their order; holds the snapshot */
	const char *table; /* csv: see output_table_known(); NULL: the view's */
	bool first;        /* the output's first snapshot: write titles */
};

/* One sample, for a format of samples.  Texts are raw bytes. */
struct output_sample {
	uint64_t time_ns; /* the recording's clock, or CLOCK_MONOTONIC */
	const char *comm; /* of the thread; "" unknown */
	uint32_t pid, tid, cpu;
	const char *event;
	uint64_t period, address;
	const char *symbol; /* "[unknown]" if it has no name; OFFSET is then void */
	bool named;
	uint64_t offset;    /* bytes from the start of the symbol */
	const char *object; /* full path */
};

/* How several snapshots form one output. */
enum output_series {
	SERIES_FOLLOW,  /* each is appended to the one before */
	SERIES_REPLACE, /* the same on a pipe; in a file each replaces the one before */
	SERIES_LAST, /* in a file likewise; two are no document: a pipe gets the last one alone */
};

struct output_format {
	const char *name;       /* as for --format */
	const char *extensions; /* of -o FILE: ".json .jsonl"; "" none; the longest that
					 * fits decides among formats */
	const char *help;       /* N_() */
	enum output_series series;
	/* Appends a snapshot; NULL in a format of samples. */
	int (*write)(struct buf *out, const struct output_request *request, struct error *err);
	/* Appends one sample; NULL in the others. */
	void (*sample)(struct buf *out, const struct output_sample *sample);
	/*
	 * SAMPLE prints no texts, so it works without a recording (-i), where symbols would come
	 * too late.
	 */
	bool address_alone;
	bool screen; /* ended processes have the same rows as on the screen */
	bool stacks; /* shows stacks, even without -g if a recording has some */
};

extern const struct output_format output_formats[]; /* ends with a row whose name is NULL */

bool output_table_known(const char *name); /* --table can choose it */

const struct output_format *output_format_find(const char *name);    /* or NULL */
const struct output_format *output_format_of_file(const char *path); /* by extension, or NULL */

/*
 * Writes all of B to FD, and waits for a reader that is slow.  Returns 0; 1 if the reader has gone (EPIPE),
 * or takes nothing for half a second after SIGINT, SIGTERM or SIGHUP (blocked, see app/signals.h): end
 * quietly; or -1 with ERR naming NAME and the reason.
 */
int output_write(int fd, const char *name, const struct buf *b, struct error *err);

/*
 * Makes B the content of the file PATH in one step: readers see the old content or the new.  PATH
 * must be no symbolic link, because the link itself would be replaced.  MODE gives the permissions
 * of the new file.  With SYNC the content is on the disk on return.  Returns 0, or -1 with ERR set.
 */
int output_replace(const char *path, const struct buf *b, mode_t mode, bool sync,
		   struct error *err);

#endif
