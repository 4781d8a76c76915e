/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "profile/frame.h"

#define RECENT 8192 /* a power of two */

/* Nodes lie densely, and an index has their numbers: nobody looks for the root. */
struct calltree {
	struct call_node *nodes;
	size_t count, capacity, limit;
	struct index index;
	size_t linked; /* nodes that the index has: all of them but behind calltree_renamed() */
	uint32_t recent[RECENT]; /* a node by its hash, likely; small enough for a CPU's cache */
};

#define NODES_MIN 512
#define NODES_MAX (1u << 31) /* numbers are 32 bit, and so is the index of them */

static uint64_t hash_of(uint32_t parent, uint32_t frame)
{
	return hash_u64((uint64_t)parent << 32 | frame);
}

/* The node that is linked, or 0. */
static uint32_t find_linked(const struct calltree *t, uint32_t parent, uint32_t frame)
{
	struct index_place at = index_first(&t->index, hash_of(parent, frame));

	for (; at.number; index_next(&t->index, &at)) {
		const struct call_node *n = &t->nodes[at.number];

		if (n->parent == parent && n->frame == frame)
			break;
	}
	return at.number;
}

/* Links all nodes, with room for NODES of them. */
static void index_make(struct calltree *t, size_t nodes)
{
	memset(t->recent, 0, sizeof(t->recent));
	index_reset(&t->index, nodes);
	for (uint32_t i = 1; i < t->count; i++)
		index_enter_new(&t->index, hash_of(t->nodes[i].parent, t->nodes[i].frame), i);
	t->linked = t->count;
}

static void index_build(struct calltree *t)
{
	index_make(t, t->count + 1);
}

static void start(struct calltree *t)
{
	mem_grow((void **)&t->nodes, &t->capacity, NODES_MIN, sizeof(*t->nodes));
	t->nodes[CALL_ROOT] = (struct call_node){ CALL_ROOT, FRAME_NONE };
	t->nodes[CALL_OTHERS] = (struct call_node){ CALL_ROOT, FRAME_REST };
	t->count = 2;
	index_build(t);
}

struct calltree *calltree_new(size_t node_limit)
{
	struct calltree *t = mem_alloc(sizeof(*t));

	t->limit = node_limit ? node_limit : CALLTREE_NODES;
	if (t->limit < CALLTREE_NODES_MIN)
		t->limit = CALLTREE_NODES_MIN;
	if (t->limit > NODES_MAX)
		t->limit = NODES_MAX;
	start(t);
	return t;
}

void calltree_free(struct calltree *t)
{
	if (!t)
		return;
	free(t->nodes);
	index_fini(&t->index);
	free(t);
}

/* Appends a node that the index does not get. */
static uint32_t append(struct calltree *t, uint32_t parent, uint32_t frame)
{
	if (t->count >= NODES_MAX)
		return CALL_OTHERS;
	mem_grow((void **)&t->nodes, &t->capacity, t->count + 1, sizeof(*t->nodes));
	t->nodes[t->count] = (struct call_node){ parent, frame };
	return (uint32_t)t->count++;
}

static uint32_t append_linked(struct calltree *t, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	if (index_full(&t->index, t->count))
		index_build(t);
	node = append(t, parent, frame);
	if (node != CALL_OTHERS) {
		index_enter_new(&t->index, hash_of(parent, frame), node);
		t->linked++;
	}
	return node;
}

/* As calltree_add(), among the nodes that the index has. */
static uint32_t add_linked(struct calltree *t, uint32_t parent, uint32_t frame)
{
	uint32_t *recent = &t->recent[hash_of(parent, frame) & (RECENT - 1)];
	const struct call_node *n = &t->nodes[*recent];

	if (n->parent != parent || n->frame != frame) {
		uint32_t node = find_linked(t, parent, frame);

		*recent = node ? node : append_linked(t, parent, frame);
	}
	return *recent;
}

static void link_all(struct calltree *t)
{
	if (t->linked < t->count)
		index_build(t);
}

uint32_t calltree_add(struct calltree *t, uint32_t parent, uint32_t frame)
{
	link_all(t);
	return add_linked(t, parent, frame);
}

uint32_t *calltree_add_nodes(struct calltree *t, const struct call_node *nodes, size_t count)
{
	uint32_t *map = mem_array(count, sizeof(*map));

	for (size_t i = 1; i < count; i++)
		map[i] = calltree_add(t, map[nodes[i].parent], nodes[i].frame);
	return map;
}

bool calltree_has_room(const struct calltree *t, size_t frames)
{
	return t->count <= t->limit && frames <= t->limit - t->count;
}

size_t calltree_count(const struct calltree *t)
{
	return t->count;
}

struct call_node calltree_at(const struct calltree *t, uint32_t node)
{
	return t->nodes[node];
}

size_t calltree_bytes(const struct calltree *t)
{
	return sizeof(*t) + t->capacity * sizeof(*t->nodes) + index_bytes(&t->index);
}

