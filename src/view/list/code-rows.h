/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CODE_ROWS_H
#define PTOP_VIEW_LIST_CODE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/code.h"
#include "view/widget/arrows.h"
#include "view/widget/column.h"
#include "view/list/rows.h"

/*
 * The function that is looked at as rows: its instructions, or, where they are not known, the
 * addresses that were sampled; and its source lines.  What is counted are the samples that the same
 * filters let pass as symbols have.  Shares are of the function's period, as perf annotate has them.
 */
enum code_mode {
	CODE_BOTH, /* each line in front of its instructions; it sums these */
	CODE_INSTRUCTIONS,
	CODE_LINES, /* lines alone, each once: sums over the function */
	CODE_MODES
};

struct code_row {
	const struct code_instruction *instruction; /* NULL: of a line, or not known */
	const struct code_line *line; /* that the row is of, or its instruction; NULL */
	bool is_line;                 /* of a line; ADDRESS is that of its first instruction */
	uint64_t address, offset;     /* the object's own; from the function's start */
	char hex[20];                 /* ADDRESS */
	double samples, period;
	double share_percent;    /* of the function's period; NAN without samples */
	double base;             /* period in the base; 0 without one */
	double delta_percent;    /* its share, less that in the base; NAN when that is not known */
	double overhead_percent; /* as a symbol's */
	const double *credited;  /* by event, as a symbol's; NULL none */
	const struct arrows *arrows; /* NULL: there are none */
	size_t arrow_row;
};

struct code_request {
	const struct snapshot *snapshot;
	const struct rows *rows; /* as rows_cell_passes() wants it */
	const struct rows_request *filters;
	enum code_mode mode;
};

struct code_rows {
	struct code_row *rows; /* by address; of CODE_LINES by file and line */
	size_t count, capacity;
	double *values; /* what `credited` points to */
	size_t value_capacity;
	struct arrows arrows;
	double period;      /* of the function: 100 % */
	double base_period; /* the same in the base; 0 when nothing is known of it */
};

void code_rows_build(struct code_rows *c, const struct code_request *q);
void code_rows_fini(struct code_rows *c);

/* The row of the instruction at ADDRESS, or of its line; SIZE_MAX: there is none. */
size_t code_rows_find(const struct code_rows *c, const struct code *code, uint64_t address);

#endif
