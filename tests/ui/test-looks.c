/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screens with their colours: the themes from their files, through the painter, read back from curses.  A golden file
 * has under each line one with a letter for each cell, and at its end what the letters mean.
 */
#include "unit.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "app/named-file.h"
#include "profile/sample-snapshot.h"
#include "ui/key.h"
#include "ui/painter.h"
#include "ui/ui-state.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/widget/text.h"

#define ROWS 24
#define COLUMNS 80
#define LOOKS_MAX 26 /* on one screen; a letter each */

/* One of each kind; ncurses has no terminal with 16 colours among its basic ones, so its number is set. */
static const struct {
	const char *theme;
	int colors; /* 0: the terminal has none */
} kinds[] = { { "dark", 16 }, { "light", 256 }, { "mono", 0 } };

/* How a cell looks. */
struct look {
	attr_t attributes;
	short foreground, background;
};

struct looks {
	struct look items[LOOKS_MAX];
	int count;
};

static struct look look_at(int row, int column, wchar_t text[CCHARW_MAX + 1])
{
	struct look l = { 0, THEME_OWN, THEME_OWN };
	cchar_t character;
	short pair;

	mvin_wch(row, column, &character);
	getcchar(&character, text, &l.attributes, &pair, NULL);
	l.attributes &= A_BOLD | A_DIM | A_UNDERLINE | A_REVERSE;
	if (pair)
		pair_content(pair, &l.foreground, &l.background);
	return l;
}

static bool look_is(const struct look *a, const struct look *b)
{
	return a->attributes == b->attributes && a->foreground == b->foreground &&
	       a->background == b->background;
}

/* '.' for the terminal's own look. */
static char letter_of(struct looks *looks, const struct look *l)
{
	static const struct look own = { 0, THEME_OWN, THEME_OWN };
	int i = 0;

	if (look_is(l, &own))
		return '.';
	while (i < looks->count && !look_is(&looks->items[i], l))
		i++;
	assert_in_range(i, 0, LOOKS_MAX - 1);
	if (i == looks->count)
		looks->items[looks->count++] = *l;
	return (char)('a' + i);
}

static void add_color(struct buf *out, const char *word, int color)
{
	if (color == THEME_OWN)
		buf_printf(out, "%sown", word);
	else
		buf_printf(out, "%s%d", word, color);
}

static void add_legend(struct buf *out, const struct looks *looks)
{
	static const struct {
		attr_t bit;
		const char *name;
	} names[] = { { A_BOLD, " bold" },
		      { A_DIM, " dim" },
		      { A_UNDERLINE, " underline" },
		      { A_REVERSE, " reverse" } };

	for (int i = 0; i < looks->count; i++) {
		const struct look *l = &looks->items[i];

		buf_printf(out, "%c", 'a' + i);
		add_color(out, " ", l->foreground);
		add_color(out, " on ", l->background);
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			buf_add_str(out, l->attributes & names[n].bit ? names[n].name : "");
		buf_add_char(out, '\n');
	}
}

static void add_text(struct buf *out, const wchar_t *text)
{
	char bytes[4];

	for (; *text; text++)
		buf_add(out, bytes, text_encode((uint32_t)*text, bytes));
}

/* The first ROWS lines.  Both halves of a wide character have a letter. */
static void dump(const struct grid *g, int rows, struct buf *out)
{
	struct looks looks = { 0 };

	for (int row = 0; row < rows; row++) {
		char letters[COLUMNS + 1] = "";

		for (int column = 0; column < COLUMNS; column++) {
			wchar_t text[CCHARW_MAX + 1] = L"";
			struct look l = look_at(row, column, text);

			letters[column] = letter_of(&looks, &l);
			if (grid_at(g, row, column)->width)
				add_text(out, text);
		}
		buf_printf(out, "\n%s\n", letters);
	}
	add_legend(out, &looks);
}

/* The theme NAME as it looks with that many colours. */
static void theme_read(struct theme *t, const char *name, int count)
{
	struct buf notes = { 0 };
	struct theme_colors colors;
	struct named_file f;
	struct error err = { "" };

	assert_int_equal(named_file_open(&f, NAMED_THEME, name, &err), 0);
	assert_true(theme_parse(&colors, name, &f.text, &notes) > 0);
	if (count && start_color() == OK)
		COLORS = count;
	theme_init(t, &colors, count);
	named_file_fini(&f);
	buf_fini(&notes);
}

static void check(struct ui *u, size_t kind, const char *screen)
{
	struct buf text = { 0 };
	char name[64];

	u->mode->draw(u);
	painter_paint(stdscr, &u->theme, u->grid, NULL);
	/* The last line of a page tells how long it is, and the help grows with any table. */
	dump(u->grid, u->page ? ROWS - 1 : ROWS, &text);
	snprintf(name, sizeof(name), "look-%s-%d-%s-%dx%d", kinds[kind].theme, kinds[kind].colors,
		 screen, COLUMNS, ROWS);
	golden_check_text(&text, name);
	buf_fini(&text);
}

static struct view *view_make(void)
{
	struct view_options options = { .full_command = true };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot_stacks(true));
	return v;
}

/* The process table, a flame graph with its selected box, and the help. */
static void check_screens(size_t kind)
{
	static const char *const views[] = { "processes", "flame" };
	struct view *v = view_make();
	struct ui u = { .view = v, .mode = &ui_table_mode, .grid = grid_new(ROWS, COLUMNS) };
	const struct key_row *help = key_named("help");

	keymap_init(&u.keys, NULL, NULL);
	theme_read(&u.theme, kinds[kind].theme, kinds[kind].colors);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		view_show(v, view_kind_find(views[i]));
		check(&u, kind, views[i]);
	}
	help->act(&u, help);
	check(&u, kind, "help");
	page_free(u.page);
	grid_free(u.grid);
	view_free(v);
}

UNIT_TEST(screens_have_their_colours)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		FILE *null = fopen("/dev/null", "r+");
		SCREEN *screen;

		assert_non_null(null);
		screen = newterm(kinds[i].colors ? "xterm-256color" : "vt100", null, null);
		assert_non_null(screen);
		resizeterm(ROWS, COLUMNS);
		check_screens(i);
		endwin();
		delscreen(screen);
		fclose(null);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_have_their_colours),
	};

	if (!golden_locale() || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
		puts("no UTF-8 locale");
		return UNIT_SKIP;
	}
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1); /* no theme of a person */
	return unit_run(tests);
}
