/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_FETCH_H
#define PTOP_SYMBOL_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"
#include "base/error.h"

/*
 * Fetches debug files from a server (debuginfod(8)) by build id.  libdebuginfod is opened on the
 * first use, because it brings libcurl and all that needs.
 *
 * Used only if DEBUGINFOD_URLS names a server.  Its other variables, and its cache of files, are as
 * in debuginfod_find_debuginfo(3).
 */
#define FETCH_BYTES_MAX (2ull << 30) /* a larger file is not fetched */

/* Returns true if DEBUGINFOD_URLS names a server and ptop was built with debuginfod. */
bool fetch_is_wanted(void);

struct fetch_request {
	struct build_id build_id;
	/* Called about once a second; true: give up.  NULL: never. */
	bool (*checkpoint)(void *context);
	void *context;
};

/*
 * Fetches the file and waits as long as that takes: for a thread of its own.  Returns a descriptor,
 * open for reading, or -1 with ERR saying why.
 */
int fetch_debug_file(const struct fetch_request *r, struct error *err);

/* The same for a file of source text, by its absolute path in the debugging information. */
int fetch_source_file(const struct fetch_request *r, const char *path, struct error *err);

#endif
