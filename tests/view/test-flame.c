/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flame graph: boxes lie on their callers, none on another, as wide as their shares. */
#include "unit.h"

#include <limits.h>
#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/calls.h"
#include "view/view.h"

static struct view *view_make(const char *name)
{
	struct view_options options = { .full_command = true, .view = name };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot_stacks(true));
	return v;
}

static struct grid *draw(struct view *v, int rows, int columns)
{
	struct grid *g = grid_new(rows, columns);

	view_draw(v, g);
	return g;
}

static bool is_flame(const struct grid *g, int row, int column)
{
	enum grid_style style = grid_at(g, row, column)->style;

	return style == STYLE_SELECTED || (style >= STYLE_FLAME && style <= STYLE_FLAME_MATCH);
}

static bool on_screen(const struct grid *g, const char *text)
{
	struct buf all = { 0 };
	bool found;

	grid_dump(g, &all);
	found = strstr(all.bytes, text);
	buf_fini(&all);
	return found;
}

UNIT_TEST(test_search_selects_the_largest)
{
	struct view *v = view_make("flame");
	struct grid *g = draw(v, 30, 100);
	double largest = 0;

	assert_true(view_search(v, "hot_", 0));
	for (size_t i = 0; i < view_list_count(v, &list_flame); i++) {
		const struct call_row *row = view_list_row(v, &list_flame, i).call;

		if (strstr(frame_symbol(view_snapshot(v)->frames, row->frame), "hot_"))
			largest = fmax(largest, row->total_percent);
	}
	for (size_t i = 0; i < view_list_count(v, &list_flame); i++) {
		const struct call_row *row = view_list_row(v, &list_flame, i).call;

		if (row->key == view_selected_key(v))
			assert_true(row->total_percent == largest);
	}
	assert_true(largest > 0);
	grid_free(g);
	view_free(v);
}

/* When zoomed into a process only its own stacks are there, and fill the width. */
UNIT_TEST(test_one_process)
{
	struct view *v = view_make(NULL);
	double width = 0;
	struct grid *g;

	assert_true(view_search(v, "postgres", 0));
	assert_true(view_enter(v));
	assert_true(view_show(v, view_kind_find("flame")));
	g = draw(v, 30, 100);
	for (size_t i = 0; i < view_list_count(v, &list_flame); i++) {
		const struct call_row *row = view_list_row(v, &list_flame, i).call;

		if (!row->place.depth)
			width += row->total_percent;
	}
	assert_true(fabs(width - 100) < 1e-6);
	assert_false(on_screen(g, "hot_a"));
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "processes");
	grid_free(g);
	view_free(v);
}

/* Over every part of a box there is a box under it, down to the base. */
UNIT_TEST(test_boxes_lie_on_boxes)
{
	for (int columns = 40; columns < 260; columns += 7) {
		struct view *v = view_make("flame");
		struct grid *g = draw(v, 30, columns);

		for (int row = 6; row < 28; row++) {
			for (int column = 1; column < columns - 1; column++) {
				if (is_flame(g, row, column))
					assert_true(is_flame(g, row + 1, column) ||
						    is_flame(g, row + 1, column - 1));
			}
		}
		grid_free(g);
		view_free(v);
	}
}

static int widest_run(const struct grid *g, int row)
{
	int widest = 0, run = 0;

	for (int column = 0; column < grid_columns(g); column++) {
		run = is_flame(g, row, column) ? run + 1 : 0;
		widest = run > widest ? run : widest;
	}
	return widest;
}

/* `_start` of load has 49.8 % of all: as many columns, but for the one that is left free. */
UNIT_TEST(test_width_is_the_share)
{
	struct view *v = view_make("flame");
	struct grid *g = draw(v, 30, 202);

	assert_int_equal(widest_run(g, 28), (int)lround(0.4985 * 200) - 1);
	grid_free(g);
	view_free(v);
}

static void assert_selected(struct view *v, const char *title)
{
	struct grid *g = draw(v, 30, 120);

	if (!on_screen(g, title))
		fail_msg("'%s' is not selected", title);
	grid_free(g);
}

UNIT_TEST(test_movement)
{
	struct view *v = view_make("flame");

	assert_selected(v, "_start  total 49.8 %");
	assert_true(view_move(v, -1)); /* up the screen: what it calls */
	assert_selected(v, "main  total 49.8 %");
	assert_true(view_move(v, -1));
	assert_selected(v, "hot_a  total 25.9 %");
	assert_true(view_sideways(v, 1));
	assert_selected(v, "hot_b  total 22.2 %");
	assert_true(view_sideways(v, -1));
	assert_selected(v, "hot_a  total 25.9 %");
	assert_true(view_move(v, 2));
	assert_selected(v, "_start  total 49.8 %");
	assert_false(view_move(v, 1));
	view_turn_round(v);
	assert_true(view_move(v, 1)); /* and upside down */
	assert_selected(v, "main  total 49.8 %");
	view_free(v);
}

UNIT_TEST(test_selection_stays)
{
	struct view *v = view_make("flame");

	view_move(v, -1);
	view_move(v, -1);
	view_set_snapshot(v, sample_snapshot_stacks(true));
	assert_selected(v, "hot_a  total 25.9 %");
	grid_free(draw(v, 12, 47)); /* another size */
	assert_selected(v, "hot_a  total 25.9 %");
	view_free(v);
}

UNIT_TEST(test_zoom)
{
	struct view *v = view_make("flame");
	struct grid *g;

	grid_free(draw(v, 30, 122));
	assert_true(view_search(v, "hot_b", 0));
	assert_true(view_enter(v));
	g = draw(v, 30, 122);
	assert_true(on_screen(g, "flame > hot_b"));
	assert_int_equal(widest_run(g, 26), 119); /* itself, and those below it */
	assert_int_equal(widest_run(g, 28), 119);
	assert_true(widest_run(g, 25) < 119);
	grid_free(g);
	assert_true(view_enter(v)); /* nothing wider: its callers */
	assert_string_equal(view_kind(v)->name, "callers");
	assert_true(view_back(v));
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "flame");
	assert_selected(v, "hot_b  total 22.2 %");
	view_free(v);
}

UNIT_TEST(test_search_tells_the_share)
{
	struct view *v = view_make("flame");
	struct grid *g;
	int marked = 0;

	assert_true(view_search(v, "hot_", 0));
	g = draw(v, 30, 120);
	assert_true(on_screen(g, "'hot_' 48.0 %")); /* of two functions, one in the other */
	for (int column = 0; column < 120; column++)
		marked += grid_at(g, 26, column)->style == STYLE_FLAME_MATCH;
	assert_true(marked > 20);
	grid_free(g);
	assert_true(view_back(v)); /* the first thing that goes */
	g = draw(v, 30, 120);
	assert_false(on_screen(g, "'hot_'"));
	grid_free(g);
	view_free(v);
}

UNIT_TEST(test_deep_stacks_scroll)
{
	struct view *v = view_make("flame");
	struct grid *g;

	view_search(v, "ggc_internal_alloc", 0);
	g = draw(v, 9, 120);
	assert_true(on_screen(g, "ggc_internal_alloc  total"));
	assert_false(on_screen(g, "_start "));
	grid_free(g);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes_lie_on_boxes),
		cmocka_unit_test(test_search_selects_the_largest),
		cmocka_unit_test(test_one_process),
		cmocka_unit_test(test_width_is_the_share),
		cmocka_unit_test(test_movement),
		cmocka_unit_test(test_selection_stays),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_search_tells_the_share),
		cmocka_unit_test(test_deep_stacks_scroll),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
