/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_STREAM_H
#define PTOP_APP_STREAM_H

#include "app/session.h"

/*
 * Batch output of a live session with a format of samples.  Each sample is printed as soon as the
 * collector has it, for -n times the delay, until the command ends, or until a signal.
 *
 * The exit status; ERR also tells, with status 0, how many samples were lost.
 */
int stream_run(struct session *s, struct error *err);

#endif
