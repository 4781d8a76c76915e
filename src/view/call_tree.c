/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/calls.h"
#include "view/sort.h"

/*
 * The rows of a call tree: those that are open, changed where something is opened or closed, and
 * searched also where they are closed.
 */

#define STATE_LIMIT (1u << 17)	/* what was opened by itself; more is not kept */

const char calls_open, calls_closed;

struct tree_walk {
	struct calls *calls;
	const struct calls_request *request;
	const struct calls_tree *tree;
	struct calls made;		/* rows alone */
	struct call_row *stack;		/* rows to come, the next one on top */
	size_t depth, capacity;
	struct call_row *siblings;	/* while they are put in order */
	size_t sibling_capacity;
};

static void walk_fini(struct tree_walk *w)
{
	free(w->stack);
	free(w->siblings);
	free(w->made.rows);
}

/* What is large now, or was in the base. */
static bool is_large(const struct tree_walk *w, const struct call_row *row)
{
	return row->total_percent >= w->tree->open_percent ||
	       calls_base_percent(row, &w->calls->wholes) >= w->tree->open_percent;
}

static bool is_open(const struct tree_walk *w, const struct call_row *row)
{
	const void *chosen = map_find(&w->tree->state->open, row->key);

	if (chosen || !row->place.parent)
		return chosen == &calls_open;
	if (!is_large(w, row))
		return false;
	if (w->tree->state->open.count < STATE_LIMIT)
		map_put(&w->tree->state->open, row->key, (void *)&calls_open);
	return true;
}

/* What the rows are under: nothing, or the function that they are around. */
static uint64_t root_key(const struct tree_walk *w)
{
	return w->tree->frame ? calls_key(0, w->tree->frame) : 0;
}

static struct call_row row_of(const struct tree_walk *w, uint32_t item,
			      const struct call_row *parent)
{
	const struct callgraph_item *i = callgraph_at(w->calls->graph, item);
	struct call_row row = {
		.item = item, .frame = i->frame,
		.key = calls_key(parent ? parent->key : root_key(w), i->frame),
		.total = i->total, .self = i->self, .base = i->base_total,
		.waits = &w->calls->waits, .beside = i->beside,
	};

	calls_shares(&row, &w->calls->wholes, callgraph_at(w->calls->graph, i->parent)->total);
	row.place.parent = !i->leaf;
	if (!parent)
		return row;
	row.place.depth = parent->place.depth < UINT16_MAX ? (uint16_t)(parent->place.depth + 1)
							   : UINT16_MAX;
	row.place.more = parent->place.more;
	if (!parent->place.last && parent->place.depth && parent->place.depth < TREE_DEPTH_DRAWN)
		row.place.more |= (uint64_t)1 << parent->place.depth;
	return row;
}

static void sibling_fill(const void *context, size_t i, struct column_row *row)
{
	const struct tree_walk *w = context;

	row->snapshot = w->request->snapshot;
	row->call = &w->siblings[i];
}

static uint64_t sibling_tie(const void *context, size_t i)
{
	(void)context;
	return i;		/* callgraph_expand() has put them in order */
}

/*
 * What the function that rows are around spends itself is a row among those that it calls; where it
 * calls itself, too, one for both.  Their number.
 */
static uint32_t itself_add(struct tree_walk *w, uint32_t count)
{
	const struct callgraph_item *root = callgraph_at(w->calls->graph, 0);
	struct call_row *row = w->siblings;

	if (!w->tree->frame || w->tree->bottom_up || !(root->self > 0 || root->base_self > 0))
		return count;
	while (row < w->siblings + count && row->frame != root->frame)
		row++;
	if (row == w->siblings + count)
		*row = (struct call_row){ .frame = root->frame, .waits = &w->calls->waits,
					  .key = calls_key(root_key(w), root->frame) };
	row->self += root->self;
	row->total += root->self;
	row->base += root->base_self;
	callgraph_beside_add(&row->beside, &root->beside_self);
	calls_shares(row, &w->calls->wholes, root->total);
	return row == w->siblings + count ? count + 1 : count;
}

/* Pushes the children of ITEM, whose row is PARENT, the last one first. */
static void children_push(struct tree_walk *w, uint32_t item, const struct call_row *parent)
{
	uint32_t count = callgraph_expand(w->calls->graph, item);
	uint32_t first = callgraph_at(w->calls->graph, item)->first_child;
	struct sort_rows rows = { .row = sibling_fill, .tie = sibling_tie, .context = w };
	uint32_t *order;

	mem_grow((void **)&w->siblings, &w->sibling_capacity, count + 1, sizeof(*w->siblings));
	for (uint32_t i = 0; i < count; i++)
		w->siblings[i] = row_of(w, first + i, parent);
	if (!parent)
		count = itself_add(w, count);
	mem_grow((void **)&w->stack, &w->capacity, w->depth + count + 1, sizeof(*w->stack));
	rows.count = count;
	order = sort_order(&rows, w->request->sort);
	for (uint32_t i = count; i-- > 0;) {
		w->stack[w->depth] = w->siblings[order[i]];
		w->stack[w->depth++].place.last = i + 1 == count;
	}
	free(order);
}

static struct call_row *row_append(struct calls *c)
{
	mem_grow((void **)&c->rows, &c->capacity, c->count + 1, sizeof(*c->rows));
	return &c->rows[c->count++];
}

