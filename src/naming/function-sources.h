/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_FUNCTION_SOURCES_H
#define PTOP_NAMING_FUNCTION_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/frame.h"
#include "profile/histogram.h"
#include "symbol/dso.h"
#include "symbol/lines.h"

/*
 * Where the functions of a profile are declared, for a column that a person asked for: debugging
 * information tells (lines.h), and frame_source() has it from then on.  Each function is asked for
 * once; what is inlined has its source already.
 */
struct sources;

struct sources_options {
	struct lines *lines; /* all borrowed */
	struct dso_cache *objects;
	struct frame_table *frames;
};

struct sources *sources_new(const struct sources_options *options);
void sources_free(struct sources *s); /* NULL is allowed */

/*
 * Asks for the heaviest functions of H that were not asked for, at most LIMIT; 0: for all of them.  H
 * has no placeholders; a frame without a name is asked for when it has one.
 */
void sources_ask(struct sources *s, const struct histogram *h, size_t limit);

/* Takes what is in A; false when that was not asked here. */
bool sources_answer(struct sources *s, const struct lines_answer *a);

size_t sources_waiting(const struct sources *s); /* functions without an answer yet */

#endif
