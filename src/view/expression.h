/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_EXPRESSION_H
#define PTOP_VIEW_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/metric.h"
#include "base/nearest.h"

/*
 * Arithmetic that a person writes: "1000 * cache-misses / instructions".
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = [ "-" ] ( number | name | "(" sum ")" )
 *   number  = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ]
 *   name    = letters, digits, "_", ".", ":" and "-", a letter or "_" first; or anything in
 *             double quotes
 *
 * Names may hold a dash, which is also the minus.  The longest name that is known wins:
 * "cache-misses" is that event, "cycles-instructions" a difference; around a dash with a blank at
 * either side it always is one.
 */
struct expression;

#define EXPRESSION_STEPS 128 /* numbers, names and operators in one expression */
#define EXPRESSION_DEPTH 32  /* parentheses and signs inside each other */

/* The names that an expression may use. */
struct expression_names {
	/* Returns true if NAME is known, and appends its canonical form, never "", to CANONICAL. */
	bool (*find)(void *context, const char *name, struct buf *canonical);
	/* Offers all names to NEAREST, for "did you mean". */
	void (*suggest)(void *context, struct nearest *nearest);
	void *context;
	/* Group I of metrics, NULL past the last one: formulas of these names, see view/custom.h.  Optional. */
	const struct metric_group *(*metrics)(void *context, size_t i);
};

/*
 * Parses the SIZE bytes of TEXT with the names of NAMES.  The caller frees the result.  Returns
 * NULL with ERR set, which names the expression, the column (in bytes, from 1) and the text there.
 */
struct expression *expression_parse(const char *text, size_t size,
				    const struct expression_names *names, struct error *err);
void expression_free(struct expression *e); /* NULL is allowed */

/* The distinct names in E, canonical, in order of appearance. */
size_t expression_inputs(const struct expression *e);
const char *expression_input(const struct expression *e, size_t i);

/*
 * The value of E with INPUTS, one for each name.  NAN if an input in use is NAN (absent), if a
 * divisor is 0, or if the result is too large.
 */
double expression_value(const struct expression *e, const double *inputs);

#endif
