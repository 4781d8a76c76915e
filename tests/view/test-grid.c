/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "view/golden.h"
#include "view/widget/grid.h"

#define HAN "\xe6\xbc\xa2" /* two columns */

static void assert_rows(const struct grid *g, const char *expected)
{
	struct buf out = { 0 };

	grid_dump(g, &out);
	assert_string_equal(out.bytes ? out.bytes : "", expected);
	buf_fini(&out);
}

UNIT_TEST(test_text_is_cut)
{
	struct grid *g = grid_new(2, 6);

	assert_int_equal(grid_text(g, 0, 2, -1, STYLE_NORMAL, "abcdef"), 4);
	assert_int_equal(grid_text(g, 1, 0, 3, STYLE_NORMAL, "abcdef"), 3);
	assert_rows(g, "  abcd\nabc\n");
	grid_free(g);
}

UNIT_TEST(test_outside_is_ignored)
{
	struct grid *g = grid_new(2, 4);

	grid_text(g, -1, 0, -1, STYLE_NORMAL, "x");
	grid_text(g, 2, 0, -1, STYLE_NORMAL, "x");
	grid_text(g, 0, 4, -1, STYLE_NORMAL, "x");
	grid_text(g, 0, 99, -1, STYLE_NORMAL, "x");
	grid_text(g, 0, -2, -1, STYLE_NORMAL, "abcd");
	grid_text(g, 1, -1, -1, STYLE_NORMAL, HAN "z");
	grid_fill(g, 9, -5, 100, STYLE_HOT, "-");
	grid_restyle(g, 0, -9, 99, STYLE_HOT);
	assert_null(grid_at(g, 0, 4));
	assert_null(grid_at(g, -1, 0));
	assert_rows(g, "cd\n z\n");
	grid_free(g);
}

UNIT_TEST(test_empty_grid)
{
	struct grid *g = grid_new(0, 0);

	grid_text(g, 0, 0, -1, STYLE_NORMAL, "x");
	grid_text_right(g, 0, 0, 5, STYLE_NORMAL, "x");
	assert_rows(g, "");
	grid_resize(g, -3, 5);
	assert_rows(g, "");
	grid_free(g);
}

UNIT_TEST(test_wide_needs_both_columns)
{
	struct grid *g = grid_new(1, 3);

	assert_int_equal(grid_text(g, 0, 0, -1, STYLE_NORMAL, HAN HAN), 2);
	assert_rows(g, HAN "\n");
	assert_int_equal(grid_at(g, 0, 0)->width, 2);
	assert_int_equal(grid_at(g, 0, 1)->width, 0);
	assert_int_equal(grid_at(g, 0, 1)->text[0], 0);
	grid_free(g);
}

UNIT_TEST(test_half_of_wide_is_overwritten)
{
	struct grid *g = grid_new(2, 4);

	grid_text(g, 0, 0, -1, STYLE_NORMAL, HAN HAN);
	grid_text(g, 0, 1, -1, STYLE_NORMAL, "x");
	assert_rows(g, " x" HAN "\n\n");
	grid_text(g, 1, 0, -1, STYLE_NORMAL, HAN HAN);
	grid_text(g, 1, 1, -1, STYLE_NORMAL, HAN);
	assert_rows(g, " x" HAN "\n " HAN "\n");
	grid_free(g);
}

UNIT_TEST(test_combining)
{
	struct grid *g = grid_new(1, 8);

	/* one without a base is dropped; of four, two are kept */
	grid_text(g, 0, 0, -1, STYLE_NORMAL,
		  "\xcc\x81"
		  "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84"
		  "x");
	assert_int_equal(grid_at(g, 0, 0)->text[2], 0x302);
	assert_rows(g, "e\xcc\x81\xcc\x82x\n");
	grid_free(g);
}

UNIT_TEST(test_control_never_arrives)
{
	struct grid *g = grid_new(1, 12);

	grid_text(g, 0, 0, -1, STYLE_NORMAL, "\033[2J\n\x9b");
	for (int i = 0; i < 12; i++)
		assert_true(grid_at(g, 0, i)->text[0] >= 0x20);
	grid_free(g);
}

UNIT_TEST(test_front_is_cut)
{
	struct grid *g = grid_new(4, 4);

	grid_text_end(g, 0, 0, 4, STYLE_NORMAL, "abcd");
	grid_text_end(g, 1, 0, 4, STYLE_NORMAL, "abcde");
	grid_text_end(g, 2, 0, 4, STYLE_NORMAL, HAN HAN "ab");
	grid_set_ascii(g, true);
	grid_text_end(g, 3, 0, 4, STYLE_NORMAL, "abcde");
	assert_rows(g, "abcd\n\xe2\x80\xa6"
		       "cde\n\xe2\x80\xa6"
		       "ab\n~cde\n");
	grid_free(g);
}

UNIT_TEST(test_cut_is_marked)
{
	struct grid *g = grid_new(4, 6);

	grid_text_cut(g, 0, 0, 4, STYLE_NORMAL, "abcd");
	grid_text_cut(g, 1, 0, 4, STYLE_NORMAL, "abcde");
	grid_text_cut(g, 2, 0, 4, STYLE_NORMAL, HAN HAN HAN);
	grid_set_ascii(g, true);
	grid_text_cut(g, 3, 0, 4, STYLE_NORMAL, "abcde");
	assert_rows(g, "abcd\nabc\xe2\x80\xa6\n" HAN "\xe2\x80\xa6\nabc~\n");
	grid_free(g);
}

