/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/callgraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/node-waits.h"

/*
 * A stack with samples, in a bottom-up tree: where it began, and how far out it has been followed.
 * Top-down around a function, whose nodes are many: LEAF alone, a node of an item.
 */
struct tail {
	uint32_t leaf, at; /* nodes; AT is CALL_ROOT behind the outermost */
};

/* One of each a node. */
struct sums {
	double *now, *base;            /* BASE: NULL without one */
	struct callgraph_extra *extra; /* or NULL */
};

/*
 * The data of a node that a walk down the tree needs, next to those of its siblings.  Nodes with
 * the same caller lie far from each other, and to wait for memory at each costs more than all else.
 */
struct branch {
	double self, total;
	uint32_t node, frame;
	uint32_t first, count; /* branches */
};

struct callgraph {
	struct callgraph_options options;
	/*
	 * The nodes, if they are not the snapshot's: without stacks those of the cells, with a base those of
	 * both snapshots.  MAP and BASE_MAP translate the numbers of snapshots that have stacks.
	 */
	struct calltree *own;
	uint32_t *map, *base_map;
	const struct call_node *nodes;
	size_t node_count;
	struct sums self, total; /* TOTAL top-down only */
	double *gone;            /* likewise, with a base */
	struct branch *branches; /* top-down: those of a node from its start up to the next one's */
	uint32_t *starts;        /* one more than nodes */
	struct tail *tails;      /* bottom-up and around: each item's lie together */
	size_t tail_count, tail_capacity;
	struct callgraph_item *items;
	size_t count, capacity;
	struct callgraph_extra *extras; /* of items, where there are any; the first is nothing */
	size_t extra_count, extra_capacity;
	struct callgraph_extra extra_self;
	struct node_waits *waits; /* NULL: not wanted */
};

static bool counts(const struct callgraph_options *o, const void *context,
		   const struct snapshot_cell *c)
{
	return c->event == o->event && (!o->shows || o->shows(context, c));
}

static double value_of(const struct callgraph_options *o, const struct snapshot_cell *c)
{
	double value = o->period ? c->period : c->samples;

	return value > 0 ? value : 0;
}

/* Adds the nodes of S; without stacks those of its cells, which have no numbers yet: NULL. */
static uint32_t *nodes_take(struct callgraph *g, const struct snapshot *s)
{
	if (s->node_count)
		return calltree_add_nodes(g->own, s->nodes, s->node_count);
	for (size_t i = 0; i < s->cell_count; i++)
		calltree_add(g->own, CALL_ROOT, s->cells[i].frame);
	return NULL;
}

/* Without stacks each cell is a stack of its one frame. */
static void find_nodes(struct callgraph *g, const struct snapshot *s)
{
	g->nodes = s->nodes;
	g->node_count = s->node_count;
	if (s->node_count && !g->options.base)
		return;
	g->own = calltree_new(0);
	g->map = nodes_take(g, s);
	if (g->options.base)
		g->base_map = nodes_take(g, g->options.base);
	g->nodes = calltree_nodes(g->own);
	g->node_count = calltree_count(g->own);
}

/* The node of S at which the stack of NODE ends. */
static uint32_t end_of_stack(const struct callgraph *g, const struct snapshot *s, uint32_t node)
{
	while (g->options.without_kernel && node != CALL_ROOT &&
	       frame_flags(s->frames, s->nodes[node].frame) & FRAME_KERNEL)
		node = s->nodes[node].parent;
	return node;
}

/* The node of a cell of S, whose nodes MAP translates, if at all. */
static uint32_t node_of(const struct callgraph *g, const struct snapshot *s, const uint32_t *map,
			const struct snapshot_cell *c)
{
	if (!s->node_count)
		return calltree_add(g->own, CALL_ROOT, c->frame);
	if (c->node >= s->node_count)
		return CALL_ROOT;
	return map ? map[end_of_stack(g, s, c->node)] : end_of_stack(g, s, c->node);
}

void callgraph_extra_add(struct callgraph_extra *sum, const struct callgraph_extra *c)
{
	sum->period += c->period;
	sum->samples += c->samples;
	sum->part += c->part;
	sum->latency += c->latency;
	if (c->longest > sum->longest)
		sum->longest = c->longest;
}

