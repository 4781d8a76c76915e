/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_DOCUMENT_H
#define PTOP_OUTPUT_DOCUMENT_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "profile/snapshot.h"

/*
 * What the formats that are JSON share.  A value that is made is owned by the caller until it is
 * put into another one, which then owns it.
 */

/* RAW made harmless, so that it is valid UTF-8 whatever a process calls itself; null for NULL. */
json_t *document_text(const char *raw);

/* VALUE with at most three decimals, an integer where it is one; null when it is not finite. */
json_t *document_number(double value);

/* A measure that is a real number by nature: 98.0, never 98. */
json_t *document_real(double value);

/* What the column NAME of TABLE shows: one formula for the screen and for scripts. */
struct column;
struct column_row;
json_t *document_column(const struct column *table, const char *name,
			const struct column_row *row);

struct view;

/* json-tree.c: the stacks of V's snapshot, with those of its base; null when there are none. */
json_t *document_call_tree(const struct view *v);

/* json-code.c: the function that V shows the code of; null when it is another view. */
json_t *document_function(const struct view *v);

/* Puts VALUE, from here on OBJECT's, under KEY. */
void document_set(json_t *object, const char *key, json_t *value);

/* Appends ROOT, which it frees, as one line to OUT.  0, or -1 with ERR set. */
int document_print(struct buf *out, json_t *root, struct error *err);

#endif
