/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_FORMAT_H
#define PTOP_APP_PUSH_FORMAT_H

#include <stdbool.h>

#include "app/push-job.h"
#include "base/buf.h"
#include "base/error.h"

/* A way to push, for --push-format: what goes where, and how. */
struct push_format {
	const char *name;
	const char *output; /* of output_format_find() */
	const char *path;   /* behind the URL */
	bool path_alone;    /* a URL that has a path is taken as it is */
	/*
	 * Each sample goes once.  So the histogram begins at zero with each interval, and there is no screen.  The others
	 * send metrics, as --listen serves them at that moment.
	 */
	bool samples;
	/* Add what stands behind the path, for all intervals and for one.  NULL: the bytes say all. */
	void (*series)(struct buf *url, const char *host, const char *labels);
	void (*interval)(struct buf *url, const struct push_job *job);
	const char *headers[4];
	int (*encode)(const struct buf *plain, struct buf *out); /* 0, or -1; NULL: as it is */
	/* A part of a taken interval that the answer refuses, see otlp_answer_refused(); NULL: nothing. */
	uint64_t (*refused)(const char *bytes, size_t size, char *text, size_t room);
	int (*can)(
		struct error *
			err); /* 0, or -1 with ERR set: this build or machine cannot; may be NULL */
};

extern const struct push_format
	push_formats[]; /* the first is the default; ends with a row without a name */

const struct push_format *push_format_find(const char *name); /* or NULL; NAME NULL: the default */

#endif