static void sum_extra(struct callgraph *g, const struct snapshot *s)
{
	g->self.extra = mem_array(g->node_count, sizeof(*g->self.extra));
	for (size_t i = 0; i < s->cell_count; i++) {
		struct callgraph_extra sum = { 0 };

		if (g->options.extra(g->options.context, &s->cells[i], &sum))
			callgraph_extra_add(&g->self.extra[node_of(g, s, g->map, &s->cells[i])],
					    &sum);
	}
}

static void sum_cell(struct callgraph *g, const struct snapshot *s, const struct snapshot_cell *c)
{
	uint32_t node = node_of(g, s, g->map, c);

	g->self.now[node] += value_of(&g->options, c);
	if (g->waits)
		node_waits_put(g->waits, node, c);
}

static void sum_cells(struct callgraph *g, const struct snapshot *s)
{
	const struct callgraph_options *o = &g->options;
	const struct snapshot *base = o->base;

	g->self.now = mem_array(g->node_count, sizeof(*g->self.now));
	for (size_t i = 0; i < s->cell_count; i++) {
		if (counts(o, o->context, &s->cells[i]))
			sum_cell(g, s, &s->cells[i]);
	}
	if (base)
		g->self.base = mem_array(g->node_count, sizeof(*g->self.base));
	for (size_t i = 0; base && i < base->cell_count; i++) {
		const struct snapshot_cell *c = &base->cells[i];

		if (counts(o, o->base_context, c))
			g->self.base[node_of(g, base, g->base_map, c)] += value_of(o, c);
	}
	if (o->extra)
		sum_extra(g, s);
}

/* With what is below each node; owned by the caller. */
static double *summed_up(const struct callgraph *g, const double *self)
{
	double *total = mem_array(g->node_count, sizeof(*total));

	memcpy(total, self, g->node_count * sizeof(*total));
	for (size_t i = g->node_count; i-- > 1;)
		total[g->nodes[i].parent] += total[i];
	return total;
}

/* For a node with no samples now: its whole base total.  Otherwise: the sum over such descendants. */
static void sum_gone(struct callgraph *g)
{
	const struct sums *t = &g->total;

	g->gone = mem_array(g->node_count, sizeof(*g->gone));
	for (size_t i = g->node_count; i-- > 1;) {
		if (!(t->now[i] > 0))
			g->gone[i] = t->base[i];
		g->gone[g->nodes[i].parent] += g->gone[i];
	}
	if (!(t->now[CALL_ROOT] > 0))
		g->gone[CALL_ROOT] = t->base[CALL_ROOT];
}

static void sum_nodes(struct callgraph *g)
{
	g->total.now = summed_up(g, g->self.now);
	if (g->self.base) {
		g->total.base = summed_up(g, g->self.base);
		sum_gone(g);
	}
	if (!g->self.extra)
		return;
	g->total.extra = mem_array(g->node_count, sizeof(*g->total.extra));
	memcpy(g->total.extra, g->self.extra, g->node_count * sizeof(*g->total.extra));
	for (size_t i = g->node_count; i-- > 1;)
		callgraph_extra_add(&g->total.extra[g->nodes[i].parent], &g->total.extra[i]);
}

static bool is_some(const struct sums *s, uint32_t node)
{
	return s->now[node] > 0 || (s->base && s->base[node] > 0);
}

/* Returns the extra sums of I and makes them if there are none. */
static struct callgraph_extra *extra_of(struct callgraph *g, struct callgraph_item *i)
{
	if (!i->extra) {
		mem_grow((void **)&g->extras, &g->extra_capacity, g->extra_count + 1,
			 sizeof(*g->extras));
		i->extra = (uint32_t)g->extra_count;
		g->extras[g->extra_count++] = (struct callgraph_extra){ 0 };
	}
	return &g->extras[i->extra];
}

/* Adds to I what NODE has; of a tree top-down with what lies below it. */
static void add_total(struct callgraph *g, struct callgraph_item *i, uint32_t node)
{
	const struct sums *s = g->total.now ? &g->total : &g->self;

	i->total += s->now[node];
	if (s->base)
		i->base_total += s->base[node];
	if (s->extra)
		callgraph_extra_add(extra_of(g, i), &s->extra[node]);
}

