/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_STACKS_H
#define PTOP_OUTPUT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/snapshot.h"

/*
 * The samples as stacks with values: what the profile formats (folded, pprof, firefox, speedscope)
 * write.
 *
 * A stack of a thread appears once, with the values of all sampled events.  The stacks of a thread
 * are adjacent, and so are the threads of a process.  Without -g a stack is the one frame of a
 * histogram's cell.  Limits and filters are for tables: all samples are here.
 *
 * Values are whole numbers; the weights of a histogram with decay are not.  The rounding error of
 * one stack is added to the next, so a column adds up to the snapshot's sum, rounded.
 */
struct stack_column {
	const char *name; /* "samples", "cpu", "page-faults"; raw bytes */
	const char *unit; /* "count" or "nanoseconds" */
	uint16_t event;   /* index in the snapshot */
	bool period;      /* sum of the samples' periods; else their number */
};

struct stack {
	uint32_t process;       /* serial */
	uint32_t pid, tid;      /* both 0: the idle task, or the merged rest of many */
	const char *comm;       /* of the process; raw bytes, "" unknown */
	const uint32_t *frames; /* numbers of the snapshot's frame table, the leaf first */
	size_t depth;           /* at least 1 */
	const int64_t *values;  /* one a column; at least one is not 0 */
};

/* Returns true for the merged rest of many processes. */
bool stack_is_shared(const struct stack *stack);

/*
 * Inlined functions share the location of the function around them: the first frame from AT on that is not inlined.  Returns how
 * many frames the location has, at least 1.  *KEY tells locations apart: the frame's own number, or one made of the list.
 */
size_t stack_location(const struct snapshot *s, const struct stack *stack, size_t at,
		      uint64_t *key);

struct stacks;

/* S is borrowed and must outlive the walk. */
struct stacks *stacks_new(const struct snapshot *s);
void stacks_free(struct stacks *t); /* NULL is allowed */

/*
 * The columns: samples, then period, for each sampled event, in the order of the events.  COUNT may
 * be 0.  Borrowed.
 */
const struct stack_column *stacks_columns(const struct stacks *t, size_t *count);

/* The column of EVENT's samples or periods; -1 if there is none. */
int stacks_column_find(const struct stacks *t, int event, bool period);

/* The next stack, valid until the next call.  Returns false at the end. */
bool stacks_next(struct stacks *t, struct stack *stack);

#endif
