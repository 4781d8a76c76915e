/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each theme can be read, and tells apart what must be told apart, by everybody. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/named-file.h"
#include "ui/themes.h"
#include "view/widget/grid.h"

#define BLACK 0x000000
#define WHITE 0xffffff

static struct theme_colors themes[16]; /* those that come with ptop */
static size_t theme_count;

static int read_themes(UNIT_NO_STATE)
{
	const char *name;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	for (; (name = named_built_in(NAMED_THEME, theme_count)); theme_count++) {
		struct buf notes = { 0 };
		struct named_file f;
		struct error err;

		if (named_file_open(&f, NAMED_THEME, name, &err) ||
		    theme_parse(&themes[theme_count], name, &f.text, &notes) <= GRID_STYLES / 2 ||
		    notes.size)
			return -1;
		named_file_fini(&f);
	}
	return theme_count ? 0 : -1;
}

static const char *theme_name(size_t i)
{
	return named_built_in(NAMED_THEME, i);
}

static const struct theme_colors *theme(const char *name)
{
	for (size_t i = 0; i < theme_count; i++) {
		if (!strcmp(theme_name(i), name))
			return &themes[i];
	}
	fail_msg("no theme %s", name);
	return NULL;
}

static double linear(int32_t rgb, int shift)
{
	double c = (rgb >> shift & 0xff) / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* WCAG 2: relative luminance, and the contrast of two colours, 1 to 21. */
static double luminance(int32_t rgb)
{
	return 0.2126 * linear(rgb, 16) + 0.7152 * linear(rgb, 8) + 0.0722 * linear(rgb, 0);
}

static double contrast(int32_t a, int32_t b)
{
	double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;

	return la > lb ? la / lb : lb / la;
}

UNIT_TEST(the_contrast_is_that_of_the_standard)
{
	assert_true(fabs(contrast(BLACK, WHITE) - 21) < 0.01);
	assert_true(fabs(contrast(0x767676, WHITE) - 4.54) < 0.01);
}

/* As it is with 24 bits, and as a terminal with 256 colours shows it. */
static void must_be_readable(const char *name, int32_t ground, double least)
{
	const struct theme_colors *t = theme(name);

	for (int style = 0; style < GRID_STYLES; style++) {
		int32_t rgb = t->rows[style].rgb;
		int32_t shown = rgb == THEME_OWN ? rgb : theme_rgb_of_256(theme_nearest_256(rgb));

		if (rgb != THEME_OWN &&
		    (contrast(rgb, ground) < least || contrast(shown, ground) < least - 0.1))
			fail_msg("%s: style %d, %06x and %06x, has %.2f and %.2f to %06x", name,
				 style, rgb, shown, contrast(rgb, ground), contrast(shown, ground),
				 ground);
	}
}

UNIT_TEST(every_colour_can_be_read)
{
	must_be_readable("auto", BLACK, 3.6);
	must_be_readable("auto", WHITE, 3.6);
	must_be_readable("dark", BLACK, 4.5);
	must_be_readable("light", WHITE, 4.5);
	must_be_readable("contrast", theme("contrast")->ground.rgb, 7);
	must_be_readable("colorblind", BLACK, 3);
	must_be_readable("colorblind", WHITE, 3);
}

/* What stands side by side and differs by its style alone. */
static const enum grid_style pairs[][2] = {
	{ STYLE_NORMAL, STYLE_SELECTED },       { STYLE_NORMAL, STYLE_HOT },
	{ STYLE_NORMAL, STYLE_WARN },           { STYLE_NORMAL, STYLE_MATCH },
	{ STYLE_NORMAL, STYLE_BADGE },          { STYLE_TITLE, STYLE_SORTED },
	{ STYLE_BAR_USER, STYLE_BAR_SYSTEM },   { STYLE_FLAME, STYLE_FLAME_MATCH },
	{ STYLE_FLAME_MORE, STYLE_FLAME_LESS }, { STYLE_FLAME_MORE, STYLE_FLAME_SAME },
	{ STYLE_FLAME_LESS, STYLE_FLAME_SAME }, { STYLE_FLAME_LESS, STYLE_FLAME_MATCH },
};
#define PAIRS (sizeof(pairs) / sizeof(*pairs))

static unsigned marks(const struct theme_row *row)
{
	return row->attributes & ~(unsigned)(THEME_BOLD | THEME_DIM);
}

/* Many terminals show bold and dim as they please, some not at all. */
UNIT_TEST(nothing_is_told_by_bold_or_dim_alone)
{
	for (size_t n = 0; n < theme_count; n++) {
		const struct theme_colors *t = &themes[n];

		for (size_t i = 0; i < PAIRS; i++) {
			const struct theme_row *a = &t->rows[pairs[i][0]],
					       *b = &t->rows[pairs[i][1]];

			if (marks(a) == marks(b) && a->rgb == b->rgb &&
			    pairs[i][1] != STYLE_FLAME_MATCH)
				fail_msg("%s: styles %d and %d look alike", theme_name(n),
					 pairs[i][0], pairs[i][1]);
		}
		for (int style = 0; style < GRID_STYLES; style++)
			assert_false(t->rows[style].attributes & THEME_DIM);
	}
}

/* How people without cones for green see it: Vienot, Brettel and Mollon 1999, in linear light. */
static void as_seen_without_green(int32_t rgb, double out[3])
{
	double r = linear(rgb, 16), g = linear(rgb, 8), b = linear(rgb, 0);

	out[0] = 0.29275 * r + 0.70725 * g;
	out[1] = 0.29275 * r + 0.70725 * g;
	out[2] = -0.02234 * r + 0.02234 * g + b;
}

static double difference_without_green(int32_t a, int32_t b)
{
	double sa[3], sb[3], sum = 0;

	as_seen_without_green(a, sa);
	as_seen_without_green(b, sb);
	for (int i = 0; i < 3; i++) {
		double d = pow(fmax(sa[i], 0), 1 / 2.2) - pow(fmax(sb[i], 0), 1 / 2.2);

		sum += d * d;
	}
	return sqrt(sum);
}

UNIT_TEST(red_and_green_are_told_apart_by_everybody)
{
	static const enum grid_style opposites[][2] = {
		{ STYLE_GOOD, STYLE_HOT },
		{ STYLE_BAR_USER, STYLE_BAR_SYSTEM },
		{ STYLE_FLAME_MORE, STYLE_FLAME_LESS },
		{ STYLE_FLAME, STYLE_FLAME_KERNEL },
	};
	const struct theme_colors *t = theme("colorblind");

	for (size_t i = 0; i < sizeof(opposites) / sizeof(*opposites); i++)
		assert_true(difference_without_green(t->rows[opposites[i][0]].rgb,
						     t->rows[opposites[i][1]].rgb) > 0.4);
	assert_true(difference_without_green(0x808000, 0xb06000) < 0.2);
}

UNIT_TEST(the_theme_without_colours_is_that_of_no_color)
{
	struct theme_colors plain;

	theme_plain(&plain);
	assert_memory_equal(&plain, theme("mono"), sizeof(plain));
}

/* One line of a theme, and what is wrong with it; NULL: nothing. */
static void must_say(const char *line, const char *wrong)
{
	struct buf text = { 0 }, notes = { 0 };
	struct theme_colors t;

	buf_add_str(&text, line);
	assert_int_equal(theme_parse(&t, "f", &text, &notes), !wrong);
	if (wrong)
		assert_string_equal(notes.bytes, wrong);
	else
		assert_int_equal(notes.size, 0);
	buf_fini(&text);
	buf_fini(&notes);
}

UNIT_TEST(lines_that_cannot_be_used_are_named)
{
	must_say("hot = own", NULL);
	must_say("hot=#FF8700 light-red bold dim underline reverse", NULL);
	must_say("ground = #000000 black", NULL);
	must_say("hot", "f:1: 'hot' is no 'meaning = colour'\n");
	must_say("hot =", "f:1: 'hot' is no 'meaning = colour'\n");
	must_say("cold = blue", "f:1: themes have no 'cold'\n");
	must_say("hot = #ff870\nhot = orange\n",
		 "f:1: '#ff870' is neither a colour, such as #ff8700, light-red or own, nor bold, "
		 "dim, "
		 "underline or reverse\nf: 1 more line that cannot be used\n");
}

UNIT_TEST(a_line_changes_its_meaning_alone)
{
	struct buf text = { 0 }, notes = { 0 };
	struct theme_colors t, plain;

	theme_plain(&plain);
	buf_add_str(&text,
		    "# mine\nhot = #123456 light-blue bold\nnosuch = red\nground = #010203 red\n");
	assert_int_equal(theme_parse(&t, "f", &text, &notes), 2);
	assert_int_equal(t.rows[STYLE_HOT].rgb, 0x123456);
	assert_int_equal(t.rows[STYLE_HOT].color16, 12);
	assert_int_equal(t.rows[STYLE_HOT].attributes, THEME_BOLD);
	assert_int_equal(t.ground.rgb, 0x010203);
	assert_int_equal(t.ground.color16, 1);
	t.ground = plain.ground;
	t.rows[STYLE_HOT] = plain.rows[STYLE_HOT];
	assert_memory_equal(&t, &plain, sizeof(t));
	buf_fini(&text);
	buf_fini(&notes);
}

UNIT_TEST(the_nearest_colour_is_itself)
{
	for (int color = 16; color < 256; color++)
		assert_int_equal(theme_rgb_of_256(theme_nearest_256(theme_rgb_of_256(color))),
				 theme_rgb_of_256(color));
	assert_int_equal(theme_rgb_of_256(160), 0xd70000);
	assert_int_equal(theme_rgb_of_256(244), 0x808080);
}

UNIT_TEST(auto_follows_the_background)
{
	static const struct {
		const char *told, *theme;
	} cases[] = {
		{ "15;0", "dark" },
		{ "0;15", "light" },
		{ "0;default;15", "light" },
		{ "7;8", "dark" },
		{ "0;7", "light" },
		{ NULL, "auto" },
		{ "", "auto" },
		{ "15", "auto" },
		{ "15;default", "auto" },
		{ "0;99999999999", "auto" },
		{ "0;-1", "auto" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(theme_choose("auto", cases[i].told), cases[i].theme);
	assert_string_equal(theme_choose("mono", "0;15"), "mono");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_contrast_is_that_of_the_standard),
		cmocka_unit_test(every_colour_can_be_read),
		cmocka_unit_test(nothing_is_told_by_bold_or_dim_alone),
		cmocka_unit_test(red_and_green_are_told_apart_by_everybody),
		cmocka_unit_test(the_theme_without_colours_is_that_of_no_color),
		cmocka_unit_test(lines_that_cannot_be_used_are_named),
		cmocka_unit_test(a_line_changes_its_meaning_alone),
		cmocka_unit_test(the_nearest_colour_is_itself),
		cmocka_unit_test(auto_follows_the_background),
	};

	return cmocka_run_group_tests(tests, read_themes, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
