/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of keys, its schemes, and what a person binds. */
#include "unit.h"

#include <curses.h>
#include <locale.h>

#include "base/buf.h"
#include "ui/key.h"
#include "ui/keymap.h"
#include "view/kind.h"

static const struct key_row *row_of(const struct keymap *m, uint32_t key, unsigned where)
{
	const struct key_binding *b = keymap_find(m, key, where);

	return b ? b->row : NULL;
}

/* Two rows may have one key if each is of use where the other is not: each can be reached. */
UNIT_TEST(every_row_has_its_keys)
{
	struct keymap m;

	keymap_init(&m, NULL, NULL);
	assert_in_range(m.count, 1, KEYMAP_MAX - 32);
	for (const struct key_row *row = key_table; row->act; row++) {
		assert_non_null(row->help);
		assert_true(row->keys[0] || row->name);
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++)
			assert_ptr_equal(row_of(&m, row->keys[i], row->where), row);
	}
	assert_null(keymap_find(&m, 0, 0));
	assert_null(keymap_find(&m, '$', 0));
}

/* A view's key is no action's, but that of findings, which has a word in the last line. */
UNIT_TEST(every_view_has_its_key)
{
	struct keymap m;

	keymap_init(&m, NULL, NULL);
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		const struct key_binding *b =
			k->key ? keymap_find(&m, (unsigned char)k->key, 0) : NULL;

		if (k->key && k->key != '!' && b->view != k)
			fail_msg("the key '%c' does not show the view %s", k->key, k->name);
	}
}

UNIT_TEST(names_are_words_of_their_own)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		if (!row->name)
			continue;
		assert_ptr_equal(key_named(row->name), row);
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(row->name));
		assert_int_not_equal(strncmp(row->name, "view-", 5), 0);
	}
}

UNIT_TEST(labels_are_read_back)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++) {
			char label[16];

			key_label(row->keys[i], label);
			assert_int_equal(key_parse(label), row->keys[i]);
		}
	}
	assert_int_equal(key_parse("ctrl-x"), KEY_CTRL('X'));
	assert_int_equal(key_parse("\xc3\xa9"), 0xe9);
	assert_int_equal(key_parse(""), 0);
	assert_int_equal(key_parse("F13"), 0);
	assert_int_equal(key_parse("ab"), 0);
	assert_int_equal(key_parse("Ctrl-"), 0);
}

/* What programs have in common is not lost by a scheme, and a scheme is right. */
UNIT_TEST(schemes_leave_every_action_a_key)
{
	for (const struct key_scheme *s = key_schemes; s->name; s++) {
		struct buf lost = { 0 };
		struct keymap m;
		struct error err;

		if (keymap_bind(NULL, s->changes, &err))
			fail_msg("%s: %s", s->name, err.text);
		keymap_init(&m, s->name, NULL);
		keymap_lost(&m, &lost);
		if (lost.size)
			fail_msg("%s: %s", s->name, lost.bytes);
	}
}

UNIT_TEST(htop_keys_do_what_they_do_there)
{
	struct keymap m;

	keymap_init(&m, "htop", NULL);
	assert_string_equal(row_of(&m, 'k', ON_PROCESS | MAY_ACT)->name, "kill");
	assert_string_equal(row_of(&m, ' ', 0)->name, "tag");
	assert_string_equal(row_of(&m, 'P', 0)->name, "sort-cpu");
	assert_string_equal(row_of(&m, KEY_OF_CURSES(KEY_UP), 0)->name, "up");
	keymap_init(&m, "vi", NULL);
	assert_string_equal(row_of(&m, 'k', ON_PROCESS | MAY_ACT)->name, "up");
}

UNIT_TEST(a_key_means_what_is_of_use_here)
{
	struct keymap m;

	keymap_init(&m, NULL, NULL);
	assert_string_equal(row_of(&m, 'a', ON_EVENT)->name, "event-add");
	assert_string_equal(row_of(&m, 'a', ON_PROCESS | MAY_ACT)->name, "affinity");
	assert_string_equal(row_of(&m, 'a', ON_PROCESS)->name, "event-add");
	assert_string_equal(row_of(&m, 'c', IN_TREE | ON_PROCESS | MAY_ACT)->name, "close-all");
	assert_string_equal(row_of(&m, 'c', ON_PROCESS | MAY_ACT)->name, "tag");
	assert_int_equal(keymap_key(&m, key_named("tag"), ON_PROCESS | MAY_ACT), 'c');
	assert_int_equal(keymap_key(&m, key_named("tag"), IN_TREE | ON_PROCESS | MAY_ACT),
			 KEY_OF_CURSES(KEY_IC));
}

UNIT_TEST(a_person_binds_keys)
{
	struct buf names = { 0 }, lost = { 0 };
	struct keymap m;

	keymap_init(&m, NULL, "F12 kill, y view-cpus, x nothing,  F5 sort, t sort");
	assert_string_equal(row_of(&m, KEY_OF_CURSES(KEY_F(12)), 0)->name, "kill");
	assert_string_equal(keymap_find(&m, 'y', 0)->view->name, "cpus");
	assert_null(keymap_find(&m, 'x', ON_EVENT));
	keymap_names(&m, &(struct key_binding){ 0, key_named("sort"), NULL }, &names);
	assert_string_equal(names.bytes, "F6 F5 t");
	keymap_lost(&m, &lost);
	assert_string_equal(lost.bytes, "no key is left for 'tree': bind another one\n");
	buf_fini(&names);
	buf_fini(&lost);
}

UNIT_TEST(wrong_bindings_are_told)
{
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{ "F5", "key 'F5' has no action: write it behind the key" },
		{ "F5 kil", "no action is called 'kil': did you mean 'kill'?" },
		{ "F5 view-nosuch",
		  "no action is called 'view-nosuch': man ptop lists them under KEYS" },
		{ "F99 kill",
		  "no key is called 'F99': write it as the help does, such as F5, Ctrl-X or x" },
		{ "x kill, y sort, x sort", "key 'x' is bound twice" },
		{ "Esc quit", "key 'Esc' always leads back: bind another one" },
	};
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(keymap_bind(NULL, wrong[i].text, &err), -1);
		assert_string_equal(err.text, wrong[i].error);
	}
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
	static const char keys[] = "qh?jk/nN\\<>repuHKUzZd PWtMTcaX";
	struct keymap m;

	keymap_init(&m, NULL, NULL);
	for (const char *p = keys; *p; p++)
		assert_non_null(keymap_find(&m, (unsigned char)*p, 0));
	for (int n = 1; n <= 10; n++)
		assert_non_null(keymap_find(&m, KEY_OF_CURSES(KEY_F(n)), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_its_keys),
		cmocka_unit_test(every_view_has_its_key),
		cmocka_unit_test(names_are_words_of_their_own),
		cmocka_unit_test(labels_are_read_back),
		cmocka_unit_test(schemes_leave_every_action_a_key),
		cmocka_unit_test(htop_keys_do_what_they_do_there),
		cmocka_unit_test(a_key_means_what_is_of_use_here),
		cmocka_unit_test(a_person_binds_keys),
		cmocka_unit_test(wrong_bindings_are_told),
		cmocka_unit_test(labels_are_what_is_on_the_keyboard),
		cmocka_unit_test(every_key_has_a_label),
		cmocka_unit_test(users_keys_are_there),
	};

	if (!setlocale(LC_ALL, "C.UTF-8")) {
		puts("no UTF-8 locale");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