static void add_self(const struct callgraph *g, struct callgraph_item *i, uint32_t node)
{
	i->self += g->self.now[node];
	if (g->self.base)
		i->base_self += g->self.base[node];
}

static bool is_leaf(const struct callgraph_item *i)
{
	return !(i->total > i->self) && !(i->base_total > i->base_self);
}

static void branch_link(const struct callgraph *g, struct branch *b)
{
	b->first = g->starts[b->node];
	b->count = g->starts[b->node + 1] - b->first;
}

static void link_children(struct callgraph *g)
{
	uint32_t *starts = mem_array(g->node_count + 2, sizeof(*starts));

	/* First how many each node has, then where they begin, last, as they are put there, where they end. */
	for (size_t i = 1; i < g->node_count; i++)
		starts[g->nodes[i].parent + 2]++;
	for (size_t i = 2; i < g->node_count + 2; i++)
		starts[i] += starts[i - 1];
	g->starts = starts;
	g->branches = mem_array(g->node_count, sizeof(*g->branches));
	for (uint32_t i = 1; i < g->node_count; i++)
		g->branches[starts[g->nodes[i].parent + 1]++] = (struct branch){
			g->self.now[i], g->total.now[i], i, g->nodes[i].frame, 0, 0
		};
	for (size_t i = 0; i + 1 < g->node_count; i++)
		branch_link(g, &g->branches[i]);
}

static struct tail *tail_append(struct callgraph *g, uint32_t leaf, uint32_t at)
{
	mem_grow((void **)&g->tails, &g->tail_capacity, g->tail_count + 1, sizeof(*g->tails));
	g->tails[g->tail_count] = (struct tail){ leaf, at };
	return &g->tails[g->tail_count++];
}

static struct callgraph_item *append(struct callgraph *g, const struct callgraph_item *item)
{
	mem_grow((void **)&g->items, &g->capacity, g->count + 1, sizeof(*g->items));
	g->items[g->count] = *item;
	return &g->items[g->count++];
}

/* By node: the outermost of FRAME on its stack, itself or a caller; CALL_ROOT: it has none. */
static uint32_t *find_outermost(const struct callgraph *g)
{
	uint32_t *at = mem_array(g->node_count, sizeof(*at));

	for (uint32_t i = 1; i < g->node_count; i++) {
		at[i] = at[g->nodes[i].parent];
		if (!at[i] && g->nodes[i].frame == g->options.frame)
			at[i] = i;
	}
	return at;
}

static void move_self(struct sums *s, uint32_t from, uint32_t to)
{
	s->now[to] += s->now[from];
	s->now[from] = 0;
	if (s->base) {
		s->base[to] += s->base[from];
		s->base[from] = 0;
	}
	if (s->extra)
		callgraph_extra_add(&s->extra[to], &s->extra[from]);
}

/* All stacks end at the outermost FRAME, or are not there. */
static void cut_below(struct callgraph *g)
{
	uint32_t *at = find_outermost(g);

	for (uint32_t i = 1; i < g->node_count; i++) {
		if (at[i] != i)
			move_self(&g->self, i, at[i]);
	}
	g->self.now[CALL_ROOT] = 0;
	if (g->self.base)
		g->self.base[CALL_ROOT] = 0;
	if (g->waits)
		node_waits_move(g->waits, at);
	free(at);
}

/* Collects the callees of the outermost nodes of FRAME. */
static void start_below(struct callgraph *g)
{
	struct callgraph_item root = { .frame = g->options.frame };
	uint32_t *at = find_outermost(g);

	for (uint32_t i = 1; i < g->node_count; i++) {
		if (at[i] != i || !is_some(&g->total, i))
			continue;
		tail_append(g, i, i);
		add_self(g, &root, i);
		add_total(g, &root, i);
		if (g->self.extra)
			callgraph_extra_add(&g->extra_self, &g->self.extra[i]);
	}
	root.count = (uint32_t)g->tail_count;
	append(g, &root);
	free(at);
}

/* The item of one node. */
static struct callgraph_item item_of(struct callgraph *g, const struct branch *b)
{
	struct callgraph_item i = { .frame = b->frame,
				    .node = b->node,
				    .from = b->first,
				    .count = b->count,
				    .self = b->self,
				    .total = b->total };
	uint32_t node = b->node;

