/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINES_H
#define PTOP_SYMBOL_LINES_H

#include <stdint.h>

#include "symbol/dso.h"
#include "symbol/line-request.h"

/*
 * Source lines, inline frames and code, on request.  A thread of its own reads them, so that
 * neither the screen nor the loading of symbols waits for debugging information, which may be
 * hundreds of megabytes.  The last requested objects stay in memory.
 *
 * One thread, the owner, calls the functions below.  An object is given by a copy of its key, as
 * from dso_describe(); its `path` must live until the answer, or the end.
 */
struct lines;

struct lines *lines_new(const struct lines_options *options);

/* Ends the thread; waits two seconds at most, as dso_cache_free() does. */
void lines_free(struct lines *l); /* NULL is allowed */

/* Asks; never waits.  Returns the id of the coming answer, never 0. */
uint64_t lines_ask(struct lines *l, const struct lines_request *request);

uint64_t lines_cpu_ns(const struct lines *l); /* CPU time of its thread */

/* A descriptor for poll, readable when there is an answer. */
int lines_fd(const struct lines *l);

/* Returns the next answer, owned by the caller with all that it points to, or NULL. */
struct lines_answer *lines_take(struct lines *l);
void lines_answer_free(struct lines_answer *a); /* NULL is allowed */

#endif
