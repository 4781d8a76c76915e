/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_FETCH_H
#define PTOP_SYMBOL_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Debug files from a server (debuginfod(8)), by build id, through libdebuginfod, which is opened on
 * the first use: it brings libcurl and what that needs.  Only where DEBUGINFOD_URLS says so; its
 * other variables, and its cache of files, are as in debuginfod_find_debuginfo(3).
 */
#define FETCH_BYTES_MAX (2ull << 30)	/* a larger file is not fetched */

/* True when DEBUGINFOD_URLS names a server, and ptop was not built without debuginfod. */
bool fetch_is_wanted(void);

struct fetch_request {
	const uint8_t *build_id;
	size_t build_id_size;
	/* Asked about once a second; true: give up.  NULL: never. */
	bool (*checkpoint)(void *context);
	void *context;
};

/*
 * Waits for it, as long as it takes: for a thread of its own.  A descriptor, open for reading; -1
 * with ERR saying why.
 */
int fetch_debug_file(const struct fetch_request *r, struct error *err);

/* Likewise a file of source text, by the absolute path that debugging information has. */
int fetch_source_file(const struct fetch_request *r, const char *path, struct error *err);

#endif
