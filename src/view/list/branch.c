/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/list/sort.h"
#include "view/widget/number.h"

/* The process with the most samples. */

/* The samples of one process in one row. */
struct tally {
	uint32_t item;
	const struct snapshot_cell *cell; /* one of its cells */
	double samples;
};

struct tallies {
	struct tally *items;
	size_t count, capacity;
	struct map by_key; /* item and process to number + 1 */
};

static void tally_add(struct tallies *t, uint32_t item, const struct snapshot_cell *cell,
		      double samples)
{
	uint64_t key = (uint64_t)(item + 1) << 32 | cell->process;
	size_t number = map_enter(&t->by_key, key);

	if (number == t->count) {
		mem_grow((void **)&t->items, &t->capacity, number + 1, sizeof(*t->items));
		t->items[t->count++] = (struct tally){ .item = item, .cell = cell };
	}
	t->items[number].samples += samples;
}

static void count_cells(const struct branch_request *q, struct tallies *t)
{
	const struct rows_request *request = q->choice->rows;
	const struct snapshot *s = q->snapshot;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];
		uint32_t item;

		if (c->event != request->event || !rows_cell_passes(q->rows, s, request, c))
			continue;
		item = q->kind->item_of(q->context, c);
		if (item != BRANCH_NONE)
			tally_add(t, item, c, c->samples);
	}
}

/* The counts of a row belong to those above it, too. */
static void count_above(const struct branches *b, struct tallies *t)
{
	size_t leaves = t->count;

	for (size_t i = 0; i < leaves; i++) {
		const struct tally leaf = t->items[i];
		uint32_t item = leaf.item;

		while (branch_at(b, item)->parent != item) {
			item = branch_at(b, item)->parent;
			tally_add(t, item, leaf.cell, leaf.samples);
		}
	}
}

static void count(const struct branches *b, const struct branch_request *q)
{
	struct tallies t = { 0 };

	count_cells(q, &t);
	count_above(b, &t);
	for (size_t i = 0; i < t.count; i++)
		branch_at(b, t.items[i].item)->shown += t.items[i].samples;
	for (size_t i = 0; i < t.count; i++) {
		struct branch *row = branch_at(b, t.items[i].item);
		double percent = 100 * number_divide(t.items[i].samples, row->shown);

		if (row->top &&
		    (percent < row->top_percent ||
		     (percent == row->top_percent && t.items[i].cell->process > row->top->process)))
			continue;
		row->top = t.items[i].cell;
		row->top_percent = percent;
	}
	for (size_t i = 0; i < b->count; i++)
		branch_at(b, i)->shown_percent =
			100 * number_divide(branch_at(b, i)->shown, branch_at(b, 0)->shown);
	free(t.items);
	map_fini(&t.by_key);
}

/* Filter, order and folding. */

static void filter(const struct branches *b, const struct branch_request *q)
{
	const char *text = q->choice->text;

	for (size_t i = 0; i < b->count; i++) {
		size_t at = i;

		if (text && !q->kind->matches(branch_at(b, i), text))
			continue;
		while (!branch_at(b, at)->kept) {
			branch_at(b, at)->kept = true;
			at = branch_at(b, at)->parent;
		}
	}
}

struct arranged {
	const struct branches *branches;
	const struct branch_request *request;
	uint32_t *items; /* those that are kept, in their order */
};

static void item_fill(const void *context, size_t i, struct column_row *row)
{
	const struct arranged *a = context;
	const struct branch *branch = branch_at(a->branches, a->items[i]);

	row->snapshot = a->request->snapshot;
	row->branch = branch;
	a->request->kind->fill(row, branch);
}

static uint64_t item_tie(const void *context, size_t i)
{
	const struct arranged *a = context;

	return branch_at(a->branches, a->items[i])->key;
}

static bool is_closed(const struct branch_choice *choice, const struct branch *branch)
{
	return !choice->all_open && !choice->text &&
	       branch->closed_at_first != !!map_find(choice->folded, branch->key);
}

static bool is_folded(const void *context, size_t i)
{
	const struct arranged *a = context;

	return is_closed(a->request->choice, branch_at(a->branches, a->items[i]));
}

/* Returns true if all rows above row I are open. */
static bool is_open(const struct arranged *a, size_t i)
{
	while (branch_at(a->branches, i)->parent != i) {
		i = branch_at(a->branches, i)->parent;
		if (is_closed(a->request->choice, branch_at(a->branches, i)))
			return false;
	}
	return true;
}

/* Others need no place in the order, but for one below each closed row that is seen: its mark. */
static bool has_place(const struct arranged *a, size_t i, bool *marked)
{
	uint32_t parent = branch_at(a->branches, i)->parent;

	if (!branch_at(a->branches, i)->kept)
		return false;
	if (is_open(a, i))
		return true;
	if (marked[parent] || !is_open(a, parent))
		return false;
	marked[parent] = true;
	return true;
}

/* Puts the kept items into the order of the columns. */
static size_t sort_items(struct arranged *a)
{
	const struct branches *b = a->branches;
	struct sort_rows rows = { .row = item_fill, .tie = item_tie, .context = a };
	bool *marked = mem_array(b->count, sizeof(*marked));
	uint32_t *order, *kept;

	for (size_t i = 0; i < b->count; i++) {
		if (has_place(a, i, marked))
			a->items[rows.count++] = (uint32_t)i;
	}
	free(marked);
	order = sort_order(&rows, a->request->choice->sort);
	kept = mem_array(rows.count, sizeof(*kept));
	for (size_t i = 0; i < rows.count; i++)
		kept[i] = a->items[order[i]];
	mem_free(order, a->items);
	a->items = kept;
	return rows.count;
}

static void arrange(const struct branches *b, const struct branch_request *q,
		    struct branch_order *o)
{
	struct arranged a = { b, q, mem_array(b->count, sizeof(*a.items)) };
	size_t count = sort_items(&a);
	uint32_t *parents = mem_array(count, sizeof(*parents));
	uint32_t *positions = mem_array(b->count, sizeof(*positions));
	const struct tree_request request = { parents, count, is_folded, &a };

	for (size_t i = 0; i < count; i++)
		positions[a.items[i]] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		parents[i] = positions[branch_at(b, a.items[i])->parent];
	branch_order_fini(o);
	o->order = mem_array(count, sizeof(*o->order));
	o->places = mem_array(count, sizeof(*o->places));
	o->count = tree_arrange(&request, o->order, o->places);
	for (size_t i = 0; i < o->count; i++) {
		o->order[i] = a.items[o->order[i]];
		o->places[i].name = q->kind->name_columns;
	}
	mem_free(parents, positions, a.items);
}

void branches_show(const struct branches *b, const struct branch_request *q, struct branch_order *o)
{
	count(b, q);
	filter(b, q);
	arrange(b, q, o);
}

void branch_order_fini(struct branch_order *o)
{
	mem_free(o->order, o->places);
	memset(o, 0, sizeof(*o));
}
