/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_RUN_H
#define PTOP_APP_RUN_H

#include "app/session.h"

/*
 * A run from its options to its end, for main(), which owns the session.  The options are checked
 * against the machine, the output file is opened and the events are; then run_session() prints
 * snapshots or shows them until there is a reason to end.
 */

/*
 * Opens all that is needed.  NOTES gets lines that a person should see.  0, or -1 with ERR set and
 * nothing left open.
 */
int run_open(struct session *s, struct options *o, struct buf *notes, struct error *err);

/* Runs to the end.  The exit status; when it is 1, ERR says why. */
int run_session(struct session *s, struct error *err);

/*
 * Releases everything, and completes the recording.  NOTES gets lines for a person, too.  0, or -1
 * with ERR set when the recording is not complete.
 */
int run_close(struct session *s, struct buf *notes, struct error *err);

#endif
