/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The painter against a curses screen whose terminal is /dev/null, read back cell by cell. */
#include "unit.h"

#include <locale.h>
#include <langinfo.h>
#include <stdio.h>
#include <wchar.h>

#include "ui/painter.h"
#include "ui/theme.h"

struct screen {
	FILE *null;
	SCREEN *screen;
};

static int open_screen(void **state)
{
	struct screen *s = calloc(1, sizeof(*s));

	s->null = fopen("/dev/null", "r+");
	s->screen = newterm("xterm-256color", s->null, s->null);
	if (!s->screen)
		return -1;
	resizeterm(6, 20);
	*state = s;
	return 0;
}

static int close_screen(void **state)
{
	struct screen *s = *state;

	endwin();
	delscreen(s->screen);
	fclose(s->null);
	free(s);
	return 0;
}

/* The cell at ROW, COLUMN: the text into TEXT, the attributes returned. */
static attr_t read_back(int row, int column, wchar_t text[CCHARW_MAX + 1], short *pair)
{
	cchar_t character;
	attr_t attributes;

	mvin_wch(row, column, &character);
	getcchar(&character, text, &attributes, pair, NULL);
	return attributes;
}

/* Like theme_init() with a theme of one colour, for one meaning. */
static void init(struct theme *t, bool color)
{
	struct buf text = { 0 }, notes = { 0 };
	struct theme_colors colors;

	buf_add_str(&text, "hot = #d70000 red bold");
	assert_int_equal(theme_parse(&colors, "f", &text, &notes), 1);
	theme_init(t, &colors, color);
	buf_fini(&text);
}

static void check_screen(const struct grid *g)
{
	for (int row = 0; row < 6; row++) {
		for (int column = 0; column < 20; column++) {
			const struct grid_cell *cell = grid_at(g, row, column);
			wchar_t text[CCHARW_MAX + 1] = L"";
			short pair;

			if (!cell->width)
				continue;
			read_back(row, column, text, &pair);
			for (int i = 0; i <= GRID_COMBINING && cell->text[i]; i++)
				assert_int_equal(text[i], cell->text[i]);
		}
	}
}

UNIT_TEST(every_cell_arrives)
{
	struct grid *g = grid_new(6, 20);
	struct theme theme;

	init(&theme, false);
	grid_text(g, 0, 0, -1, STYLE_NORMAL, "plain");
	grid_text(g, 1, 2, -1, STYLE_NORMAL, "e\xcc\x81 \xe6\xbc\xa2\xe5\xad\x97 z");
	grid_text(g, 5, 15, -1, STYLE_NORMAL, "abcde"); /* the last cell of the screen too */
	painter_paint(stdscr, &theme, g, NULL);
	check_screen(g);
	grid_free(g);
}

/* Wide characters come and go at all places beside others. */
UNIT_TEST(what_changed_arrives)
{
	static const char *const texts[] = { " ", "a", "e\xcc\x81", "\xe6\xbc\xa2",
					     "\xe5\xad\x97" };
	struct grid *g = grid_new(6, 20), *shown = grid_new(0, 0);
	struct theme theme;
	uint32_t seed = 1;

	init(&theme, false);
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 20; i++) {
			seed = seed * 1664525 + 1013904223;
			grid_text(g, (int)(seed >> 8) % 6, (int)(seed >> 12) % 20, 2, STYLE_NORMAL,
				  texts[(seed >> 20) % 5]);
		}
		painter_paint(stdscr, &theme, g, round ? shown : NULL);
		check_screen(g);
		grid_copy(shown, g);
	}
	grid_free(g);
	grid_free(shown);
}

UNIT_TEST(what_is_the_same_is_left_alone)
{
	struct grid *g = grid_new(6, 20), *shown = grid_new(6, 20);
	struct theme theme;
	wchar_t text[CCHARW_MAX + 1];
	short pair;

	init(&theme, false);
	grid_text(g, 0, 0, -1, STYLE_NORMAL, "plain");
	painter_paint(stdscr, &theme, g, NULL);
	grid_copy(shown, g);
	mvaddch(0, 1, 'X'); /* who paints it would be seen */
	grid_text(g, 0, 3, -1, STYLE_NORMAL, "y");
	grid_restyle(g, 0, 4, 1, STYLE_SELECTED);
	painter_paint(stdscr, &theme, g, shown);
	read_back(0, 1, text, &pair);
	assert_int_equal(text[0], L'X');
	read_back(0, 3, text, &pair);
	assert_int_equal(text[0], L'y');
	assert_true(read_back(0, 4, text, &pair) & A_REVERSE);
	grid_resize(shown, 6, 19); /* of another size: all are painted */
	painter_paint(stdscr, &theme, g, shown);
	check_screen(g);
	grid_free(g);
	grid_free(shown);
}

UNIT_TEST(styles_become_attributes)
{
	struct grid *g = grid_new(6, 20);
	struct theme theme;
	wchar_t text[CCHARW_MAX + 1];
	short pair;

	init(&theme, true);
	grid_text(g, 0, 0, -1, STYLE_SELECTED, "x");
	grid_text(g, 1, 0, -1, STYLE_HOT, "x");
	grid_text(g, 2, 0, -1, STYLE_NORMAL, "x");
	painter_paint(stdscr, &theme, g, NULL);
	assert_true(read_back(0, 0, text, &pair) & A_REVERSE);
	assert_true(read_back(1, 0, text, &pair) & A_BOLD);
	assert_int_not_equal(pair, 0);
	read_back(2, 0, text, &pair);
	assert_int_equal(pair, 0);
	grid_free(g);
}

UNIT_TEST(without_colors_no_pair_is_used)
{
	struct theme theme;

	init(&theme, false);
	for (int style = 0; style < GRID_STYLES; style++)
		assert_int_equal(theme.pairs[style], 0);
	assert_true(theme.attributes[STYLE_SELECTED] & A_REVERSE);
	assert_true(theme.attributes[STYLE_HOT] & A_BOLD);
}

UNIT_TEST(grid_larger_than_the_screen_is_cut)
{
	struct grid *g = grid_new(100, 300);
	struct theme theme;
	wchar_t text[CCHARW_MAX + 1];
	short pair;

	init(&theme, false);
	for (int row = 0; row < 100; row++)
		grid_fill(g, row, 0, -1, STYLE_NORMAL, "x");
	painter_paint(stdscr, &theme, g, NULL);
	read_back(5, 19, text, &pair);
	assert_int_equal(text[0], L'x');
	grid_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_cell_arrives, open_screen, close_screen),
		cmocka_unit_test_setup_teardown(what_changed_arrives, open_screen, close_screen),
		cmocka_unit_test_setup_teardown(what_is_the_same_is_left_alone, open_screen,
						close_screen),
		cmocka_unit_test_setup_teardown(styles_become_attributes, open_screen,
						close_screen),
		cmocka_unit_test_setup_teardown(without_colors_no_pair_is_used, open_screen,
						close_screen),
		cmocka_unit_test_setup_teardown(grid_larger_than_the_screen_is_cut, open_screen,
						close_screen),
	};

	if (!setlocale(LC_ALL, "C.UTF-8") || strcmp(nl_langinfo(CODESET), "UTF-8")) {
		puts("no UTF-8 locale");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
