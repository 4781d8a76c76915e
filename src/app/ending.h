/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_ENDING_H
#define PTOP_APP_ENDING_H

#include "base/error.h"

/*
 * A thread that ends ptop when main cannot: main waits for a file system, a pipe or another thread that does
 * not answer.  Signals are blocked (signals.h), so nothing else would end it.  One place so stands for a
 * deadline at each wait and each join.
 */
struct ending;

#define ENDING_SIGNAL_MS 900u   /* how long main may leave SIGINT, SIGTERM or SIGHUP unread */
#define ENDING_CLOSE_MS 900u    /* how long it may take to release everything */
#define ENDING_RECORD_MS 10000u /* likewise, with a recording to be completed */

/*
 * Starts the thread.  Those three signals must be blocked.  LEAVE, which must be async-signal-safe, restores the
 * terminal.  NULL with ERR set when there is none.
 */
struct ending *ending_start(void (*leave)(void), struct error *err);

/*
 * The run is over: whatever hangs from here on, the process ends with STATUS after LIMIT_MS.  TEXT, which must live
 * as long, is written to standard error then; NULL: nothing, for nobody misses anything.
 */
void ending_begin(struct ending *e, unsigned limit_ms, int status, const char *text);

void ending_stop(struct ending *e); /* all is released; E may be NULL */

#endif
