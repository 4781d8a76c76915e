/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_RECORD_OPTION_H
#define PTOP_APP_RECORD_OPTION_H

#include "app/session.h"

/*
 * --record: what is measured is kept in a file, too, besides what the screen or the batch shows.
 * All of these do nothing without that option.
 */

/* --then record: the part of --max-memory that is for what is kept; without it 0. */
uint64_t record_kept_bytes(const struct options *o);

/*
 * Before anything is measured: opens the file, in which nothing is lost before record_start(), and
 * finds the kernel.  0, or -1 with ERR set.
 */
int record_open(struct session *s, struct error *err);

/* SOURCE is open: begins the file, and lets the collector write.  0, or -1 with ERR set. */
int record_start(struct session *s, struct collector_options *options, struct error *err);

/* Interactive: tells, once each, that the recording has ended early, and that it lacks an event. */
void record_tell(struct session *s);

/*
 * Completes the file, after the collector has ended.  NOTES gets what is missing.  0, or -1 with
 * ERR set when a write failed.
 */
int record_close(struct session *s, struct buf *notes, struct error *err);

#endif
