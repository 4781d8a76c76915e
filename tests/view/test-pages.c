/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <limits.h>

#include "profile/sample-snapshot.h"
#include "view/explain.h"
#include "view/golden.h"
#include "view/widget/menu.h"
#include "view/widget/page.h"

static struct page *help_page(void)
{
	struct page *p = page_new("Help", "Esc back  arrows scroll");

	page_add_heading(p, "Keys");
	page_add_pair(p, "F1 h ?", "this page");
	page_add_pair(p, "Enter",
		      "the symbols of the selected process only; Esc goes back to all "
		      "of them, and the selection is where it was");
	page_add_text(p, "");
	page_add_text(p, "A word_that_is_longer_than_the_line_of_a_narrow_terminal ends it.");
	return p;
}

static void check_page(struct page *p, int rows, int columns, const char *name)
{
	struct grid *g = grid_new(rows, columns);

	page_draw(p, g);
	golden_check(g, name);
	grid_free(g);
}

UNIT_TEST(test_page)
{
	struct page *p = help_page();

	check_page(p, 24, 80, "page-80x24");
	check_page(p, 10, 40, "page-40x10");
	assert_true(page_move(p, LONG_MAX));
	check_page(p, 10, 40, "page-end-40x10");
	page_free(p);
}

UNIT_TEST(test_columns_and_tier)
{
	struct snapshot *s = sample_snapshot(false);
	struct page *p = page_new("Measurement", "Esc back");

	s->sampling.tier = "per-task";
	s->sampling.tier_reason = "kernel.perf_event_paranoid is 2: run as root";
	s->events[7].enabled = false;
	s->events[8].running_percent = 40;
	explain_tier(p, s);
	explain_columns(p, s);
	check_page(p, 60, 100, "measurement-100x60");
	page_free(p);
	snapshot_free(s);
}

UNIT_TEST(test_how_stacks_ended)
{
	struct snapshot *s = sample_snapshot_stacks(true), *none = sample_snapshot(true);
	struct page *p = page_new("Measurement", "Esc back");

	explain_stacks(p, none);
	explain_stacks(p, s);
	check_page(p, 10, 60, "page-stacks-60x10");
	page_free(p);
	snapshot_free(none);
	snapshot_free(s);
}

UNIT_TEST(test_page_moves)
{
	struct page *p = page_new("x", "");
	struct grid *g = grid_new(9, 40); /* five lines of text */

	assert_false(page_move(p, 1));
	for (int i = 0; i < 20; i++)
		page_add_text(p, "line");
	page_draw(p, g);
	assert_false(page_move(p, -1));
	assert_true(page_move(p, 1));
	assert_true(page_move(p, -1));
	assert_true(page_turn(p, 1));
	assert_true(page_move(p, LONG_MAX));
	assert_false(page_move(p, 1));
	assert_false(page_turn(p, 1));
	assert_true(page_move(p, LONG_MIN));
	assert_false(page_move(p, LONG_MIN));
	page_move(p, LONG_MAX);
	grid_resize(g, 40, 40); /* all of it fits: nothing is scrolled away */
	page_draw(p, g);
	assert_false(page_move(p, -1));
	grid_free(g);
	page_free(p);
}

/* clang-format off */
static const struct menu_item items[] = {
	{ .name = "cycles", .status = "sampled", .mark = MENU_ON },
	{ .name = "instructions", .status = "counted", .mark = MENU_ON },
	{ .name = "cache-misses", .status = "off", .mark = MENU_OFF },
	{ .name = "stalled-cycles-frontend", .status = "this machine has no such counter",
	  .mark = MENU_OFF, .disabled = true },
	{ .name = "plain" },
	{ .name = "\033[2Jevil", .status = "\xff" },
};
/* clang-format on */

UNIT_TEST(test_menu)
{
	struct menu *m = menu_new("Events", "Space on/off  Esc back");
	struct grid *g = grid_new(12, 60);

	menu_set(m, items, sizeof(items) / sizeof(items[0]));
	menu_move(m, 2);
	menu_draw(m, g);
	golden_check(g, "menu-60x12");
	for (int i = 0; i < 60; i++)
		assert_int_equal(grid_at(g, 4, i)->style, STYLE_SELECTED);
	grid_resize(g, 6, 40);
	menu_draw(m, g);
	golden_check(g, "menu-40x6");
	grid_free(g);
	menu_free(m);
}

UNIT_TEST(test_menu_moves)
{
	struct menu *m = menu_new("x", "");

	assert_false(menu_move(m, 1));
	assert_int_equal(menu_selected(m), 0);
	menu_set(m, items, 5);
	assert_false(menu_move(m, -1));
	assert_true(menu_move(m, LONG_MAX));
	assert_int_equal(menu_selected(m), 4);
	assert_true(menu_move(m, LONG_MIN));
	assert_true(menu_move(m, 3));
	assert_false(menu_select(m, 5));
	/* by letters, onwards and round; other letters are nothing */
	assert_true(menu_jump(m, 'C'));
	assert_int_equal(menu_selected(m), 0);
	assert_true(menu_jump(m, 'c'));
	assert_int_equal(menu_selected(m), 2);
	assert_false(menu_jump(m, 'z'));
	assert_false(menu_jump(m, 0x1f600));
	assert_true(menu_jump(m, 's'));
	assert_int_equal(menu_selected(m), 3);
	/* the selection follows its name, else keeps its place */
	menu_set(m, items + 1, 4);
	assert_int_equal(menu_selected(m), 2);
	menu_set(m, items, 3);
	assert_int_equal(menu_selected(m), 2);
	menu_set(m, items, 1);
	assert_int_equal(menu_selected(m), 0);
	menu_set(m, items, 0);
	assert_int_equal(menu_selected(m), 0);
	menu_free(m);
}

UNIT_TEST(test_every_size)
{
	struct page *p = help_page();
	struct menu *m = menu_new("Events", "Space on/off");
	struct grid *g = grid_new(1, 1);

	menu_set(m, items, sizeof(items) / sizeof(items[0]));
	menu_move(m, 5);
	for (int rows = 1; rows <= 30; rows++) {
		for (int columns = 1; columns <= 120; columns++) {
			grid_resize(g, rows, columns);
			page_draw(p, g);
			page_move(p, 1);
			menu_draw(m, g);
		}
	}
	grid_free(g);
	menu_free(m);
	page_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_columns_and_tier),
		cmocka_unit_test(test_how_stacks_ended),
		cmocka_unit_test(test_page_moves),
		cmocka_unit_test(test_menu),
		cmocka_unit_test(test_menu_moves),
		cmocka_unit_test(test_every_size),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