	if (g->gone) {
		i.base_self = g->self.base[node];
		i.base_total = g->total.base[node];
		i.gone = g->gone[node];
	}
	if (g->total.extra)
		*extra_of(g, &i) = g->total.extra[node];
	i.leaf = is_leaf(&i);
	return i;
}

static void start_top_down(struct callgraph *g)
{
	sum_nodes(g);
	link_children(g);
	if (g->options.frame) {
		start_below(g);
	} else {
		struct branch all = { g->self.now[CALL_ROOT],
				      g->total.now[CALL_ROOT],
				      CALL_ROOT,
				      g->nodes[CALL_ROOT].frame,
				      0,
				      0 };
		struct callgraph_item root;

		branch_link(g, &all);
		root = item_of(g, &all);
		append(g, &root);
	}
}

static void start_bottom_up(struct callgraph *g)
{
	struct callgraph_item root = { .frame = g->options.frame };

	if (root.frame)
		cut_below(g);
	for (uint32_t i = 1; i < g->node_count; i++) {
		if (!is_some(&g->self, i))
			continue;
		add_total(g, &root, i);
		tail_append(g, i, root.frame ? g->nodes[i].parent : i);
		if (g->tails[g->tail_count - 1].at == CALL_ROOT)
			add_self(g, &root, i);
	}
	root.count = (uint32_t)g->tail_count;
	append(g, &root);
}

struct callgraph *callgraph_new(const struct snapshot *s, const struct callgraph_options *options)
{
	struct callgraph *g = mem_alloc(sizeof(*g));

	g->options = *options;
	g->extras = mem_alloc(sizeof(*g->extras));
	g->extra_count = g->extra_capacity = 1;
	find_nodes(g, s);
	if (options->waits)
		g->waits = node_waits_new();
	sum_cells(g, s);
	if (options->direction == CALLGRAPH_TOP_DOWN)
		start_top_down(g);
	else
		start_bottom_up(g);
	if (g->waits)
		node_waits_sum(g->waits, g->nodes, g->node_count,
			       options->direction == CALLGRAPH_TOP_DOWN);
	g->items[0].leaf = is_leaf(&g->items[0]);
	return g;
}

static void sums_fini(struct sums *s)
{
	mem_free(s->now, s->base, s->extra);
}

void callgraph_free(struct callgraph *g)
{
	if (!g)
		return;
	calltree_free(g->own);
	free(g->map);
	free(g->base_map);
	sums_fini(&g->self);
	sums_fini(&g->total);
	mem_free(g->gone, g->branches, g->starts, g->tails, g->items, g->extras);
	node_waits_free(g->waits);
	free(g);
}

const struct callgraph_item *callgraph_at(const struct callgraph *g, uint32_t item)
{
	return &g->items[item];
}

const struct callgraph_extra *callgraph_extra(const struct callgraph *g, uint32_t item)
{
	return &g->extras[g->items[item].extra];
}

const struct callgraph_extra *callgraph_extra_self(const struct callgraph *g)
{
	return &g->extra_self;
}

void callgraph_waits(const struct callgraph *g, uint32_t item, struct distribution *sum)
{
	const struct callgraph_item *i = &g->items[item];
	bool down = g->options.direction == CALLGRAPH_TOP_DOWN;

	*sum = (struct distribution){ 0 };
	if (!g->waits)
		return;
	if (down && !g->options.frame) {
		node_waits_total(g->waits, i->node, sum);
		return;
	}
	for (const struct tail *t = g->tails + i->from; t < g->tails + i->from + i->count; t++) {
		if (down)
			node_waits_total(g->waits, t->leaf, sum);
		else
			node_waits_self(g->waits, t->leaf, sum);
	}
}

void callgraph_waits_self(const struct callgraph *g, struct distribution *sum)
{
	const struct callgraph_item *root = &g->items[0];

	*sum = (struct distribution){ 0 };
	if (!g->waits || !g->options.frame || g->options.direction != CALLGRAPH_TOP_DOWN)
		return;
	for (uint32_t i = root->from; i < root->from + root->count; i++)
		node_waits_self(g->waits, g->tails[i].leaf, sum);
}

