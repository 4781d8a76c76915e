/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_AUDIENCE_H
#define PTOP_SHARE_AUDIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/owner.h"
#include "profile/snapshot.h"

/*
 * The part of a snapshot that one user may see, before it is published to his viewers:
 *
 *	his own processes     all of it.  His own are those whose snapshot_process.owner he is.
 *			      Who woke a thread of his is left out, for that can be anybody
 *	processes of others   no threads; the members that are SEEN_BY_ALL in share/layout.c: what /proc shows to everybody
 *	their samples         one cell for each event, whose frame is BLOCK_HIDDEN, so that sums are the machine's
 *	control groups        those that his own processes are in, and those above them
 *	objects               those that his own functions are in
 *	machine, CPUs, events what is SEEN_BY_ALL: no counters of the machine, a CPU or a control group
 *
 * It is made section by section, so a section that nobody thought of is not there.
 */
struct audience {
	uint64_t owner; /* a user with a group: base/owner.h */
	bool hidden; /* /proc hides processes of others (hidepid=, proc(5)): they have no rows, LOSS_HIDDEN counts them */
};

/* Owned by the caller, and freed before S, whose texts, frames and counters it borrows. */
struct snapshot *audience_snapshot(const struct audience *a, const struct snapshot *s);

#endif
