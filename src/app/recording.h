/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_RECORDING_H
#define PTOP_APP_RECORDING_H

#include "app/session.h"

/*
 * -i: a recording instead of the machine.  It is read once and shown as a whole; interactively, the
 * screen stays until somebody leaves it.
 */

/* Opens the recording as the source, with the listener that a format of samples needs. */
struct source *recording_open(struct session *s, struct collector_options *options,
			      struct error *err);

/*
 * Batch: prints its one snapshot, or its samples.  The exit status; 1 with ERR set when something
 * was damaged or could not be written.
 */
int recording_run(struct session *s, struct error *err);

#endif
