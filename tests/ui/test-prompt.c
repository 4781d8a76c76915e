/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typing a line: editing keys, limits, and how it is drawn. */
#include "unit.h"

#include <curses.h>

#include "base/buf.h"
#include "ui/key.h"
#include "ui/prompt.h"

static void type(struct prompt *p, const char *letters)
{
	for (; *letters; letters++)
		prompt_key(p, (unsigned char)*letters);
}

static void assert_answer(const struct prompt *p, const char *expected)
{
	char *text = prompt_text(p);

	assert_string_equal(text, expected);
	free(text);
}

UNIT_TEST(typing_inserts_at_the_cursor)
{
	struct prompt p;

	prompt_start(&p, "");
	assert_answer(&p, "");
	type(&p, "ac");
	prompt_key(&p, KEY_OF_CURSES(KEY_LEFT));
	assert_int_equal(prompt_key(&p, 'b'), PROMPT_CHANGED);
	assert_answer(&p, "abc");
	prompt_key(&p, KEY_OF_CURSES(KEY_HOME));
	prompt_key(&p, 0xe9);
	assert_answer(&p, "\xc3\xa9"
			  "abc");
	prompt_key(&p, KEY_CTRL('E'));
	type(&p, "!");
	assert_answer(&p, "\xc3\xa9"
			  "abc!");
}

UNIT_TEST(erasing)
{
	struct prompt p;

	prompt_start(&p, "one two  ");
	assert_int_equal(prompt_key(&p, KEY_CTRL('W')), PROMPT_CHANGED);
	assert_answer(&p, "one ");
	prompt_key(&p, KEY_OF_CURSES(KEY_BACKSPACE));
	prompt_key(&p, 0x7f);
	prompt_key(&p, KEY_CTRL('H'));
	assert_answer(&p, "o");
	prompt_key(&p, KEY_CTRL('A'));
	assert_int_equal(prompt_key(&p, 0x7f), PROMPT_GOES_ON);
	prompt_key(&p, KEY_OF_CURSES(KEY_DC));
	assert_answer(&p, "");
	assert_int_equal(prompt_key(&p, KEY_OF_CURSES(KEY_DC)), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, KEY_CTRL('U')), PROMPT_GOES_ON);
	type(&p, "abc");
	prompt_key(&p, KEY_OF_CURSES(KEY_LEFT));
	prompt_key(&p, KEY_CTRL('K'));
	assert_answer(&p, "ab");
	prompt_key(&p, KEY_CTRL('U'));
	assert_answer(&p, "");
}

UNIT_TEST(ends)
{
	struct prompt p;

	prompt_start(&p, "x");
	assert_int_equal(prompt_key(&p, KEY_RETURN), PROMPT_ACCEPTED);
	assert_int_equal(prompt_key(&p, KEY_ESC), PROMPT_CANCELLED);
	assert_int_equal(prompt_key(&p, KEY_OF_CURSES(KEY_F(5))), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, KEY_CTRL('G')), PROMPT_GOES_ON);
	assert_answer(&p, "x");
}

UNIT_TEST(is_full_some_time)
{
	struct prompt p;

	prompt_start(&p, "");
	for (int i = 0; i < PROMPT_CHARACTERS; i++)
		assert_int_equal(prompt_key(&p, 'x'), PROMPT_CHANGED);
	assert_int_equal(prompt_key(&p, 'y'), PROMPT_GOES_ON);
	prompt_key(&p, KEY_CTRL('A'));
	assert_int_equal(prompt_key(&p, 'y'), PROMPT_GOES_ON);
	assert_int_equal(p.length, PROMPT_CHARACTERS);
}

UNIT_TEST(typing_takes_the_error_away)
{
	struct prompt p;

	prompt_start(&p, "x");
	strcpy(p.error, "no");
	prompt_key(&p, KEY_CTRL('A'));
	assert_string_equal(p.error, "no");
	prompt_key(&p, 'y');
	assert_string_equal(p.error, "");
}

UNIT_TEST(is_drawn_in_the_last_row)
{
	struct grid *g = grid_new(3, 20);
	struct buf text = { 0 };
	struct prompt p;

	prompt_start(&p, "abc");
	strcpy(p.error, "wrong");
	assert_int_equal(prompt_draw(&p, "Find", g), 1 + 6 + 3);
	grid_dump(g, &text);
	assert_string_equal(text.bytes, "\n wrong\n Find: abc\n");
	buf_fini(&text);
	grid_free(g);
}

UNIT_TEST(long_answer_scrolls_with_the_cursor)
{
	struct grid *g = grid_new(1, 12);
	struct buf text = { 0 };
	struct prompt p;

	prompt_start(&p, "0123456789");
	assert_true(prompt_draw(&p, "F", g) < 12);
	grid_dump(g, &text);
	assert_string_equal(text.bytes, " F: 3456789\n");
	buf_fini(&text);
	grid_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_inserts_at_the_cursor),
		cmocka_unit_test(erasing),
		cmocka_unit_test(ends),
		cmocka_unit_test(is_full_some_time),
		cmocka_unit_test(typing_takes_the_error_away),
		cmocka_unit_test(is_drawn_in_the_last_row),
		cmocka_unit_test(long_answer_scrolls_with_the_cursor),
	};

	return unit_run(tests);
}
