/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_DOCUMENT_H
#define PTOP_OUTPUT_DOCUMENT_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "profile/snapshot.h"

/*
 * The common part of the JSON formats.  The caller owns a value that is made, until it puts the
 * value into another one, which then owns it.
 */

/*
 * RAW as valid UTF-8 and without control characters, whatever a process calls itself; null for
 * NULL.
 */
json_t *document_text(const char *raw);

/* VALUE with at most three decimals, an integer if it is one; null if it is not finite. */
json_t *document_number(double value);

/* A measure that is always a real number: 98.0, never 98. */
json_t *document_real(double value);

/* The value of column NAME of TABLE: one formula for the screen and for scripts. */
struct column;
struct column_row;
json_t *document_column(const struct column *table, const char *name, const struct column_row *row);

/* Puts the ratios that several lists have, "ipc" and "cache_miss_percent", of columns of TABLE. */
void document_set_ratios(json_t *object, const struct column *table, const struct column_row *row);

struct view;

/*
 * json-tree.c: appends the stacks of V's snapshot, with those of its base, as text; null if there
 * are none.  Objects of so many numbers would cost more than their text.  Returns 0, or -1 with ERR
 * set.
 */
int document_print_call_tree(struct buf *out, const struct view *v, struct error *err);

/* json-code.c: the function whose code V shows; null if V is another view. */
json_t *document_function(struct view *v);

/* Puts VALUE under KEY; OBJECT owns it from here on. */
void document_set(json_t *object, const char *key, json_t *value);

/* A document of S, with what all have: the name of its SCHEMA, version, time, interval. */
json_t *document_head(const struct snapshot *s, const char *schema);

size_t document_size(const json_t *value); /* bytes of VALUE in a document */

/* Appends VALUE to OUT and frees it.  Returns 0, or -1 with ERR set. */
int document_add(struct buf *out, json_t *value, struct error *err);

/* The same of a document, which is one line. */
int document_print(struct buf *out, json_t *root, struct error *err);

#endif
