/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CONDITION_H
#define PTOP_VIEW_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "view/view.h"

/*
 * A condition that a person writes about the rows of any list, or about the machine, as for --when:
 *
 *   condition = column [ "(" event ")" ] [ "of" name | "pid" number ] comparison number [ unit ]
 *               [ "for" number unit ]
 *   column    = a name as --sort takes it ("%cpu", "cpu", "symbol.overhead%"), or one of machine_columns[]
 *   event     = the event whose samples the rows show, as -e takes it
 *   name      = a word, or anything in double quotes; * and ? as in a shell
 *   comparison = ">" | ">=" | "<" | "<="
 *
 * The rows are those that batch would print, without a limit.  NAME is that of the row: of its text column that
 * no short line leaves out.  The largest row decides where ABOVE is asked, the smallest where BELOW is.  A figure
 * that is absent makes nothing true.
 *
 * It has no clock: time is the sum of the snapshots' intervals.
 */
struct condition;

/*
 * Parses TEXT.  OPTIONS are those of the view that has the columns: a person's own, and the names of events.
 * Returns NULL with ERR set: it names the place, and what would work there.
 */
struct condition *condition_new(const char *text, const struct view_options *options,
				struct error *err);
void condition_free(struct condition *c); /* NULL is allowed */

/* The event in parentheses, to be sampled; NULL: there is none. */
const char *condition_event(const struct condition *c);
/* Owned by C.  It gets each snapshot before condition_look(), and says what must be measured. */
struct view *condition_view(const struct condition *c);
/* The processes whose memory must be read for it; at most MAX, as view_memory_pids(). */
size_t condition_memory_pids(const struct condition *c, uint32_t *pids, size_t max);

enum condition_state {
	CONDITION_FALSE,
	CONDITION_NOT_YET, /* the comparison is true, but not for so long */
	CONDITION_TRUE
};

struct condition_row {
	double number; /* that decided; NAN: no row has one */
	const char
		*name; /* raw bytes, of the snapshot; NULL: the row is the machine's, or has none */
	uint32_t pid;  /* 0: the row is of no process */
};

/*
 * Looks at the snapshot of the view, each once.  Fills *ROW with what decided.  With `for` the comparison must
 * have been true in all intervals of that time, to the nearest refresh.
 */
enum condition_state condition_look(struct condition *c, struct condition_row *row);

/* Appends "%cpu > 90 for 5s: 98.7 (make, pid 12)"; raw bytes. */
void condition_describe(const struct condition *c, const struct condition_row *row,
			struct buf *out);

/* Appends the number of ROW as its column formats it. */
void condition_format(const struct condition *c, const struct condition_row *row, char out[32]);

#endif
