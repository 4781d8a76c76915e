/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/list/calls.h"
#include "view/list/sort.h"

/*
 * The rows of a call tree: makes the open ones, changes them when a row is opened or closed, and
 * searches closed ones, too.
 */

#define STATE_LIMIT (1u << 17) /* most rows that keep being open by default */
#define OPEN_LIMIT 200000      /* rows; from here on "open all" opens no more */

/* Choices. */

/* A choice: its age and its value; 0: none. */
static uint32_t choice_make(const struct calls_state *s, bool open)
{
	return (s->clock + 1) << 1 | open;
}

static bool choice_opens(uint32_t choice)
{
	return choice & 1;
}

static uint32_t choice_find(const struct map *m, uint64_t key)
{
	return (uint32_t)(uintptr_t)map_find(m, key);
}

static void choice_put(struct map *m, uint64_t key, uint32_t choice)
{
	map_put(m, key, (void *)(uintptr_t)choice);
}

void calls_choose(struct calls_state *s, uint64_t key, bool open)
{
	choice_put(&s->rows, key, choice_make(s, open));
	s->clock++;
}

void calls_choose_all(struct calls_state *s, uint64_t key, bool open)
{
	choice_put(&s->below, key, choice_make(s, open));
	calls_choose(s, key, open);
}

void calls_state_fini(struct calls_state *s)
{
	map_fini(&s->rows);
	map_fini(&s->below);
}

/* Lines. */

struct tree_walk {
	struct calls *calls;
	const struct calls_request *request;
	const struct calls_tree *tree;
	struct calls made;        /* lines alone */
	struct calls_line *stack; /* pending lines, the next one on top */
	size_t depth, capacity;
	struct call_row *siblings; /* while they are put in order */
	size_t sibling_capacity;
};

static void walk_fini(struct tree_walk *w)
{
	mem_free(w->stack, w->siblings, w->made.lines);
}

/* Returns true if the share of the line is large, now or in the base. */
static bool is_large(const struct tree_walk *w, const struct calls_line *line)
{
	const struct callgraph_item *i = callgraph_at(w->calls->graph, line->item);
	const struct share_sum *whole = &w->calls->whole, base = { whole->base, NAN };
	double least = w->tree->open_percent;

	return share_percent(whole, i->total) >= least ||
	       share_percent(&base, i->base_total) >= least;
}

/* BEFORE: the lines in front of it that are made with it. */
static bool is_open(const struct tree_walk *w, const struct calls_line *line, size_t before)
{
	struct calls_state *state = w->tree->state;
	uint32_t own = choice_find(&state->rows, line->key);

	if (!line->place.parent)
		return false;
	if (own > line->choice)
		return choice_opens(own);
	if (line->choice)
		return choice_opens(line->choice) && before < OPEN_LIMIT;
	if (!is_large(w, line))
		return false;
	if (state->rows.count < STATE_LIMIT)
		choice_put(&state->rows, line->key, choice_make(state, true));
	return true;
}

/* The key above the rows: 0, or that of the function in focus. */
static uint64_t root_key(const struct tree_walk *w)
{
	return w->tree->frame ? calls_key(0, w->tree->frame) : 0;
}

static struct calls_line line_of(const struct tree_walk *w, uint32_t item,
				 const struct calls_line *parent)
{
	const struct callgraph_item *i = callgraph_at(w->calls->graph, item);
	struct calls_line line = {
		.item = item,
		.place.parent = item && !i->leaf,
		.key = calls_key(parent ? parent->key : root_key(w), i->frame),
	};

	if (!parent)
		return line;
	line.place.depth =
		parent->place.depth < UINT16_MAX ? (uint16_t)(parent->place.depth + 1) : UINT16_MAX;
	line.place.more = parent->place.more;
	if (!parent->place.last && parent->place.depth && parent->place.depth < TREE_DEPTH_DRAWN)
		line.place.more |= (uint64_t)1 << parent->place.depth;
	return line;
}

