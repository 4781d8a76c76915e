/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/strtab.h"

UNIT_TEST(equal_text_is_one_pointer)
{
	struct strtab *t = strtab_new();
	char one[] = "libc.so.6", other[] = "libc.so.6";

	assert_ptr_equal(strtab_add(t, one), strtab_add(t, other));
	assert_ptr_not_equal(strtab_add(t, one), one);
	assert_ptr_not_equal(strtab_add(t, "libc.so.6"), strtab_add(t, "libc.so.66"));
	assert_ptr_not_equal(strtab_add(t, "libc.so.6"), strtab_add(t, "libc.so."));
	assert_string_equal(strtab_add(t, ""), "");
	strtab_free(t);
}

UNIT_TEST(takes_a_part_of_a_text)
{
	struct strtab *t = strtab_new();

	assert_string_equal(strtab_add_n(t, "abcdef", 3), "abc");
	assert_ptr_equal(strtab_add_n(t, "abcdef", 3), strtab_add(t, "abc"));
	assert_ptr_equal(strtab_add_n(t, "abc\0def", 7), strtab_add(t, "abc"));
	assert_ptr_equal(strtab_add_n(t, "x", 0), strtab_add(t, ""));
	strtab_free(t);
}

/* Through several sizes of the index, and texts longer than a chunk. */
UNIT_TEST(strings_never_move)
{
	enum { COUNT = 20000 };
	struct strtab *t = strtab_new();
	const char **seen = calloc(COUNT, sizeof(*seen));
	char *huge = malloc(200001);
	const char *kept;
	char text[32];

	memset(huge, 'x', 200000);
	huge[200000] = '\0';
	kept = strtab_add(t, huge);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "name-%d", i);
		seen[i] = strtab_add(t, text);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "name-%d", i);
		assert_string_equal(seen[i], text);
		assert_ptr_equal(strtab_add(t, text), seen[i]);
	}
	assert_ptr_equal(strtab_add(t, huge), kept);
	assert_string_equal(kept, huge);
	free(huge);
	free(seen);
	strtab_free(t);
}

UNIT_TEST(copies_are_not_interned)
{
	struct strtab *t = strtab_new();
	const char *one = strtab_copy(t, "sleep 1"), *other = strtab_copy(t, "sleep 1");

	assert_string_equal(one, "sleep 1");
	assert_string_equal(other, "sleep 1");
	assert_ptr_not_equal(one, other);
	assert_ptr_not_equal(strtab_add(t, "sleep 1"), one);
	assert_string_equal(strtab_copy(t, ""), "");
	strtab_free(t);
}

UNIT_TEST(memory_is_told_and_bounded)
{
	struct strtab *t = strtab_new();
	size_t before;

	strtab_add(t, "one");
	before = strtab_bytes(t);
	assert_in_range(before, 1, 256 * 1024);
	for (int i = 0; i < 1000; i++)
		strtab_add(t, "one");
	assert_int_equal(strtab_bytes(t), before);
	strtab_free(t);
	strtab_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_text_is_one_pointer),
		cmocka_unit_test(takes_a_part_of_a_text),
		cmocka_unit_test(strings_never_move),
		cmocka_unit_test(copies_are_not_interned),
		cmocka_unit_test(memory_is_told_and_bounded),
	};

	return unit_run(tests);
}
