/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_CALLTREE_H
#define PTOP_PROFILE_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Stacks, interned: a node is (the node of its caller, frame), and the same two are always the same
 * node, so a node's number stands for a whole stack.  The root has number CALL_ROOT; the outermost
 * frame of a stack is a child of the root, and the leaf's node is what a histogram's cell holds.  A
 * node has no counts: cells have them, so that they decay, and can be told apart by event, process
 * and thread.  A view sums the cells of a tree up (callgraph.h).
 *
 * A caller's number is always below those of what it calls: one walk from the last node to the first
 * passes all sums upwards.  One thread; a snapshot has a copy of the nodes.
 */
struct call_node {
	uint32_t parent; /* the caller */
	uint32_t frame;  /* number in a frame table; FRAME_NONE: the root */
};

#define CALL_ROOT 0u   /* its parent is itself */
#define CALL_OTHERS 1u /* FRAME_REST under the root: what callers were given up for room */

struct calltree;

#define CALLTREE_NODES (1u << 20) /* the default limit */
#define CALLTREE_NODES_MIN 4096   /* a lower limit is raised to this */

struct calltree *calltree_new(size_t node_limit); /* 0: the default */
void calltree_free(struct calltree *t);           /* NULL is allowed */

/*
 * The node of FRAME called from PARENT, made when new.  The limit is the caller's to keep: ask
 * calltree_has_room() once for all frames of a stack.  CALL_OTHERS when there are 2^31 nodes.
 */
uint32_t calltree_add(struct calltree *t, uint32_t parent, uint32_t frame);
bool calltree_has_room(const struct calltree *t, size_t frames);

/* Adds COUNT nodes of another tree.  By their numbers there those here; owned by the caller. */
uint32_t *calltree_add_nodes(struct calltree *t, const struct call_node *nodes, size_t count);

size_t calltree_count(const struct calltree *t); /* the root and CALL_OTHERS counted */
struct call_node calltree_at(const struct calltree *t, uint32_t node);
size_t calltree_bytes(const struct calltree *t); /* memory held */

/* How many nodes take BYTES, with their index; CALLTREE_NODES at most. */
size_t calltree_nodes_of(uint64_t bytes);

/* All nodes by number.  Borrowed until something is added. */
const struct call_node *calltree_nodes(const struct calltree *t);

/* Gives the nodes away, owned by the caller, and leaves a tree of none. */
struct call_node *calltree_take(struct calltree *t, size_t *count);

/*
 * Drops the nodes that nobody needs: KEEP has a byte for each node, other than 0 where it shall
 * stay, and its callers then stay, too (KEEP is changed).  Numbers change: MAP, as long, gets the
 * new one of each node, CALL_ROOT of those that are gone.
 */
void calltree_collect(struct calltree *t, unsigned char *keep, uint32_t *map);

/*
 * Makes a new tree, in which other frames, one or more, take the place of a frame: NAMES returns them, COUNT of
 * them, the caller first, borrowed until the next call.  A frame that stays as it is returns itself.  Nodes that
 * become equal are one.  MAP has an entry for each node of T and gets its number in the new tree: that of the last
 * of its frames.  Same limit.
 */
typedef const uint32_t *calltree_names(void *context, const uint32_t *frame, size_t *count);
struct calltree *calltree_renamed(struct calltree *t, calltree_names *names, void *context,
				  uint32_t *map);

#endif
