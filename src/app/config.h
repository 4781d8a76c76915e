/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_CONFIG_H
#define PTOP_APP_CONFIG_H

#include <stddef.h>

#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * The configuration file: $XDG_CONFIG_HOME/ptop/config, else ~/.config/ptop/config.  Lines such as
 *
 *   # comment
 *   delay = 2.5
 *   hide-kernel = yes
 *   bind F12 kill
 *
 * with the names of option_table rows that have `keep`; base/settings.h says more.  A profile is such a file, too,
 * and may have the rows that have `profile`.
 */

/* The path, appended to OUT; -1 when no variable says where (ERR set). */
int config_path(struct buf *out, struct error *err);

/*
 * Sets what TEXT says and the command line did not.  A line that cannot be used is skipped with a
 * line about it in NOTES: "PATH:3: …".  TEXT may hold any bytes.
 */
void config_parse(struct options *o, const char *path, const struct buf *text, struct buf *notes);

/* Reads the profile that the command line has, and the file if there is one.  Errors in them go to NOTES; they never stop ptop. */
void config_load(struct options *o, struct buf *notes);

/* Hands what a line of a profile sets to TAKE: a row, and its value.  -1 with ERR set if a line, or TAKE, failed. */
int config_profile(const char *name,
		   int (*take)(void *context, const struct option_row *row, const char *value,
			       struct error *err),
		   void *context, struct error *err);

/*
 * Appends OLD, the text of the file, with the options of O that have `changed`.  Each stands in the place of
 * its first line, new ones at the end; lines of options that are no longer given go.  All other lines are kept as they are:
 * comments, what another ptop wrote, what a newer one knows.
 */
void config_format(struct buf *out, const struct buf *old, const struct options *o);

/* Does that to the file, see own_file_write(). */
int config_write(const struct options *o, struct error *err);

#endif
