/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_BLOCK_H
#define PTOP_SYMBOL_LINE_BLOCK_H

#include <stdbool.h>

#include "symbol/line-answer.h"

/*
 * An answer of lines.h as bytes that a worker hands over (sealed.h).  Whoever opens them trusts nothing
 * in them: one pass checks each count, offset and text, and copies what is valid.
 */

/* Returns a descriptor that the caller owns, or a negative errno. */
int line_block_write(const struct line_answer *a);

/*
 * Adds the answer to REQUEST in the block FD to A: places from FIRST on, code and instructions if REQUEST
 * wants some.  Returns false, and adds nothing, if it cannot be an answer to that.
 */
bool line_block_read(int fd, const struct lines_request *request, struct line_answer *a,
		     size_t first);

#endif
