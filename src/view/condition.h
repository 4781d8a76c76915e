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
 *   condition  = all { "or" all }
 *   all        = operand { "and" operand }
 *   operand    = comparison | "(" condition ")"
 *   comparison = column [ "(" event ")" ] [ "of" name | "pid" number ] sign number [ unit ]
 *                [ "for" number unit ]
 *   column     = a name as --sort takes it ("%cpu", "cpu", "symbol.overhead%"), or one of machine_columns[]
 *   event      = the event whose samples the rows show, as -e takes it
 *   name       = a word, or anything in double quotes; * and ? as in a shell
 *   sign       = ">" | ">=" | "<" | "<="
 *
 * The rows are those that batch would print, without a limit.  NAME is that of the row: of its text column that
 * no short line leaves out.  The largest row decides where ABOVE is asked, the smallest where BELOW is.  A figure
 * that is absent makes nothing true.  Each comparison has a row and a time of its own: two of one condition may be
 * about different processes.  There are at most 16 comparisons.
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

size_t condition_count(const struct condition *c); /* comparisons, in the order of the text */
/* The event in parentheses of the comparison I, to be sampled; NULL: there is none. */
const char *condition_event(const struct condition *c, size_t i);
/* The view of the comparison I says what must be measured.  Owned by C. */
const struct view *condition_view(const struct condition *c, size_t i);

/* The processes whose memory must be read for it; at most MAX, as view_memory_pids(). */
size_t condition_memory_pids(const struct condition *c, uint32_t *pids, size_t max);

/* In the order of truth. */
enum condition_state {
	CONDITION_FALSE,
	CONDITION_NOT_YET, /* the comparison is true, but not for so long */
	CONDITION_TRUE
};

struct condition_row {
	double number; /* that decided; NAN: no row has one */
	char text[32]; /* the number as its column formats it; "-": there is none */
	const char
		*name; /* raw bytes, of the snapshot; NULL: the row is the machine's, or has none */
	uint32_t pid;  /* 0: the row is of no process */
	struct view *view; /* of its comparison: the row comes first there */
};

/*
 * Looks at S, at each snapshot once.  Fills *ROW with what decided: of several comparisons that are all true the
 * first one's.  With `for` a comparison must have been true in all intervals of that time, to the nearest refresh.
 * S remains the caller's, and is borrowed until condition_forget().
 */
enum condition_state condition_look(struct condition *c, struct snapshot *s,
				    struct condition_row *row);

/* Rows and names of the last condition_look() are void after it. */
void condition_forget(struct condition *c);

/*
 * Appends "%cpu > 90 for 5s: 98.7 (make, pid 12)" about the last condition_look(), raw bytes.  Several comparisons
 * have a figure each: "%cpu > 90 and psi.io.full > 20: %cpu 98.7 (make, pid 12), psi.io.full 23.1".
 */
void condition_describe(const struct condition *c, struct buf *out);

/* Appends the units, with blanks between, that a number may have which is compared with a column in UNIT. */
void condition_units(const char *unit, struct buf *out);

#endif
