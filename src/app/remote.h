/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_REMOTE_H
#define PTOP_APP_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/options.h"
#include "app/signals.h"
#include "base/error.h"
#include "share/ask.h"
#include "share/segment.h"

/*
 * --attach ssh://[USER@]HOST[:PORT][/PROGRAM]: runs PROGRAM (by default ptop) --serve=- there by ssh(1), whose own
 * configuration says how the connection is made.
 *
 * A helper process does that, because later ptop may start nothing.  It reads the stream (share/wire.h) and
 * publishes the blocks, unchecked, in shared memory without a name.  So the viewer here is that of any other server.  When
 * the connection breaks, the helper makes it anew, without end.  Requests of the viewer go to the standard input of the
 * program there, and answers come in the stream; the server that a new connection starts knows of none.
 *
 * The first connection may ask for a password on the terminal; later ones may not.
 */
/* The state of the connection, as the helper tells it when that changes and with each block. */
struct remote_news {
	uint64_t bytes;       /* that came, over all connections */
	uint64_t blocks;      /* likewise */
	uint64_t time_ns;     /* of all connections */
	uint64_t connections; /* that were made */
	int64_t ahead_ns;     /* the clock there minus ours, less what a message takes */
	uint32_t connected;   /* 1: now */
	char text[164];       /* raw: why not, as ssh or ptop there said */
};

struct remote;

/*
 * Before privileges go, with one thread.  Waits until the first connection stands, and so until ssh was answered what it
 * asks.  Fills NEWS, and VIEW with the place of its snapshots, owned by the caller.  NULL with ERR set.
 */
struct remote *remote_open(const struct options *o, struct signals *signals,
			   struct segment_view **view, struct remote_news *news, struct error *err);

const char *remote_host(const struct remote *r); /* as people call it; borrowed */

/* Takes what was told since the last call into NEWS.  Returns true at an answer, unchecked: there may be more. */
bool remote_next(struct remote *r, struct remote_news *news, struct ask_answer_message *answer);

/* Sends a request.  0, or a negative errno.  One that finds no connection has no answer. */
int remote_ask(struct remote *r, const struct ask_message *m);

/* Ends ssh, and so the server there.  NULL is allowed. */
void remote_close(struct remote *r);

#endif
