/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LARGE_SNAPSHOT_H
#define PTOP_TESTS_LARGE_SNAPSHOT_H

#include "profile/snapshot.h"

/*
 * sample_snapshot_stacks() with NODES nodes in its stacks, of 5 000 functions called "work_17", at
 * most 60 frames deep, and a cell for each: as a busy machine with a long half-life has them.  One
 * function, "needle", is called once, from deep down.  The same each time.  Owned by the caller.
 */
struct snapshot *large_snapshot(size_t nodes);

#endif