/*
 * The own part of the function in focus is a row among its callees.  If the function calls itself,
 * both share a row.
 */
static bool has_itself(const struct tree_walk *w)
{
	const struct callgraph_item *root = callgraph_at(w->calls->graph, 0);

	return w->tree->frame && !w->tree->bottom_up && (root->self > 0 || root->base_self > 0);
}

static void itself_add(const struct calls *c, struct call_row *row)
{
	const struct callgraph_item *root = callgraph_at(c->graph, 0);

	row->self += root->self;
	row->total += root->self;
	row->base += root->base_self;
	callgraph_extra_add(&row->delays, callgraph_extra_self(c->graph));
}

/* Returns true if LINE has the own part of the function in focus. */
static bool is_itself(const struct calls *c, const struct calls_line *line)
{
	return c->itself && !line->place.depth &&
	       callgraph_at(c->graph, line->item)->frame == callgraph_at(c->graph, 0)->frame;
}

static void line_lengths(const struct calls *c, const struct calls_line *line,
			 struct distribution *sum)
{
	struct distribution own;

	*sum = (struct distribution){ 0 };
	if (line->item)
		callgraph_waits(c->graph, line->item, sum);
	if (!is_itself(c, line))
		return;
	callgraph_waits_self(c->graph, &own);
	distribution_add(sum, &own);
}

void calls_lengths(const struct calls *c, size_t i, struct distribution *sum)
{
	*sum = (struct distribution){ 0 };
	if (i < c->count)
		line_lengths(c, &c->lines[i], sum);
	else if (c->graph)
		callgraph_waits(c->graph, 0, sum);
}

void calls_wakers(const struct calls *c, size_t i, waker_receiver *receive, void *context)
{
	if (c->graph)
		callgraph_wakers(c->graph, i < c->count ? c->lines[i].item : 0, receive, context);
}

static struct call_row row_of(const struct calls *c, const struct calls_line *line)
{
	const struct callgraph_item *i = callgraph_at(c->graph, line->item);
	struct call_row row = { .item = line->item,
				.frame = i->frame,
				.key = line->key,
				.place = line->place,
				.waits = &c->waits,
				.lengths = distribution_unknown };
	struct distribution lengths;

	if (line->item) {
		row.total = i->total;
		row.self = i->self;
		row.base = i->base_total;
		row.delays = *callgraph_extra(c->graph, line->item);
	}
	if (is_itself(c, line))
		itself_add(c, &row);
	if (c->waits.time) {
		line_lengths(c, line, &lengths);
		row.lengths = distribution_facts(&lengths);
	}
	calls_shares(&row, &c->whole, callgraph_at(c->graph, i->parent)->total);
	row.wall_percent = share_percent(&c->latency, row.delays.latency);
	return row;
}

static void sibling_fill(const void *context, size_t i, struct column_row *row)
{
	const struct tree_walk *w = context;

	row->snapshot = w->request->snapshot;
	row->call = &w->siblings[i];
	row->delta_percent = row->call->delta_percent;
}

static uint64_t sibling_tie(const void *context, size_t i)
{
	(void)context;
	return i; /* callgraph_expand() has put them in order */
}

/* Returns true if the order is that of callgraph_expand(). */
static bool is_in_order(const struct choice_sort *sort)
{
	return !sort->count ||
	       (sort->count == 1 && sort->keys[0].column->as_made && sort->keys[0].descending);
}

/* Sorts the COUNT lines on top of the stack, the first one on top. */
static void siblings_sort(struct tree_walk *w, size_t count)
{
	struct calls_line *lines = w->stack + w->depth - count;
	struct sort_rows rows = {
		.row = sibling_fill, .tie = sibling_tie, .context = w, .count = count
	};
	struct calls_line *sorted = mem_array(count, sizeof(*sorted));
	uint32_t *order;

	mem_grow((void **)&w->siblings, &w->sibling_capacity, count, sizeof(*w->siblings));
	for (size_t i = 0; i < count; i++)
		w->siblings[i] = row_of(w->calls, &lines[count - 1 - i]);
	order = sort_order(&rows, w->request->sort);
	for (size_t i = 0; i < count; i++)
		sorted[count - 1 - i] = lines[count - 1 - order[i]];
	memcpy(lines, sorted, count * sizeof(*lines));
	free(sorted);
	free(order);
}

