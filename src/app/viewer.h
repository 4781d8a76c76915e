/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_VIEWER_H
#define PTOP_APP_VIEWER_H

#include "app/feed.h"
#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * --attach: snapshots of a server (app/server.h), for a session without any privilege.  The viewer only reads shared
 * memory.  It looks for a new generation when one is due, and the server does not know of it.
 */
struct viewer;

/* Before privileges go.  NULL with ERR set. */
struct viewer *viewer_open(const struct options *o, struct error *err);
void viewer_close(struct viewer *v); /* after all its snapshots; NULL is allowed */

/*
 * A request is answered by the first generation that was not taken before.  When the server has ended, the state is
 * -1 and says when; the last generation can still be taken.
 */
struct feed viewer_feed(struct viewer *v);

#endif
