/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call trees, callers and callees: their sums are the symbols', and what is open stays open. */
#include "unit.h"

#include <limits.h>
#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/calls.h"
#include "view/view.h"

static struct view *view_make(const char *name, bool batch)
{
	struct view_options options = { .full_command = true, .view = name, .batch = batch };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot_stacks(true));
	return v;
}

static const struct call_row *row_at(struct view *v, const struct list_kind *pane, size_t i)
{
	return view_list_row(v, pane, i).call;
}

static const char *name_of(struct view *v, const struct list_kind *pane, size_t i)
{
	return frame_symbol(view_snapshot(v)->frames, row_at(v, pane, i)->frame);
}

/* Everything is opened, one row after the other. */
static void open_all(struct view *v)
{
	view_move(v, LONG_MIN);
	do
		view_fold(v, FOLD_OPEN_ALL);
	while (view_move(v, 1));
}

/* The own samples of the rows of FRAME, or of all when that is 0. */
static double self_of(struct view *v, const struct list_kind *pane, uint32_t frame)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, pane); i++) {
		if (!frame || row_at(v, pane, i)->frame == frame)
			sum += row_at(v, pane, i)->self_percent;
	}
	return sum;
}

static double roots_of(struct view *v, const struct list_kind *pane)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, pane); i++) {
		if (!row_at(v, pane, i)->place.depth)
			sum += row_at(v, pane, i)->total_percent;
	}
	return sum;
}

static double root_of(struct view *v, const struct list_kind *pane, uint32_t frame)
{
	for (size_t i = 0; i < view_list_count(v, pane); i++) {
		if (!row_at(v, pane, i)->place.depth && row_at(v, pane, i)->frame == frame)
			return row_at(v, pane, i)->total_percent;
	}
	return 0;
}

#define ASSERT_NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void assert_sums(struct view *down, struct view *up)
{
	double all = 0;

	open_all(down);
	for (size_t i = 0; i < view_list_count(down, &list_symbols); i++) {
		const struct symbol_row *s = view_list_row(down, &list_symbols, i).symbol;

		all += s->overhead_percent;
		ASSERT_NEAR(self_of(down, &list_calltree, s->frame), s->overhead_percent);
		ASSERT_NEAR(root_of(up, &list_bottomup, s->frame), s->overhead_percent);
	}
	assert_true(all > 1);
	ASSERT_NEAR(self_of(down, &list_calltree, 0), all);
	ASSERT_NEAR(roots_of(down, &list_calltree), all);
	ASSERT_NEAR(roots_of(up, &list_bottomup), all);
}

/* Whatever is filtered: the trees count what the symbols count. */
UNIT_TEST(test_sums)
{
	struct view *down = view_make("calltree", false), *up = view_make("bottomup", false);
	struct view *both[] = { down, up };

	assert_sums(down, up);
	for (int i = 0; i < 2; i++)
		view_set_user(both[i], "build");
	assert_sums(down, up);
	for (int i = 0; i < 2; i++)
		view_toggle_kernel(both[i]);
	assert_sums(down, up);
	for (int i = 0; i < 2; i++) {
		view_set_user(both[i], "");
		view_next_event(both[i], 1);
	}
	assert_sums(down, up);
	view_free(down);
	view_free(up);
}

/* A child's total is part of its parent's, and a percentage of it. */
UNIT_TEST(test_shares)
{
	struct view *v = view_make("calltree", false);
	double totals[64] = { 0 };

	open_all(v);
	for (size_t i = 0; i < view_list_count(v, &list_calltree); i++) {
		const struct call_row *row = row_at(v, &list_calltree, i);
		double parent = row->place.depth ? totals[row->place.depth - 1] : 100;

		assert_true(row->place.depth < 64);
		totals[row->place.depth] = row->total_percent;
		assert_true(row->self_percent <= row->total_percent + 1e-9);
		assert_true(fabs(row->parent_percent - 100 * row->total_percent / parent) < 1e-6);
	}
	view_free(v);
}

