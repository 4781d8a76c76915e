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
 * with the names of option_table rows that have `keep`.  Nothing is quoted; the value is the rest
 * of the line without the blanks around it.
 */

/* The path, appended to OUT; -1 when neither variable says where (ERR set). */
int config_path(struct buf *out, struct error *err);

/*
 * Sets what TEXT says and the command line did not.  A line that cannot be used is skipped with a
 * line about it in NOTES: "PATH:3: …".  TEXT may hold any bytes.
 */
void config_parse(struct options *o, const char *path, const char *text, size_t size,
		  struct buf *notes);

/* Reads the file when there is one.  Errors in the file go to NOTES; they never stop ptop. */
void config_load(struct options *o, struct buf *notes);

/* The text that config_write() writes: every kept option that has been given. */
void config_format(struct buf *out, const struct options *o);

/*
 * Replaces the file by config_format(O), in one step: readers see the old or the new one.  Made
 * with mode 0600, its folder with 0700.  -1 with ERR set when it cannot be, or is somebody else's.
 */
int config_write(const struct options *o, struct error *err);

#endif
