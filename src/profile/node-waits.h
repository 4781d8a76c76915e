/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_NODE_WAITS_H
#define PTOP_PROFILE_NODE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/calltree.h"
#include "profile/distribution.h"
#include "profile/snapshot.h"

/*
 * By node of a tree of stacks how long the waits there lasted.  Most nodes have waits in few buckets, so that
 * only those take room.  First all are put, then they are summed up, then they are read.  One thread.
 */
struct node_waits;

struct node_waits *node_waits_new(void);
void node_waits_free(struct node_waits *w); /* NULL is allowed */

/* C's waits are NODE's, and of who ended them, which is C's `data`. */
void node_waits_put(struct node_waits *w, uint32_t node, const struct snapshot_cell *c);

/* Each node's waits become those of TO[node]. */
void node_waits_move(struct node_waits *w, const uint32_t *to);

/* COUNT nodes, callers before what they call.  With BELOW a node's sum has those below it, too. */
void node_waits_sum(struct node_waits *w, const struct call_node *nodes, size_t count, bool below);

/* Add to SUM what NODE has: itself, or with those below it, where they were summed up. */
void node_waits_self(const struct node_waits *w, uint32_t node, struct distribution *sum);
void node_waits_total(const struct node_waits *w, uint32_t node, struct distribution *sum);

/* Tells of the waits of NODE itself that have ended who ended how many; the same one may come again. */
void node_waits_wakers(const struct node_waits *w, uint32_t node, waker_receiver *receive,
		       void *context);

#endif
