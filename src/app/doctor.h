/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_DOCTOR_H
#define PTOP_APP_DOCTOR_H

#include "app/options.h"
#include "base/buf.h"

/*
 * --doctor: what this user can measure on this machine with this build, what stands in the way, and what
 * would make the rest work.  Each line comes from a trial of the thing itself where there is one: events
 * are opened, files are read.
 */
void doctor_examine(struct buf *out, const struct options *o);

#endif
