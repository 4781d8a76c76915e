/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_BASE_H
#define PTOP_APP_BASE_H

#include "app/session.h"

/*
 * --base: a recording that everything is compared with.  It is read by an engine of its own while the
 * other one works already, and lies in the memory until the end.
 */

/*
 * Reads it; OPTIONS are those that the session's collector, which runs, was started with.  NOTES gets a
 * line when not all of it could be read.  0, or -1 with ERR set.
 */
int base_open(struct session *s, const struct collector_options *options, struct buf *notes,
	      struct error *err);
void base_close(struct session *s); /* when the session's collector was stopped */

#endif
