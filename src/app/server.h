/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_SERVER_H
#define PTOP_APP_SERVER_H

#include "app/session.h"

/*
 * --serve: a session without a screen, whose snapshots go to shared memory (share/segment.h) for viewers
 * (app/viewer.h).  --serve=-: they go to standard output as a stream (share/wire.h), for a viewer on another machine.
 */

/* Makes the object, and tells NOTES.  Before privileges go, and after all processes were started.  0, or -1 with ERR set. */
int server_open(struct session *s, struct buf *notes, struct error *err);

/* Standard output if a reader can leave it; -1.  It says so by POLLERR. */
int server_reader_fd(const struct session *s);

/*
 * Returns a descriptor that is readable when a viewer waits for server_answer(), or -1.  Shortens *TIMEOUT_MS to the time
 * after which to ask again.
 */
int server_door(const struct session *s, int *timeout_ms);
void server_answer(struct session *s);

/* Removes the object.  NOTES gets a line if some snapshots could not be published. */
void server_close(struct session *s, struct buf *notes);

/* Publishes each refresh until a signal, or -n of them.  The exit status; when it is 1, ERR says why. */
int server_run(struct session *s, struct error *err);

#endif