/* Both sides of every function add up to what is spent in it and below it. */
UNIT_TEST(test_around)
{
	struct view *symbols = view_make(NULL, false);

	view_set_pane(symbols, &list_symbols);
	for (size_t i = 0; i < view_list_count(symbols, &list_symbols); i++) {
		double callers = 0, callees = 0, self = 0;

		assert_true(view_enter(symbols));
		for (size_t n = 0; n < view_list_count(symbols, &list_callers); n++)
			callers += row_at(symbols, &list_callers, n)->total_percent;
		for (size_t n = 0; n < view_list_count(symbols, &list_callees); n++) {
			callees += row_at(symbols, &list_callees, n)->total_percent;
			self += row_at(symbols, &list_callees, n)->self_percent;
		}
		assert_true(callers <= callees + 1e-9); /* less where nobody called it */
		assert_true(self <= callees + 1e-9);
		assert_true(view_back(symbols));
		assert_ptr_equal(view_pane(symbols), &list_symbols);
		assert_true(callees >=
			    view_list_row(symbols, &list_symbols, i).symbol->overhead_percent -
				    1e-9);
		view_move(symbols, 1);
	}
	view_free(symbols);
}

UNIT_TEST(test_around_one)
{
	struct view *v = view_make("callers", false); /* of the hottest function */

	assert_string_equal(name_of(v, &list_callers, 0), "main");
	assert_string_equal(name_of(v, &list_callers, 1), "hot_b");
	assert_int_equal(view_list_count(v, &list_callers), 2);
	assert_string_equal(name_of(v, &list_callees, 0), "hot_a");
	ASSERT_NEAR(row_at(v, &list_callers, 0)->total_percent +
			    row_at(v, &list_callers, 1)->total_percent,
		    row_at(v, &list_callees, 0)->self_percent);
	view_move(v, 1);
	assert_true(view_enter(v)); /* now of hot_b */
	assert_string_equal(name_of(v, &list_callers, 0), "main");
	assert_int_equal(view_list_count(v, &list_callees), 2);
	assert_true(view_back(v));
	assert_int_equal(view_list_count(v, &list_callers), 2);
	view_free(v);
}

/* A function that calls itself has its samples counted once. */
UNIT_TEST(test_recursion)
{
	struct view *v = view_make(NULL, false);
	double sum = 0;

	view_set_pane(v, &list_symbols);
	assert_true(view_search(v, "_ZL19cp_parser_expressionP9cp_parser", 0));
	assert_true(view_enter(v));
	for (size_t i = 0; i < view_list_count(v, &list_callees); i++)
		sum += row_at(v, &list_callees, i)->total_percent;
	assert_true(sum > 40 && sum < 50);
	view_free(v);
}

UNIT_TEST(test_open_stays_open)
{
	struct view *v = view_make("calltree", false);
	size_t before;

	view_search(v, "hot_b", 0);
	before = view_list_count(v, &list_calltree);
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_true(view_list_count(v, &list_calltree) < before);
	view_set_snapshot(v, sample_snapshot_stacks(true));
	assert_true(view_list_count(v, &list_calltree) < before);
	assert_true(view_fold(v, FOLD_OPEN));
	assert_int_equal(view_list_count(v, &list_calltree), before);
	assert_false(view_fold(v, FOLD_OPEN));
	view_free(v);
}

UNIT_TEST(test_hot_way)
{
	struct view *v = view_make("calltree", false);

	assert_true(view_fold(v, FOLD_CLOSE_ALL));
	assert_true(row_at(v, &list_calltree, 0)->place.folded);
	assert_true(view_fold(v, FOLD_HOT));
	assert_string_equal(name_of(v, &list_calltree, 0), "_start");
	assert_string_equal(name_of(v, &list_calltree, 1), "main");
	assert_string_equal(name_of(v, &list_calltree, 2), "hot_a");
	assert_true(view_enter(v)); /* the selection went along: callers of hot_a */
	assert_string_equal(name_of(v, &list_callees, 0), "hot_a");
	view_free(v);
}

/* Only stacks through functions that match, with all that is in them. */
UNIT_TEST(test_filter)
{
	struct view *v = view_make("calltree", true);
	double all = 0;

	view_set_filter(v, "hot_");
	for (size_t i = 0; i < view_list_count(v, &list_calltree); i++)
		all += row_at(v, &list_calltree, i)->self_percent;
	assert_true(all > 40 && all < 50);
	assert_string_equal(name_of(v, &list_calltree, 0), "_start");
	view_set_filter(v, "no such function");
	assert_int_equal(view_list_count(v, &list_calltree), 0);
	view_free(v);
}