/* Marks the nodes whose totals are ITEM's. */
static void mark_item(const struct callgraph *g, const struct callgraph_item *item,
		      unsigned char *marks)
{
	if (g->options.direction == CALLGRAPH_TOP_DOWN && !g->options.frame) {
		marks[item->node] = 1;
		return;
	}
	for (uint32_t t = item->from; t < item->from + item->count; t++)
		marks[g->tails[t].leaf] = 1;
}

void callgraph_wakers(const struct callgraph *g, uint32_t item, waker_receiver *receive,
		      void *context)
{
	bool down = g->options.direction == CALLGRAPH_TOP_DOWN;
	unsigned char *marks;

	if (!g->waits)
		return;
	marks = mem_alloc(g->node_count);
	mark_item(g, &g->items[item], marks);
	for (uint32_t i = 0; i < g->node_count; i++) {
		marks[i] |= down && marks[g->nodes[i].parent];
		if (marks[i])
			node_waits_wakers(g->waits, i, receive, context);
	}
	free(marks);
}

size_t callgraph_count(const struct callgraph *g)
{
	return g->count;
}

/* Makes the children of one node, and prefetches theirs: these may be next, and lie far away. */
static void expand_node(struct callgraph *g, uint32_t item)
{
	const struct callgraph_item i = g->items[item];

	for (const struct branch *b = g->branches + i.from; b < g->branches + i.from + i.count;
	     b++) {
		struct callgraph_item made;

		__builtin_prefetch(g->branches + b->first);
		if (!(b->total > 0) && !is_some(&g->total, b->node))
			continue;
		made = item_of(g, b);
		made.parent = item;
		made.depth = i.depth + 1;
		append(g, &made);
	}
}

static int by_leaf(const void *a, const void *b, void *nodes)
{
	const struct call_node *all = nodes;
	uint32_t x = all[((const struct tail *)a)->leaf].frame;
	uint32_t y = all[((const struct tail *)b)->leaf].frame;

	return (x > y) - (x < y);
}

/* The nodes from FROM on that are of the same frame become one item. */
static size_t append_callee(struct callgraph *g, uint32_t item, size_t from)
{
	struct callgraph_item made = { .parent = item,
				       .depth = g->items[item].depth + 1,
				       .frame = g->nodes[g->tails[from].leaf].frame,
				       .from = (uint32_t)from };
	size_t i = from;

	for (; i < g->tail_count && g->nodes[g->tails[i].leaf].frame == made.frame; i++) {
		add_self(g, &made, g->tails[i].leaf);
		add_total(g, &made, g->tails[i].leaf);
	}
	made.count = (uint32_t)(i - from);
	made.leaf = is_leaf(&made);
	append(g, &made);
	return i;
}

/* The children of several nodes: equal ones are one. */
static void expand_nodes(struct callgraph *g, uint32_t item)
{
	size_t from = g->items[item].from, end = from + g->items[item].count, i = g->tail_count;

	for (; from < end; from++) {
		uint32_t leaf = g->tails[from].leaf;

		for (uint32_t at = g->starts[leaf]; at < g->starts[leaf + 1]; at++) {
			uint32_t n = g->branches[at].node;

			if (is_some(&g->total, n))
				tail_append(g, n, n);
		}
	}
	qsort_r(g->tails + i, g->tail_count - i, sizeof(*g->tails), by_leaf, (void *)g->nodes);
	while (i < g->tail_count)
		i = append_callee(g, item, i);
}

static void expand_down(struct callgraph *g, uint32_t item)
{
	if (g->options.frame)
		expand_nodes(g, item);
	else
		expand_node(g, item);
}

static int by_frame(const void *a, const void *b, void *nodes)
{
	const struct call_node *all = nodes;
	uint32_t x = all[((const struct tail *)a)->at].frame;
	uint32_t y = all[((const struct tail *)b)->at].frame;

	return (x > y) - (x < y);
}

#define MANY_TAILS 1024

