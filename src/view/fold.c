/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/branch.h"
#include "view/view-state.h"

/*
 * Opens and closes rows of trees.  Rows are kept by their key, so that they stay as they are in
 * later snapshots.  In call trees the open rows are kept, in other trees the rows that differ from
 * their first state.
 */

static struct tree_place place_of(const struct view *v, size_t i)
{
	return *list_row(&v->lists, v->place.pane, i).place;
}

/* The parent row of row I; a root is its own. */
static size_t parent_row(const struct view *v, size_t i)
{
	uint16_t depth = place_of(v, i).depth;

	while (depth && i > 0 && place_of(v, i).depth >= depth)
		i--;
	return i;
}

/* The open branches of the focused list. */
static struct calls_state *opened_of(const struct view *v)
{
	return call_list_opened(&v->lists, v->place.pane);
}

static void row_set(struct view *v, size_t i, bool open)
{
	struct column_row row = list_row(&v->lists, v->place.pane, i);

	uint64_t key = row.branch ? row.branch->key : row.process ? row.process->serial : 0;
	bool open_at_first = !row.branch || !row.branch->closed_at_first;

	if (row.call)
		calls_choose(opened_of(v), row.call->key, open);
	else if (open == open_at_first)
		map_remove(&v->folded, key);
	else
		map_put(&v->folded, key, v);
}

/* Opens or closes the row and all rows below it; for processes those that exist now. */
static void rows_set(struct view *v, size_t i, bool open)
{
	struct column_row row = list_row(&v->lists, v->place.pane, i);
	uint16_t depth = row.place->depth;
	size_t count = view_row_count(v, v->place.pane);

	if (row.call) {
		calls_choose_all(opened_of(v), row.call->key, open);
		return;
	}
	row_set(v, i, open);
	for (i++; i < count && place_of(v, i).depth > depth; i++)
		row_set(v, i, open);
}

/* Opens the largest child of each row down to a leaf.  Returns the key of the leaf. */
static uint64_t hot_open(struct view *v, const struct call_row *row)
{
	struct callgraph *g = call_list_calls(&v->lists, v->place.pane)->graph;
	uint32_t item = row->item;
	uint64_t key = row->key;

	while (callgraph_expand(g, item)) {
		calls_choose(opened_of(v), key, true);
		item = callgraph_at(g, item)->first_child;
		key = calls_key(key, callgraph_at(g, item)->frame);
	}
	return key;
}

/* Returns the key of the row to select. */
static uint64_t row_open(struct view *v, size_t i, enum view_fold how)
{
	struct column_row row = list_row(&v->lists, v->place.pane, i);

	if (how == FOLD_HOT && row.call)
		return hot_open(v, row.call);
	if (how == FOLD_OPEN_ALL)
		rows_set(v, i, true);
	else
		row_set(v, i, true);
	return v->cursors[list_number(v->place.pane)].key;
}

/*
 * Rebuilds the rows after row I was opened or closed, of calls only those below it.  Then selects
 * the row with KEY.
 */
static bool rows_changed(struct view *v, size_t i, uint64_t key)
{
	const struct list_kind *list = v->place.pane;

	if (!list_is_calls(v->place.pane))
		return view_changed(v);
	call_list_fold(&v->lists, list, i);
	i = calls_row_of(call_list_calls(&v->lists, list), key, i);
	if (i != SIZE_MAX)
		cursor_put(v, v->place.pane, i);
	return true;
}

bool view_fold(struct view *v, enum view_fold how)
{
	size_t i = v->cursors[list_number(v->place.pane)].index;
	struct tree_place place;
	uint64_t key;

	if (!v->place.kind->foldable || i >= view_row_count(v, v->place.pane) ||
	    !list_row(&v->lists, v->place.pane, i).place)
		return false;
	place = place_of(v, i);
	v->cursors[list_number(v->place.pane)].follows = true;
	cursor_put(v, v->place.pane, i);
	key = v->cursors[list_number(v->place.pane)].key;
	if (how == FOLD_CLOSE && (!place.parent || place.folded)) {
		cursor_put(v, v->place.pane, parent_row(v, i));
		return v->cursors[list_number(v->place.pane)].index != i;
	}
	if (!place.parent || (how == FOLD_OPEN && !place.folded))
		return false;
	if (how == FOLD_CLOSE)
		row_set(v, i, false);
	else if (how == FOLD_CLOSE_ALL)
		rows_set(v, i, false);
	else
		key = row_open(v, i, how);
	return rows_changed(v, i, key);
}
