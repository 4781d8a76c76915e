/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_HELP_H
#define PTOP_APP_HELP_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Texts that are made from tables: what they say is what the parsers take.  Lines are at most 80
 * columns wide as long as no single word is longer.
 */
#define HELP_WIDTH 80

/* Adds blanks until the line, which is USED columns wide, is COLUMN wide. */
void help_add_blanks(struct buf *out, int used, int column);

/*
 * Adds TEXT in lines of at most HELP_WIDTH columns that start at column INDENT; the first goes on a
 * line which is already INDENT wide.  Ends with a newline.
 */
void help_add_wrapped(struct buf *out, const char *text, int indent);

void help_options(struct buf *out);   /* --help */
void help_version(struct buf *out);   /* --version */
void help_columns(struct buf *out);   /* --columns help: unit and formula */
void help_sort_keys(struct buf *out); /* --sort help */
void help_views(struct buf *out);     /* --view help */
void help_conditions(
	struct buf *out); /* --when help: what a condition may name, and in which units */

/*
 * --list-events: those that match GLOB, NULL for all.  Returns the number of events; ERR is set if
 * some could not be listed, and says why.
 */
size_t help_events(struct buf *out, const char *glob, struct error *err);

#endif