/* Makes rows of what was pushed and is open, at most LIMIT; 0: all. */
static void rows_make(struct tree_walk *w, struct calls *made, size_t limit)
{
	while (w->depth && (!limit || made->count < limit)) {
		struct call_row *row = row_append(made);
		struct call_row copy;

		*row = w->stack[--w->depth];
		row->place.folded = row->place.parent && !is_open(w, row);
		copy = *row;
		if (copy.place.parent && !copy.place.folded)
			children_push(w, copy.item, &copy);
	}
}

void calls_build_tree(struct calls *c, const struct calls_request *q, const struct calls_tree *t)
{
	struct tree_walk w = { .calls = c, .request = q, .tree = t };
	struct calls_filters filters;

	c->count = 0;
	callgraph_free(c->graph);
	c->graph = NULL;
	if (q->filters->event < 0)
		return;
	calls_filters_init(&filters, q);
	c->wholes = calls_wholes_of(&filters);
	c->waits = filters.now.waits;
	c->graph = calls_graph(&filters, t->bottom_up, t->frame);
	calls_filters_fini(&filters);
	children_push(&w, 0, NULL);
	rows_make(&w, c, t->limit);
	walk_fini(&w);
}

/* The row behind all that are below row I. */
static size_t end_below(const struct calls *c, size_t i)
{
	uint16_t depth = c->rows[i++].place.depth;

	while (i < c->count && c->rows[i].place.depth > depth)
		i++;
	return i;
}

void calls_rows_below(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		      size_t i)
{
	struct tree_walk w = { .calls = c, .request = q, .tree = t };
	size_t end = end_below(c, i), after = c->count - end;
	struct call_row *row = &c->rows[i], copy;

	row->place.folded = row->place.parent && !is_open(&w, row);
	copy = *row;
	if (copy.place.parent && !copy.place.folded)
		children_push(&w, copy.item, &copy);
	rows_make(&w, &w.made, 0);
	mem_grow((void **)&c->rows, &c->capacity, i + 1 + w.made.count + after, sizeof(*c->rows));
	memmove(&c->rows[i + 1 + w.made.count], &c->rows[end], after * sizeof(*c->rows));
	if (w.made.count)
		memcpy(&c->rows[i + 1], w.made.rows, w.made.count * sizeof(*c->rows));
	c->count = i + 1 + w.made.count + after;
	walk_fini(&w);
}

size_t calls_row_of(const struct calls *c, uint64_t key, size_t from)
{
	while (from < c->count && c->rows[from].key != key)
		from++;
	return from < c->count ? from : SIZE_MAX;
}

/* Searching. */

static bool row_hits(const struct calls_search *s, const struct call_row *row)
{
	return row->frame < s->marks.frame_count && s->marks.frames[row->frame];
}

static bool hits_below(const struct calls *c, const struct calls_search *s,
		       const struct call_row *row)
{
	return row->place.parent && callgraph_marked_below(c->graph, row->item, &s->marks);
}

/* Of the rows that were pushed the first one, or the last, that hits or has one that does below it. */
static struct call_row next_step(const struct tree_walk *w, const struct calls_search *s)
{
	size_t i = s->direction < 0 ? 0 : w->depth - 1;

	while (!row_hits(s, &w->stack[i]) && !hits_below(w->calls, s, &w->stack[i]))
		i += s->direction < 0 ? 1 : (size_t)-1;
	return w->stack[i];
}

/* Opens the way from row I, which has a hit below it, to the first or last one.  That row. */
static size_t dig(struct tree_walk *w, struct calls_search *s, size_t i)
{
	struct call_row row = w->calls->rows[i];
	bool arrived = false;

	while (!arrived) {
		if (map_find(&w->tree->state->open, row.key) != &calls_open) {
			mem_grow((void **)&s->opened, &s->capacity, s->opened_count + 1,
				 sizeof(*s->opened));
			s->opened[s->opened_count++] = row.key;
		}
		map_put(&w->tree->state->open, row.key, (void *)&calls_open);
		w->depth = 0;
		children_push(w, row.item, &row);
		row = next_step(w, s);
		arrived = s->direction < 0 ? !hits_below(w->calls, s, &row) : row_hits(s, &row);
	}
	calls_rows_below(w->calls, w->request, w->tree, i);
	return calls_row_of(w->calls, row.key, i);
}

size_t calls_find(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		  struct calls_search *s)
{
	struct tree_walk w = { .calls = c, .request = q, .tree = t };
	size_t count = c->count, step = s->direction < 0 ? count - 1 : 1, i = s->from;
	size_t found = SIZE_MAX;

	if (!c->graph)
		return SIZE_MAX;
	callgraph_mark(c->graph, &s->marks);
	for (size_t n = 0; n <= count && found == SIZE_MAX; n++, i = (i + step) % count) {
		bool itself = row_hits(s, &c->rows[i]) && (n || !s->direction);
		bool below = c->rows[i].place.folded && (n || s->direction >= 0) &&
			     hits_below(c, s, &c->rows[i]);

		if (itself && (s->direction >= 0 || !below))
			found = i;
		else if (below)
			found = dig(&w, s, i);
	}
	free(s->marks.nodes);
	s->marks.nodes = NULL;
	walk_fini(&w);
	return found;
}