static void sort_many(struct callgraph *g, struct tail *tails, size_t count, size_t frames)
{
	uint32_t *ends = mem_array(frames, sizeof(*ends));
	struct tail *sorted = mem_array(count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		ends[g->nodes[tails[i].at].frame]++;
	for (size_t frame = 1; frame < frames; frame++)
		ends[frame] += ends[frame - 1];
	for (size_t i = count; i-- > 0;)
		sorted[--ends[g->nodes[tails[i].at].frame]] = tails[i];
	memcpy(tails, sorted, count * sizeof(*tails));
	free(sorted);
	free(ends);
}

/* By the frame that they go on with; many of few frames by counting these. */
static void sort_tails(struct callgraph *g, struct tail *tails, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		if (g->nodes[tails[i].at].frame > most)
			most = g->nodes[tails[i].at].frame;
	}
	if (count < MANY_TAILS || most / 16 > count)
		qsort_r(tails, count, sizeof(*tails), by_frame, (void *)g->nodes);
	else
		sort_many(g, tails, count, (size_t)most + 1);
}

/* The tails from FROM on, up to END, that go on with the same frame become one item. */
static uint32_t append_caller(struct callgraph *g, uint32_t item, uint32_t from, uint32_t end)
{
	struct callgraph_item made = { .parent = item,
				       .depth = g->items[item].depth + 1,
				       .frame = g->nodes[g->tails[from].at].frame,
				       .from = from };
	uint32_t i = from;

	for (; i < end && g->nodes[g->tails[i].at].frame == made.frame; i++) {
		struct tail *t = &g->tails[i];

		t->at = g->nodes[t->at].parent;
		add_total(g, &made, t->leaf);
		if (t->at == CALL_ROOT)
			add_self(g, &made, t->leaf);
	}
	made.count = i - from;
	made.leaf = is_leaf(&made);
	append(g, &made);
	return i;
}

/* Tails without a further caller sort first: the root's frame is 0. */
static void expand_up(struct callgraph *g, uint32_t item)
{
	uint32_t i = g->items[item].from, end = i + g->items[item].count;

	sort_tails(g, g->tails + i, end - i);
	while (i < end && g->tails[i].at == CALL_ROOT)
		i++;
	while (i < end)
		i = append_caller(g, item, i, end);
}

static int by_total(const void *a, const void *b)
{
	const struct callgraph_item *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->base_total != y->base_total)
		return x->base_total < y->base_total ? 1 : -1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

#define FEW_ITEMS 12

