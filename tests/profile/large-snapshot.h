/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LARGE_SNAPSHOT_H
#define PTOP_TESTS_LARGE_SNAPSHOT_H

#include "profile/snapshot.h"

/*
 * sample_snapshot_stacks() with NODES nodes in its stacks, at most 60 frames deep, and a cell for
 * each.  They have 5 000 functions called "work_17" and so on, as on a busy machine with a long
 * half-life.  One function, "needle", is called once, from deep down.  The same each time.  Owned
 * by the caller.
 */
struct snapshot *large_snapshot(size_t nodes);

#endif
