/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys: complete, and without two rows for one key. */
#include "unit.h"

#include <curses.h>

#include "ui/key.h"

UNIT_TEST(no_key_has_two_rows)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		assert_non_null(row->help);
		assert_true(row->keys[0] != 0);
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++)
			assert_ptr_equal(key_find(row->keys[i]), row);
	}
	assert_null(key_find(0));
	assert_null(key_find('!'));
}

UNIT_TEST(labels_are_what_is_on_the_keyboard)
{
	static const struct {
		uint32_t key;
		const char *label;
	} labels[] = {
		{ 'q', "q" },
		{ '\\', "\\" },
		{ ' ', "Space" },
		{ KEY_ESC, "Esc" },
		{ KEY_RETURN, "Enter" },
		{ KEY_TABULATOR, "Tab" },
		{ KEY_CTRL('L'), "Ctrl-L" },
		{ KEY_OF_CURSES(KEY_F(1)), "F1" },
		{ KEY_OF_CURSES(KEY_F(10)), "F10" },
		{ KEY_OF_CURSES(KEY_PPAGE), "PgUp" },
		{ KEY_OF_CURSES(KEY_BTAB), "Shift-Tab" },
		{ 0xe9, "\xc3\xa9" },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		char label[16];

		key_label(labels[i].key, label);
		assert_string_equal(label, labels[i].label);
	}
}

UNIT_TEST(every_key_has_a_label)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++) {
			char label[16];

			key_label(row->keys[i], label);
			assert_true(label[0] != '\0');
		}
	}
}

UNIT_TEST(users_keys_are_there)
{
	static const char keys[] = "qh?jk/nN\\<>repuHKUzZd PW";

	for (const char *p = keys; *p; p++)
		assert_non_null(key_find((unsigned char)*p));
	for (int n = 1; n <= 10; n++) {
		bool used = n == 1 || n == 3 || n == 4 || n == 6 || n == 10;

		assert_true((key_find(KEY_OF_CURSES(KEY_F(n))) != NULL) == used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_has_two_rows),
		cmocka_unit_test(labels_are_what_is_on_the_keyboard),
		cmocka_unit_test(every_key_has_a_label),
		cmocka_unit_test(users_keys_are_there),
	};

	return unit_run(tests);
}