/* Arrays double, and of an index three in four places are taken at most. */
size_t calltree_nodes_of(uint64_t bytes)
{
	size_t nodes = CALLTREE_NODES;

	while (nodes > CALLTREE_NODES_MIN &&
	       nodes * (sizeof(struct call_node) + 2 * sizeof(uint32_t)) > bytes)
		nodes /= 2;
	return nodes;
}

const struct call_node *calltree_nodes(const struct calltree *t)
{
	return t->nodes;
}

struct call_node *calltree_take(struct calltree *t, size_t *count)
{
	struct call_node *nodes = t->nodes;

	*count = t->count;
	t->nodes = NULL;
	t->capacity = 0;
	start(t);
	return nodes;
}

static void keep_callers(const struct calltree *t, unsigned char *keep)
{
	keep[CALL_ROOT] = keep[CALL_OTHERS] = 1;
	for (size_t i = t->count; i-- > 1;) {
		if (keep[i])
			keep[t->nodes[i].parent] = 1;
	}
}

/* Gives back what fewer nodes do not need. */
static void fit(struct calltree *t)
{
	size_t room = t->count + t->count / 2 + NODES_MIN;
	struct call_node *nodes;

	if (room >= t->capacity / 2)
		return;
	nodes = realloc(t->nodes, room * sizeof(*nodes));
	if (!nodes)
		return;
	t->nodes = nodes;
	t->capacity = room;
}

void calltree_collect(struct calltree *t, unsigned char *keep, uint32_t *map)
{
	size_t count = t->count;

	keep_callers(t, keep);
	t->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct call_node n = t->nodes[i];

		map[i] = keep[i] ? (uint32_t)t->count : CALL_ROOT;
		if (keep[i])
			t->nodes[t->count++] = (struct call_node){ map[n.parent], n.frame };
	}
	fit(t);
	index_build(t);
}

/* Renaming. */

/* Marks of a node. */
enum {
	RENAMED = 1,
	MERGES = 2, /* one of its callers, or itself, may become equal to a sibling */
};

struct renaming {
	const struct calltree *from;
	calltree_names *names;
	void *context;
	unsigned char *marks; /* by node */
	bool merges;          /* one has that mark */
	/* Renamed nodes by their caller and the first of their new frames, and by node there the last such one. */
	struct calltree *firsts;
	uint32_t *last_of_first;
	size_t last_capacity;
};

/* A node gets FRAME: marks it, and the sibling that has or gets that frame. */
static void mark_equal(struct renaming *r, uint32_t node, uint32_t frame)
{
	uint32_t parent = r->from->nodes[node].parent;
	uint32_t first = calltree_add(r->firsts, parent, frame);
	uint32_t sibling = find_linked(r->from, parent, frame);

	mem_grow_zeroed((void **)&r->last_of_first, &r->last_capacity, first + 1u,
			sizeof(*r->last_of_first));
	if (!sibling || sibling == node)
		sibling = r->last_of_first[first];
	if (sibling) {
		r->marks[sibling] |= MERGES;
		r->marks[node] |= MERGES;
		r->merges = true;
	}
	r->last_of_first[first] = node;
}

static void mark_nodes(struct renaming *r)
{
	const struct calltree *t = r->from;
	size_t count;

	for (uint32_t i = CALL_OTHERS + 1; i < t->count; i++) {
		const uint32_t *frames = r->names(r->context, &t->nodes[i].frame, &count);

		if (count == 1 && *frames == t->nodes[i].frame)
			continue;
		r->marks[i] |= RENAMED;
		mark_equal(r, i, *frames);
	}
}

/* Nodes that become equal to no other need not be looked for, and few others are among those of a machine. */
static void add_renamed(const struct renaming *r, struct calltree *to, uint32_t *map)
{
	const struct call_node *nodes = r->from->nodes;
	size_t count;

	mem_grow((void **)&to->nodes, &to->capacity, r->from->count, sizeof(*nodes));
	if (r->merges)
		index_make(to, r->from->count);
	map[CALL_ROOT] = CALL_ROOT;
	map[CALL_OTHERS] = CALL_OTHERS;
	for (uint32_t i = CALL_OTHERS + 1; i < r->from->count; i++) {
		const uint32_t *frames = &nodes[i].frame;
		uint32_t node = map[nodes[i].parent];

		count = 1;
		if (r->marks[i] & RENAMED)
			frames = r->names(r->context, frames, &count);
		r->marks[i] |= r->marks[nodes[i].parent] & MERGES;
		for (size_t f = 0; f < count; f++)
			node = r->marks[i] & MERGES ? add_linked(to, node, frames[f])
						    : append(to, node, frames[f]);
		map[i] = node;
	}
}

struct calltree *calltree_renamed(struct calltree *t, calltree_names *names, void *context,
				  uint32_t *map)
{
	struct renaming r = { .from = t, .names = names, .context = context };
	struct calltree *to = calltree_new(t->limit);

	link_all(t);
	r.marks = mem_alloc(t->count);
	r.firsts = calltree_new(0);
	mark_nodes(&r);
	add_renamed(&r, to, map);
	calltree_free(r.firsts);
	mem_free(r.last_of_first, r.marks);
	return to;
}
