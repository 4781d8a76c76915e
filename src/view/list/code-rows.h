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
 * The rows of one function: its instructions and its source lines.  Sampled addresses stand for
 * instructions that are not known.  Samples are those that pass the filters of the list of symbols.
 * Shares are of the function's period, as in perf annotate.
 */
enum code_mode {
	CODE_BOTH, /* each line before its instructions, with their sum */
	CODE_INSTRUCTIONS,
	CODE_LINES, /* only lines, each once, with the sum over the function */
	CODE_MODES
};

struct code_row {
	const struct code_instruction *instruction; /* NULL: a line, or not known */
	const struct code_line *line; /* of the row or of its instruction; NULL: none */
	bool is_line;                 /* a line; ADDRESS is that of its first instruction */
	uint64_t address, offset;     /* in the object; from the start of the function */
	char hex[20];                 /* ADDRESS */
	double samples, period;
	double share_percent;        /* of the function's period; NAN without samples */
	double base;                 /* period in the base; 0 without one */
	double delta_percent;        /* share minus share in the base; NAN: not known */
	double overhead_percent;     /* share of all, as of a symbol */
	const double *credited;      /* by event, see struct symbol_row; NULL: none */
	const struct arrows *arrows; /* NULL: no arrows */
	size_t arrow_row;
};

struct code_request {
	const struct snapshot *snapshot;
	const struct rows *rows; /* as for rows_cell_passes() */
	const struct rows_request *filters;
	enum code_mode mode;
};

struct code_rows {
	struct code_row *rows; /* sorted by address; with CODE_LINES by file and line */
	size_t count, capacity;
	double *values; /* storage of `credited` */
	size_t value_capacity;
	struct arrows arrows;
	double period;      /* of the function: this is 100 % */
	double base_period; /* the same in the base; 0: not known */
};

void code_rows_build(struct code_rows *c, const struct code_request *q);
void code_rows_fini(struct code_rows *c);

/* The row of the instruction at ADDRESS, or of its line.  SIZE_MAX: none. */
size_t code_rows_find(const struct code_rows *c, const struct code *code, uint64_t address);

#endif
