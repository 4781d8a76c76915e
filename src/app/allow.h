/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_ALLOW_H
#define PTOP_APP_ALLOW_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * --allow: what the viewers of a server may have it measure.  Root and the user of the server may have all, as they may
 * start another one.  Everybody else may have what the list grants, which is nothing by default: each event takes
 * counters and time of all.
 */
enum permission {
	ALLOW_EVENTS, /* events with a name of their own (perf/event/event.h) are added */
	ALLOW_STACKS, /* samples bring stacks */
	ALLOW_CODE,   /* one function at a time is described, with its instructions */
	PERMISSIONS
};

#define ALLOW_ALL ((1u << PERMISSIONS) - 1)

extern const char *const permission_names[PERMISSIONS]; /* as LIST has them */

void allow_list(struct buf *out, const char *between); /* appends all names */

/* Fills ALLOWED, bits 1 << enum permission, by LIST: names with commas; "" is none.  0, or -1 with ERR set. */
int allow_parse(const char *list, unsigned *allowed, struct error *err);

#endif
