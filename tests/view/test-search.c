/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searching in trees, also below closed rows; and rows that are opened and closed one by one. */
#include "unit.h"

#include <limits.h>

#include "profile/large-snapshot.h"
#include "profile/sample-snapshot.h"
#include "view/kind.h"
#include "view/list/calls.h"
#include "view/view.h"

#define NODES 3000
#define FOUND 2000

static struct view *view_make(const char *name, struct snapshot *s)
{
	struct view_options options = { .full_command = true, .view = name };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, s);
	return v;
}

static const struct call_row *row_at(struct view *v, size_t i)
{
	return view_list_row(v, view_pane(v), i).call;
}

static const char *name_at(struct view *v, size_t i)
{
	return frame_symbol(view_snapshot(v)->frames, row_at(v, i)->frame);
}

static size_t count_of(struct view *v)
{
	return view_list_count(v, view_pane(v));
}

static void fold_all(struct view *v, enum view_fold how)
{
	view_move(v, LONG_MIN);
	do
		view_fold(v, how);
	while (view_move(v, 1));
	view_move(v, LONG_MIN);
}

/* The keys of the rows with TEXT when all are open, in their order. */
static size_t matches_of(struct view *v, const char *text, uint64_t keys[FOUND])
{
	size_t count = 0;

	fold_all(v, FOLD_OPEN_ALL);
	for (size_t i = 0; i < count_of(v) && count < FOUND; i++) {
		if (strstr(name_at(v, i), text))
			keys[count++] = row_at(v, i)->key;
	}
	return count;
}

static uint64_t selected(struct view *v)
{
	for (size_t i = 0; i < count_of(v); i++) {
		if (row_at(v, i)->key == view_selected_key(v))
			return row_at(v, i)->key;
	}
	fail_msg("the selected row is not there");
	return 0;
}

/* Closed rows are found in the order of open ones, forwards and backwards. */
static void check_order(struct view *v, const char *text)
{
	uint64_t keys[FOUND];
	size_t count = matches_of(v, text, keys);

	assert_true(count > 3 && count < FOUND);
	fold_all(v, FOLD_CLOSE_ALL);
	for (size_t i = 0; i < 2 * count; i++) {
		assert_true(view_search(v, text, 1));
		assert_true(selected(v) == keys[(i + (keys[0] == row_at(v, 0)->key)) % count]);
	}
	fold_all(v, FOLD_CLOSE_ALL);
	for (size_t i = 2 * count; i-- > 0;) {
		assert_true(view_search(v, text, -1));
		assert_true(selected(v) == keys[i % count]);
	}
}

UNIT_TEST(test_order)
{
	static const char *const names[] = { "calltree", "bottomup" };

	for (int i = 0; i < 2; i++) {
		struct view *v = view_make(names[i], large_snapshot(NODES));

		check_order(v, "work_77");
		view_free(v);
	}
}

/* Both sides of a function with many callers and callees. */
UNIT_TEST(test_around)
{
	struct view *v = view_make("calltree", large_snapshot(NODES));

	assert_true(view_show(v, view_kind_find("callers")));
	view_set_pane(v, &list_callees);
	check_order(v, "work_7");
	view_set_pane(v, &list_callers);
	assert_int_equal(count_of(v), 0); /* a root's */
	assert_false(view_search(v, "work_7", 1));
	assert_true(view_show(v, view_kind_find("calltree")));
	assert_true(view_search(v, "needle", 0));
	assert_true(view_show(v, view_kind_find("callers")));
	assert_int_equal(count_of(v), 1);
	assert_true(view_fold(v, FOLD_OPEN_ALL));
	assert_true(count_of(v) > 3);
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_true(view_search(v, "work_", 1));
	assert_true(count_of(v) > 1);
	view_free(v);
}

/* A text that is not there closes and opens nothing. */
UNIT_TEST(test_not_there)
{
	struct view *v = view_make("calltree", large_snapshot(NODES));
	size_t before;

	fold_all(v, FOLD_CLOSE_ALL);
	before = count_of(v);
	for (int direction = -1; direction <= 1; direction++)
		assert_false(view_search(v, "no such function", direction));
	assert_int_equal(count_of(v), before);
	view_free(v);
}

/* A text grows: what was opened for its beginning is closed again, what was searched before stays. */
UNIT_TEST(test_typing)
{
	struct view *v = view_make("calltree", large_snapshot(NODES));
	size_t closed, opened;

	fold_all(v, FOLD_CLOSE_ALL);
	closed = count_of(v);
	view_search_begin(v);
	assert_true(view_search(v, "nee", 0));
	opened = count_of(v);
	assert_true(opened > closed);
	assert_false(view_search(v, "neet", 0));
	assert_int_equal(count_of(v), closed);
	assert_true(view_search(v, "needle", 0));
	assert_int_equal(count_of(v), opened);
	view_search_begin(v);
	view_search(v, "no such function", 0);
	assert_int_equal(count_of(v), opened);
	view_free(v);
}

static void assert_same_place(const struct tree_place *a, const struct tree_place *b)
{
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->folded, b->folded);
	assert_int_equal(a->last, b->last);
	assert_true(a->more == b->more);
}