UNIT_TEST(test_right)
{
	struct grid *g = grid_new(3, 6);

	grid_text_right(g, 0, 1, 4, STYLE_NORMAL, "42");
	grid_text_right(g, 1, 1, 4, STYLE_NORMAL, "4242");
	grid_text_right(g, 2, 1, 4, STYLE_NORMAL, "42424");
	assert_rows(g, "   42\n 4242\n ####\n");
	grid_free(g);
}

UNIT_TEST(test_ascii)
{
	struct grid *g = grid_new(1, 12);

	grid_set_ascii(g, true);
	grid_text(g, 0, 0, -1, STYLE_NORMAL, "caf\xc3\xa9 " HAN "e\xcc\x81\xff");
	assert_rows(g, "caf? ?e?\n");
	grid_free(g);
}

static void assert_bar(bool ascii, double part, const char *expected)
{
	struct grid *g = grid_new(1, 6);
	char row[64];

	grid_set_ascii(g, ascii);
	grid_bar(g, 0, 1, 4, STYLE_BAR_USER, part);
	grid_text(g, 0, 5, 1, STYLE_NORMAL, "|");
	snprintf(row, sizeof(row), "%s\n", expected);
	assert_rows(g, row);
	assert_int_equal(grid_at(g, 0, 0)->style, STYLE_NORMAL);
	assert_int_equal(grid_at(g, 0, 5)->style, STYLE_NORMAL);
	grid_free(g);
}

UNIT_TEST(test_bar)
{
	assert_bar(false, 0, "     |");
	assert_bar(false, -1, "     |");
	assert_bar(false, NAN, "     |");
	assert_bar(false, 0.4 / 32, "     |");
	assert_bar(false, 1 / 32.0, " ▏   |");
	assert_bar(false, 7 / 32.0, " ▉   |");
	assert_bar(false, 8 / 32.0, " █   |");
	assert_bar(false, 12 / 32.0, " █▌  |");
	assert_bar(false, 31 / 32.0, " ███▉|");
	assert_bar(false, 0.99, " ████|");
	assert_bar(false, 1, " ████|");
	assert_bar(false, INFINITY, " ████|");
	assert_bar(true, 0, "     |");
	assert_bar(true, 0.12, "     |");
	assert_bar(true, 0.13, " #   |");
	assert_bar(true, 0.37, " #   |");
	assert_bar(true, 0.38, " ##  |");
	assert_bar(true, 12800, " ####|");
}

static void assert_graph(double left, double right, const char *expected)
{
	struct grid *g = grid_new(1, 3);
	char row[16];

	grid_set_braille(g, true);
	assert_int_equal(grid_points(g), 2);
	grid_graph(g, 0, 1, STYLE_BAR_USER, (const double[]){ left, right });
	snprintf(row, sizeof(row), "%s\n", expected);
	assert_rows(g, row);
	assert_int_equal(grid_at(g, 0, 1)->style, STYLE_BAR_USER);
	grid_free(g);
}

UNIT_TEST(test_graph)
{
	struct grid *g = grid_new(1, 3);

	assert_graph(0, 0, "");
	assert_graph(NAN, -1, "");
	assert_graph(1e-9, 0, " ⡀"); /* what is there is seen */
	assert_graph(0, 1e-9, " ⢀");
	assert_graph(0.25, 0.26, " ⣠");
	assert_graph(0.75, 0.5, " ⣦");
	assert_graph(0.76, NAN, " ⡇");
	assert_graph(0, 1, " ⢸");
	assert_graph(INFINITY, 99, " ⣿");
	assert_int_equal(grid_points(g), 1);
	grid_graph(g, 0, 0, STYLE_NORMAL, (const double[]){ 0.5, 1 });
	grid_graph(g, 0, 1, STYLE_NORMAL, (const double[]){ NAN });
	assert_rows(g, "▄\n");
	grid_set_ascii(g, true);
	grid_set_braille(g, true);
	assert_int_equal(grid_points(g), 1);
	grid_graph(g, 0, 2, STYLE_NORMAL, (const double[]){ 1, 1 });
	assert_rows(g, "▄ #\n");
	grid_free(g);
}

UNIT_TEST(test_styles)
{
	struct grid *g = grid_new(1, 5);

	grid_text(g, 0, 1, 2, STYLE_HOT, "ab");
	assert_int_equal(grid_at(g, 0, 0)->style, STYLE_NORMAL);
	assert_int_equal(grid_at(g, 0, 1)->style, STYLE_HOT);
	assert_int_equal(grid_at(g, 0, 3)->style, STYLE_NORMAL);
	grid_restyle(g, 0, 0, -1, STYLE_SELECTED);
	assert_int_equal(grid_at(g, 0, 4)->style, STYLE_SELECTED);
	grid_clear(g);
	assert_int_equal(grid_at(g, 0, 1)->style, STYLE_NORMAL);
	assert_rows(g, "\n");
	grid_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_cut),
		cmocka_unit_test(test_outside_is_ignored),
		cmocka_unit_test(test_empty_grid),
		cmocka_unit_test(test_wide_needs_both_columns),
		cmocka_unit_test(test_half_of_wide_is_overwritten),
		cmocka_unit_test(test_combining),
		cmocka_unit_test(test_control_never_arrives),
		cmocka_unit_test(test_cut_is_marked),
		cmocka_unit_test(test_front_is_cut),
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_styles),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale: widths cannot be tested");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