/* Pushes the line of the own part, unless it is among the COUNT lines on top. */
static size_t itself_push(struct tree_walk *w, size_t count)
{
	struct calls_line line = line_of(w, 0, NULL);

	for (size_t i = w->depth - count; i < w->depth; i++) {
		if (w->stack[i].key == line.key)
			return count;
	}
	/* In front of them, which is behind them. */
	memmove(w->stack + w->depth - count + 1, w->stack + w->depth - count,
		count * sizeof(*w->stack));
	w->stack[w->depth++ - count] = line;
	return count + 1;
}

/* Pushes the children of ITEM, whose line is PARENT, the last one first. */
static void children_push(struct tree_walk *w, uint32_t item, const struct calls_line *parent)
{
	size_t count = callgraph_expand(w->calls->graph, item);
	uint32_t first = callgraph_at(w->calls->graph, item)->first_child, choice = 0;
	bool itself = !parent && w->calls->itself;

	if (parent) {
		uint32_t own = choice_find(&w->tree->state->below, parent->key);

		choice = own > parent->choice ? own : parent->choice;
	}
	mem_grow((void **)&w->stack, &w->capacity, w->depth + count + 1, sizeof(*w->stack));
	for (size_t i = count; i-- > 0;) {
		w->stack[w->depth] = line_of(w, first + (uint32_t)i, parent);
		w->stack[w->depth++].choice = choice;
	}
	if (itself)
		count = itself_push(w, count);
	if (count > 1 && (itself || !is_in_order(w->request->sort)))
		siblings_sort(w, count);
	if (count)
		w->stack[w->depth - count].place.last = true;
}

/* Makes the open lines from the stack, at most LIMIT; 0: all. */
static void lines_make(struct tree_walk *w, struct calls *made, size_t limit)
{
	while (w->depth && (!limit || made->count < limit)) {
		struct calls_line line = w->stack[--w->depth];

		line.place.folded = line.place.parent && !is_open(w, &line, made->count);
		mem_grow((void **)&made->lines, &made->capacity, made->count + 1,
			 sizeof(*made->lines));
		made->lines[made->count++] = line;
		if (line.place.parent && !line.place.folded)
			children_push(w, line.item, &line);
	}
}

/* Rows. */

#define BLOCK_ROWS 64

static void pool_empty(struct calls *c)
{
	c->pool.used = 0;
	for (size_t i = 0; i < c->count; i++)
		c->lines[i].made = NULL;
}

static struct call_row *pool_take(struct calls_pool *p)
{
	size_t block = p->used / BLOCK_ROWS;

	if (block == p->block_count) {
		mem_grow((void **)&p->blocks, &p->capacity, block + 1, sizeof(*p->blocks));
		p->blocks[p->block_count++] = mem_array(BLOCK_ROWS, sizeof(**p->blocks));
	}
	return &p->blocks[block][p->used++ % BLOCK_ROWS];
}

const struct call_row *calls_row(struct calls *c, size_t i)
{
	struct calls_line *line = &c->lines[i];

	if (!line->made) {
		line->made = pool_take(&c->pool);
		*line->made = row_of(c, line);
	}
	return line->made;
}

