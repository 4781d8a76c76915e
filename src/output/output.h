/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_OUTPUT_H
#define PTOP_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "output/format.h"

/*
 * The way out to a batch format.  output_write() writes what a format made; it handles full disks and closed pipes.
 */
extern const struct output_format *const output_formats[]; /* ends with NULL */

void output_format_names(struct buf *out, const char *separator);    /* appends all of them */
const struct output_format *output_format_find(const char *name);    /* or NULL */
const struct output_format *output_format_of_file(const char *path); /* by extension, or NULL */

/*
 * Writes all of B to FD, and waits for a slow reader.  Returns 0.  Returns 1, for a quiet end, if
 * the reader has gone (EPIPE), or reads nothing for half a second after SIGINT, SIGTERM or SIGHUP
 * (blocked, see app/signals.h).  Returns -1 with ERR naming NAME and the reason.
 */
int output_write(int fd, const char *name, const struct buf *b, struct error *err);

/*
 * Opens the pipe or terminal of FD anew, so that O_NONBLOCK does not change it for others who share
 * FD.  output_write() does so for each text unless FD has O_NONBLOCK, but cannot after
 * privilege_cut().  Returns a descriptor, owned by the caller, or -1.
 */
int output_own(int fd);

/*
 * Makes B the content of the file PATH in one step: readers see the old content or the new.  PATH
 * must be no symbolic link, because the link itself would be replaced.  MODE gives the permissions
 * of the new file.  With SYNC the content is on the disk on return.  Returns 0, or -1 with ERR set.
 */
int output_replace(const char *path, const struct buf *b, mode_t mode, bool sync,
		   struct error *err);

#endif
