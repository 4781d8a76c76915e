/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_VIEWER_H
#define PTOP_APP_VIEWER_H

#include "app/feed.h"
#include "app/options.h"
#include "app/signals.h"
#include "base/buf.h"
#include "base/error.h"
#include "share/ask.h"

/*
 * --attach: snapshots of a server (app/server.h), for a session without any privilege.  The viewer only reads shared
 * memory, which is published for all who may see everything, or for one user (app/audiences.h).  It looks for a new
 * generation when one is due, and the server waits for none.  A server of another machine is
 * read by a helper, which shares its blocks in the same way (app/remote.h).
 *
 * A viewer may ask the server for events, stacks and the code of a function; refreshes show whether they come.
 */
struct viewer;

/* Before privileges go.  NOTES gets what is to be known of another machine.  NULL with ERR set. */
struct viewer *viewer_open(const struct options *o, struct signals *signals, struct buf *notes,
			   struct error *err);
void viewer_close(struct viewer *v); /* after all its snapshots; NULL is allowed */

/*
 * A request is answered by the first generation that was not taken before.  When the server has ended, the state is
 * -1 and says when; the last generation can still be taken.
 */
struct feed viewer_feed(struct viewer *v);

/*
 * Asks the server for one event, as for -e, or says that it is no longer needed (share/ask.h).  0, or -1 with ERR set if
 * it cannot be asked.  viewer_news() tells a refusal.
 */
int viewer_ask(struct viewer *v, enum ask_kind kind, const char *text, struct error *err);

/* Likewise: asks the server to take stacks for this viewer, or says that it no longer needs them. */
int viewer_ask_stacks(struct viewer *v, bool wanted, struct error *err);
bool viewer_wants_stacks(const struct viewer *v); /* they were asked for last, and not refused */

/*
 * S, of which FRAME or, FRAME_NONE, the HOTTEST function is looked at: asks the server for its code, once, or that it is no longer
 * needed.  S tells of no other function then, and why there is no code.
 */
void viewer_look(struct viewer *v, struct snapshot *s, uint32_t frame, bool hottest);

/*
 * Appends a line, raw: a request was refused, or the connection to another machine was lost or is there again.  Returns
 * true then.
 */
bool viewer_news(struct viewer *v, struct buf *out);

/* Appends a line: what another machine sent, in how long.  V may be NULL. */
void viewer_describe(struct viewer *v, struct buf *notes);

#endif