/* Without -g each function is a stack of its own. */
UNIT_TEST(test_without_stacks)
{
	struct view *v = view_make("calltree", false);

	view_set_snapshot(v, sample_snapshot(true));
	assert_int_equal(view_list_count(v, &list_calltree), view_list_count(v, &list_symbols));
	view_turn_round(v);
	assert_string_equal(view_kind(v)->name, "bottomup");
	assert_int_equal(view_list_count(v, &list_bottomup), view_list_count(v, &list_symbols));
	assert_true(view_enter(v));
	assert_int_equal(view_list_count(v, &list_callers), 0);
	view_free(v);
}

UNIT_TEST(test_siblings_are_sorted)
{
	struct view *v = view_make("calltree", false);
	const char *before = "";

	assert_true(view_set_sort(v, "call", NULL));
	for (size_t i = 0; i < view_list_count(v, &list_calltree); i++) {
		if (row_at(v, &list_calltree, i)->place.depth)
			continue;
		assert_true(strcmp(before, name_of(v, &list_calltree, i)) <= 0);
		before = name_of(v, &list_calltree, i);
	}
	view_free(v);
}

static char *drawn(struct view *v, int columns)
{
	struct grid *g = grid_new(60, columns);
	struct buf text = { 0 };

	view_draw(v, g);
	grid_dump(g, &text);
	grid_free(g);
	return text.bytes;
}

/* Names have room before objects have; where these are not beside it, what has no name says its own. */
UNIT_TEST(test_names_have_room)
{
	struct view *v = view_make("bottomup", true);
	char *wide, *narrow;

	view_set_filter(v, "[unknown]");
	wide = drawn(v, 100);
	narrow = drawn(v, 60);
	assert_non_null(strstr(wide, "OBJECT"));
	assert_non_null(strstr(wide, "[unknown]"));
	assert_null(strstr(wide, "[unknown] ("));
	assert_null(strstr(narrow, "OBJECT"));
	assert_non_null(strstr(narrow, "PARENT%"));
	assert_non_null(strstr(narrow, "[unknown] ("));
	free(wide);
	free(narrow);
	view_free(v);
}

/* A tree of very many nodes: opened, it is moved in without being made anew. */
UNIT_TEST(test_many)
{
	enum { NODES = 100000 };
	struct view *v = view_make("calltree", true);
	struct snapshot *s = sample_snapshot_stacks(true);
	struct grid *g = grid_new(60, 200);
	struct timespec start, end;

	free(s->nodes);
	s->nodes = mem_array(NODES, sizeof(*s->nodes));
	s->node_count = NODES;
	for (uint32_t i = 1; i < NODES; i++) /* one root, and 300 children each */
		s->nodes[i] = (struct call_node){ .parent = i == 1 ? 0 : 1 + (i - 2) / 300,
						  .frame = 2 + i % 40 };
	snapshot_free(view_take_snapshot(v));
	s->cells = (free(s->cells), mem_array(NODES, sizeof(*s->cells)));
	s->cell_count = NODES;
	for (uint32_t i = 1; i < NODES; i++)
		s->cells[i] = (struct snapshot_cell){ .process = 11,
						      .pid = 4123,
						      .frame = 2 + i % 40,
						      .node = i,
						      .samples = 1,
						      .period = 1 };
	view_set_snapshot(v, s);
	assert_true(view_fold(v, FOLD_OPEN_ALL));
	assert_int_equal(view_list_count(v, &list_calltree), NODES - 1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (int i = 0; i < 2000; i++) {
		view_move(v, 37);
		view_draw(v, g);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	print_message("%d rows: a page and 200x60 drawn in %.2f ms of CPU\n", NODES - 1,
		      ((double)(end.tv_sec - start.tv_sec) * 1e3 +
		       (double)(end.tv_nsec - start.tv_nsec) / 1e6) /
			      2000);
	grid_free(g);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_around_one),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_names_have_room),
		cmocka_unit_test(test_open_stays_open),
		cmocka_unit_test(test_hot_way),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_without_stacks),
		cmocka_unit_test(test_siblings_are_sorted),
		cmocka_unit_test(test_many),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