void calls_build_tree(struct calls *c, const struct calls_request *q, const struct calls_tree *t)
{
	struct tree_walk w = { .calls = c, .request = q, .tree = t };
	struct calls_filters filters;

	c->count = 0;
	c->pool.used = 0;
	callgraph_free(c->graph);
	c->graph = NULL;
	if (q->filters->event < 0)
		return;
	calls_filters_init(&filters, q);
	c->whole = filters.whole;
	c->latency = filters.latency;
	c->waits = filters.now.waits;
	c->graph = calls_graph(&filters, t->bottom_up, t->frame);
	calls_filters_fini(&filters);
	c->itself = has_itself(&w);
	children_push(&w, 0, NULL);
	lines_make(&w, c, t->limit);
	walk_fini(&w);
}

/* The first row after all rows below row I. */
static size_t end_below(const struct calls *c, size_t i)
{
	uint16_t depth = c->lines[i++].place.depth;

	while (i < c->count && c->lines[i].place.depth > depth)
		i++;
	return i;
}

void calls_rows_below(struct calls *c, const struct calls_request *q, const struct calls_tree *t,
		      size_t i)
{
	struct tree_walk w = { .calls = c, .request = q, .tree = t };
	size_t end = end_below(c, i), after = c->count - end, made;
	struct calls_line line = c->lines[i];

	line.made = NULL;
	line.place.folded = line.place.parent && !is_open(&w, &line, 0);
	if (line.place.parent && !line.place.folded)
		children_push(&w, line.item, &line);
	lines_make(&w, &w.made, 0);
	made = w.made.count;
	mem_grow((void **)&c->lines, &c->capacity, i + 1 + made + after, sizeof(*c->lines));
	c->lines[i] = line;
	memmove(&c->lines[i + 1 + made], &c->lines[end], after * sizeof(*c->lines));
	if (made)
		memcpy(&c->lines[i + 1], w.made.lines, made * sizeof(*c->lines));
	c->count = i + 1 + made + after;
	pool_empty(c);
	walk_fini(&w);
}

size_t calls_row_of(const struct calls *c, uint64_t key, size_t from)
{
	while (from < c->count && c->lines[from].key != key)
		from++;
	return from < c->count ? from : SIZE_MAX;
}

/* Searching. */

static bool line_hits(const struct calls *c, const struct calls_search *s,
		      const struct calls_line *line)
{
	uint32_t frame = callgraph_at(c->graph, line->item)->frame;

	return frame < s->marks.frame_count && s->marks.frames[frame];
}

static bool hits_below(const struct calls *c, const struct calls_search *s,
		       const struct calls_line *line)
{
	return line->place.parent && callgraph_marked_below(c->graph, line->item, &s->marks);
}

/* The first or last of the pushed lines that matches, or has a match below it. */
static struct calls_line next_step(const struct tree_walk *w, const struct calls_search *s)
{
	size_t i = s->direction < 0 ? 0 : w->depth - 1;

	while (!line_hits(w->calls, s, &w->stack[i]) && !hits_below(w->calls, s, &w->stack[i]))
		i += s->direction < 0 ? 1 : (size_t)-1;
	return w->stack[i];
}

/*
 * Opens the path from row I, which has a match below it, to its first or last match.  Returns that
 * row.
 */
static size_t dig(struct tree_walk *w, struct calls_search *s, size_t i)
{
	struct calls_line line = w->calls->lines[i];
	bool arrived = false;

	while (!arrived) {
		if (!is_open(w, &line, 0)) {
			mem_grow((void **)&s->opened, &s->capacity, s->opened_count + 1,
				 sizeof(*s->opened));
			s->opened[s->opened_count++] = line.key;
			calls_choose(w->tree->state, line.key, true);
		}
		w->depth = 0;
		children_push(w, line.item, &line);
		line = next_step(w, s);
		arrived = s->direction < 0 ? !hits_below(w->calls, s, &line)
					   : line_hits(w->calls, s, &line);
	}
	calls_rows_below(w->calls, w->request, w->tree, i);
	return calls_row_of(w->calls, line.key, i);
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
		const struct calls_line *line = &c->lines[i];
		bool itself = (n || !s->direction) && line_hits(c, s, line);
		bool below =
			line->place.folded && (n || s->direction >= 0) && hits_below(c, s, line);

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