/* Opened and closed in any order: the rows are those that a new snapshot has. */
UNIT_TEST(test_rows_below)
{
	static const char *const names[] = { "calltree", "bottomup", "callers" };
	static const enum view_fold how[] = { FOLD_OPEN,      FOLD_CLOSE,    FOLD_OPEN, FOLD_HOT,
					      FOLD_CLOSE_ALL, FOLD_OPEN_ALL, FOLD_CLOSE };
	struct call_row *rows = calloc(2 * NODES, sizeof(*rows));

	for (int i = 0; i < 3; i++) {
		struct view *v = view_make(names[i], large_snapshot(NODES));

		for (int n = 0; n < 60; n++) {
			size_t count;

			view_move(v, n % 7 * 31 - 80);
			view_fold(v, how[n * 5 % 7]);
			count = count_of(v);
			assert_true(count && count <= 2 * NODES);
			for (size_t r = 0; r < count; r++)
				rows[r] = *row_at(v, r);
			view_set_snapshot(v, large_snapshot(NODES));
			assert_int_equal(count_of(v), count);
			for (size_t r = 0; r < count; r++) {
				assert_true(row_at(v, r)->key == rows[r].key);
				assert_true(row_at(v, r)->total == rows[r].total);
				assert_same_place(&row_at(v, r)->place, &rows[r].place);
			}
		}
		view_free(v);
	}
	free(rows);
}

/* All below a row are open until something newer is said of one of them; so are those that come later. */
UNIT_TEST(test_all_below)
{
	struct view *v = view_make("calltree", large_snapshot(NODES / 2));
	size_t half, all, fewer;

	view_move(v, LONG_MIN);
	assert_true(view_fold(v, FOLD_OPEN_ALL));
	half = count_of(v);
	view_set_snapshot(v, large_snapshot(NODES));
	view_move(v, LONG_MIN);
	all = count_of(v);
	assert_true(all > half && all == NODES - 1);
	view_move(v, 1);
	assert_true(view_fold(v, FOLD_CLOSE));
	fewer = count_of(v);
	assert_true(fewer < all);
	view_set_snapshot(v, large_snapshot(NODES));
	assert_int_equal(count_of(v), fewer);
	view_move(v, LONG_MIN);
	view_fold(v, FOLD_OPEN_ALL);
	assert_int_equal(count_of(v), all);
	assert_true(view_fold(v, FOLD_CLOSE_ALL));
	assert_int_equal(count_of(v), 1);
	assert_true(view_fold(v, FOLD_OPEN));
	for (size_t i = 1; i < count_of(v); i++)
		assert_int_equal(row_at(v, i)->place.depth, 1);
	view_free(v);
}

/* The order in which rows are made is the one by TOTAL%, as if they were put in that order. */
UNIT_TEST(test_made_in_order)
{
	struct view *made = view_make("calltree", large_snapshot(NODES));
	struct view *put = view_make("calltree", large_snapshot(NODES));

	assert_true(view_set_sort(put, "total%,depth", NULL));
	fold_all(made, FOLD_OPEN_ALL);
	fold_all(put, FOLD_OPEN_ALL);
	assert_int_equal(count_of(made), count_of(put));
	for (size_t i = 0; i < count_of(made); i++)
		assert_true(row_at(made, i)->key == row_at(put, i)->key);
	view_reverse(made);
	assert_true(row_at(made, 1)->key != row_at(put, 1)->key);
	view_free(made);
	view_free(put);
}

static const struct snapshot_process *process_at(struct view *v, size_t i)
{
	return view_list_row(v, &list_tree, i).process;
}

/* Typed letter by letter, as on the screen. */
UNIT_TEST(test_before_the_first_snapshot)
{
	struct view_options options = { .full_command = true, .view = "processes" };
	struct error err = { "" };
	struct view *v = view_make("processes", sample_snapshot(true)), *early;
	uint32_t first = view_selected_process(v)->pid, last;
	char text[16];

	view_move(v, LONG_MAX);
	last = view_selected_process(v)->pid;
	assert_int_not_equal(first, last);
	snprintf(text, sizeof(text), "%u", last);
	view_free(v);
	early = view_new(&options, &err);
	assert_true(view_search(early, "1", 0));
	assert_true(view_search(early, text, 0));
	view_set_snapshot(early, sample_snapshot(true));
	assert_int_equal(view_selected_process(early)->pid, last);
	view_move(early, LONG_MIN);
	view_set_snapshot(early, sample_snapshot(true));
	assert_int_equal(view_selected_process(early)->pid, first);
	view_free(early);
}

/* A process below one whose children are hidden. */
UNIT_TEST(test_processes)
{
	struct view *v = view_make("tree", sample_snapshot(true));
	size_t all = view_list_count(v, &list_tree), last = all;
	char text[16];
	uint32_t pid;

	for (size_t i = 0; i < all; i++) {
		if (view_list_row(v, &list_tree, i).place->depth > 0)
			last = i;
	}
	assert_true(last < all);
	pid = process_at(v, last)->pid;
	snprintf(text, sizeof(text), "%u", pid);
	fold_all(v, FOLD_CLOSE_ALL);
	assert_true(view_list_count(v, &list_tree) < all);
	assert_true(view_search(v, text, 1));
	assert_int_equal(view_selected_process(v)->pid, pid);
	fold_all(v, FOLD_CLOSE_ALL);
	assert_true(view_search(v, text, -1));
	assert_int_equal(view_selected_process(v)->pid, pid);
	assert_false(view_search(v, "no such process", 1));
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_typing),
		cmocka_unit_test(test_rows_below),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_before_the_first_snapshot),
		cmocka_unit_test(test_all_below),
		cmocka_unit_test(test_made_in_order),
	};

	return unit_run(tests);
}