/* Most functions call few others, for which qsort() costs more than the rest of making them. */
static void sort_items(struct callgraph_item *items, size_t count)
{
	if (count > FEW_ITEMS) {
		qsort(items, count, sizeof(*items), by_total);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct callgraph_item item = items[i];
		size_t at = i;

		if (by_total(&items[i - 1], &item) <= 0)
			continue;
		for (; at > 0 && by_total(&items[at - 1], &item) > 0; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static bool is_marked(const struct callgraph_marks *m, uint32_t frame)
{
	return frame < m->frame_count && m->frames[frame];
}

void callgraph_mark(const struct callgraph *g, struct callgraph_marks *m)
{
	bool down = g->options.direction == CALLGRAPH_TOP_DOWN;

	m->nodes = mem_alloc(g->node_count);
	for (size_t i = 1; i < g->node_count; i++)
		m->nodes[i] =
			is_marked(m, g->nodes[i].frame) || (!down && m->nodes[g->nodes[i].parent]);
	for (size_t i = g->node_count; down && i-- > 1;) {
		if (m->nodes[i] && is_some(&g->total, (uint32_t)i))
			m->nodes[g->nodes[i].parent] = 1;
	}
}

static bool is_marked_among(const struct callgraph *g, uint32_t at, uint32_t end,
			    const struct callgraph_marks *m)
{
	for (; at < end; at++) {
		uint32_t n = g->branches[at].node;

		if (m->nodes[n] && is_some(&g->total, n))
			return true;
	}
	return false;
}

/* An item whose children were made has passed its tails on to them. */
static bool is_marked_above(const struct callgraph *g, uint32_t item,
			    const struct callgraph_marks *m)
{
	const struct callgraph_item *i = &g->items[item];

	for (uint32_t child = 0; i->expanded && child < i->child_count; child++) {
		if (is_marked(m, g->items[i->first_child + child].frame) ||
		    is_marked_above(g, i->first_child + child, m))
			return true;
	}
	for (uint32_t t = i->from; !i->expanded && t < i->from + i->count; t++) {
		if (m->nodes[g->tails[t].at])
			return true;
	}
	return false;
}

bool callgraph_marked_below(const struct callgraph *g, uint32_t item,
			    const struct callgraph_marks *m)
{
	const struct callgraph_item *i = &g->items[item];

	if (i->leaf)
		return false;
	if (g->options.direction == CALLGRAPH_BOTTOM_UP)
		return is_marked_above(g, item, m);
	if (!g->options.frame)
		return is_marked_among(g, i->from, i->from + i->count, m);
	for (uint32_t t = i->from; t < i->from + i->count; t++) {
		uint32_t node = g->tails[t].leaf;

		if (is_marked_among(g, g->starts[node], g->starts[node + 1], m))
			return true;
	}
	return false;
}

uint32_t callgraph_expand(struct callgraph *g, uint32_t item)
{
	uint32_t first = (uint32_t)g->count;

	if (g->items[item].expanded || g->items[item].leaf)
		return g->items[item].child_count;
	if (g->options.direction == CALLGRAPH_TOP_DOWN)
		expand_down(g, item);
	else
		expand_up(g, item);
	sort_items(g->items + first, g->count - first);
	g->items[item].expanded = true;
	g->items[item].first_child = first;
	g->items[item].child_count = (uint32_t)g->count - first;
	return g->items[item].child_count;
}

uint32_t callgraph_child(struct callgraph *g, uint32_t item, uint32_t frame)
{
	uint32_t count = callgraph_expand(g, item), first = g->items[item].first_child;

	for (uint32_t i = first; i < first + count; i++) {
		if (g->items[i].frame == frame)
			return i;
	}
	return 0;
}

/* Inclusive sums: a frame's is that of its outermost nodes, of those that have it above them not. */
struct inclusive {
	const struct callgraph *g;
	double *sums;     /* one a frame */
	uint32_t *inside; /* likewise: how often it is on the path to here */
	size_t frames;
	uint32_t *places; /* by node: its branch */
};

static uint32_t *places_of(const struct callgraph *g)
{
	uint32_t *places = mem_array(g->node_count, sizeof(*places));

	for (uint32_t i = 0; i + 1 < g->node_count; i++)
		places[g->branches[i].node] = i;
	return places;
}

/* CALL_ROOT: none. */
static uint32_t first_child(const struct callgraph *g, uint32_t node)
{
	return g->starts[node] < g->starts[node + 1] ? g->branches[g->starts[node]].node
						     : CALL_ROOT;
}

static void enter(struct inclusive *n, uint32_t node)
{
	uint32_t frame = n->g->nodes[node].frame;

	if (frame < n->frames && !n->inside[frame]++)
		n->sums[frame] += n->g->total.now[node];
}

static void leave(struct inclusive *n, uint32_t node)
{
	uint32_t frame = n->g->nodes[node].frame;

	if (frame < n->frames)
		n->inside[frame]--;
}

/* Where the walk goes on when all below NODE was seen; CALL_ROOT: it is at its end. */
static uint32_t next_outside(struct inclusive *n, uint32_t node)
{
	while (node != CALL_ROOT) {
		uint32_t parent = n->g->nodes[node].parent, place = n->places[node] + 1;

		leave(n, node);
		if (place < n->g->starts[parent + 1])
			return n->g->branches[place].node;
		node = parent;
	}
	return CALL_ROOT;
}

static void walk(struct inclusive *n)
{
	uint32_t node = first_child(n->g, CALL_ROOT);

	while (node != CALL_ROOT) {
		uint32_t child = first_child(n->g, node);

		enter(n, node);
		node = child != CALL_ROOT ? child : next_outside(n, node);
	}
}

double *callgraph_inclusive(const struct snapshot *s, const struct callgraph_options *options,
			    size_t *count)
{
	struct callgraph_options down = *options;
	struct inclusive n = { .frames = s->frames ? frame_table_count(s->frames) : 0 };
	struct callgraph *g;

	down.direction = CALLGRAPH_TOP_DOWN;
	down.extra = NULL;
	down.waits = false;
	down.base = NULL;
	g = callgraph_new(s, &down);
	n.g = g;
	n.sums = mem_array(n.frames, sizeof(*n.sums));
	n.inside = mem_array(n.frames, sizeof(*n.inside));
	n.places = places_of(g);
	walk(&n);
	free(n.places);
	free(n.inside);
	callgraph_free(g);
	*count = n.frames;
	return n.sums;
}
