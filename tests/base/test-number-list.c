/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/number-list.h"

UNIT_TEST(reads_numbers_and_ranges)
{
	static const uint32_t want[] = { 1, 2, 3, 4, 5, 6, 7, 9 };
	struct error err = { "" };
	struct number_list l = { 0 };
	char *text = number_list_text(&l);

	assert_string_equal(text, "");
	free(text);
	assert_int_equal(number_list_parse(&l, "9,4-7,1,2-4,4", "CPU", 0, 100, &err), 0);
	assert_int_equal(l.count, 8);
	assert_memory_equal(l.items, want, sizeof(want));
	text = number_list_text(&l);
	assert_string_equal(text, "1-7,9");
	free(text);
	assert_true(number_list_has(&l, 1));
	assert_true(number_list_has(&l, 9));
	assert_false(number_list_has(&l, 8));
	assert_false(number_list_has(&l, 0));
	number_list_fini(&l);
	assert_false(number_list_has(&l, 1));
}

UNIT_TEST(takes_the_limits_themselves)
{
	struct number_list l;

	assert_int_equal(number_list_parse(&l, "0,4294967295", "uid", 0, UINT32_MAX, NULL), 0);
	assert_int_equal(l.items[1], UINT32_MAX);
	number_list_fini(&l);
	assert_int_equal(number_list_parse(&l, "1-65536", "pid", 1, 4194304, NULL), 0);
	assert_int_equal(l.count, 65536);
	number_list_fini(&l);
}

UNIT_TEST(refuses_what_is_no_list)
{
	static const char *const bad[] = { "",   ",",  "1,",   ",1",    "1,,2", "x",
					   "1x", "1-", "-1",   "1--2",  "3-1",  " 1",
					   "1 ", "+1", "0x10", "1-2-3", "1;2",  "1-x" };
	struct error err;
	struct number_list l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		assert_int_equal(number_list_parse(&l, bad[i], "CPU", 0, 100, &err), -1);
		assert_non_null(strstr(err.text, "CPU list"));
		assert_null(strchr(err.text, '\n'));
		assert_int_equal(l.count, 0);
		assert_null(l.items);
	}
}

/* The message names the range, not the grammar. */
UNIT_TEST(says_what_is_allowed)
{
	static const char *const bad[] = { "0",
					   "101",
					   "1-101",
					   "4294967295",
					   "4294967296",
					   "99999999999999999999999",
					   "1-99999999999999999999999" };
	struct error err;
	struct number_list l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(number_list_parse(&l, bad[i], "pid", 1, 100, &err), -1);
		assert_non_null(strstr(err.text, "between 1 and 100"));
		assert_non_null(strstr(err.text, bad[i]));
	}
	assert_int_equal(number_list_parse(&l, "1-70000", "pid", 1, 4194304, &err), -1);
	assert_non_null(strstr(err.text, "65536"));
	assert_int_equal(number_list_parse(&l, "1-40000,1-40000", "pid", 1, 4194304, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_numbers_and_ranges),
		cmocka_unit_test(takes_the_limits_themselves),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(says_what_is_allowed),
	};

	return unit_run(tests);
}
