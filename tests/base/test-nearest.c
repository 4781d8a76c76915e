/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/nearest.h"

static const char *nearest(const char *want)
{
	static const char *const candidates[] = { "cycles", "ref-cycles", "instructions", "cs",
						  "branches" };
	static struct nearest n;

	nearest_init(&n, want, strlen(want));
	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		nearest_try(&n, candidates[i]);
	return n.best;
}

UNIT_TEST(one_edit_is_near)
{
	assert_string_equal(nearest("cycle"), "cycles");
	assert_string_equal(nearest("cycless"), "cycles");
	assert_string_equal(nearest("cxcles"), "cycles");
	assert_string_equal(nearest("ycles"), "cycles");
	assert_string_equal(nearest("CYCLES"), "cycles");
}

/* A swap is one edit, not two: "sc" is nearer to "cs" than to anything else. */
UNIT_TEST(swapped_bytes_are_one_edit)
{
	struct nearest n;

	assert_string_equal(nearest("instrutcions"), "instructions");
	nearest_init(&n, "abcd", 4);
	nearest_try(&n, "abdc");
	assert_int_equal(n.distance, 1);
	nearest_init(&n, "abcdef", 6);
	nearest_try(&n, "badcef");
	assert_int_equal(n.distance, 2);
}

UNIT_TEST(the_nearest_wins_and_the_first_of_equals)
{
	struct nearest n;

	assert_string_equal(nearest("ref-cycle"), "ref-cycles");
	nearest_init(&n, "aax", 3);
	nearest_try(&n, "aay");
	nearest_try(&n, "aaz");
	assert_string_equal(n.best, "aay");
}

UNIT_TEST(what_is_far_is_not_suggested)
{
	char longest[NEAREST_MAX + 2];

	assert_string_equal(nearest("zzzzzzzz"), "");
	memset(longest, 'c', sizeof(longest));
	longest[NEAREST_MAX + 1] = '\0';
	assert_string_equal(nearest(longest), "");
	longest[NEAREST_MAX] = '\0';
	assert_string_equal(nearest(longest), "");
}

UNIT_TEST(the_longest_names_fit)
{
	char want[NEAREST_MAX + 1], candidate[NEAREST_MAX + 2];
	struct nearest n;

	memset(want, 'a', sizeof(want));
	memset(candidate, 'a', sizeof(candidate));
	nearest_init(&n, want, NEAREST_MAX);
	candidate[NEAREST_MAX + 1] = '\0';
	nearest_try(&n, candidate);
	assert_string_equal(n.best, "");
	candidate[NEAREST_MAX] = '\0';
	nearest_try(&n, candidate);
	assert_int_equal(strlen(n.best), NEAREST_MAX);
	assert_int_equal(n.distance, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_edit_is_near),
		cmocka_unit_test(swapped_bytes_are_one_edit),
		cmocka_unit_test(the_nearest_wins_and_the_first_of_equals),
		cmocka_unit_test(what_is_far_is_not_suggested),
		cmocka_unit_test(the_longest_names_fit),
	};

	return unit_run(tests);
}
