/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"

static int values[1000];

UNIT_TEST(keeps_what_was_put)
{
	struct map m = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		map_put(&m, i * 4096, &values[i]);
	assert_int_equal(m.count, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		assert_ptr_equal(map_find(&m, i * 4096), &values[i]);
	assert_null(map_find(&m, 1));
	map_fini(&m);
}

UNIT_TEST(removal_leaves_the_others_reachable)
{
	struct map m = { 0 };
	size_t cursor = 0, seen = 0;

	for (uint64_t i = 0; i < 1000; i++)
		map_put(&m, i, &values[i]);
	for (uint64_t i = 0; i < 1000; i += 2)
		assert_ptr_equal(map_remove(&m, i), &values[i]);
	for (uint64_t i = 0; i < 1000; i++)
		assert_ptr_equal(map_find(&m, i), i % 2 ? &values[i] : NULL);
	while (map_next(&m, &cursor))
		seen++;
	assert_int_equal(seen, 500);
	assert_null(map_remove(&m, 0));
	map_fini(&m);
}

UNIT_TEST(numbers_keys_in_the_order_in_which_they_come)
{
	struct map m = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(map_enter(&m, i * 4096), i);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(map_enter(&m, i * 4096), i);
	assert_int_equal(m.count, 1000);
	map_fini(&m);
}

static void count_down(void *value)
{
	--*(int *)value;
}

UNIT_TEST(frees_each_value_that_it_owns)
{
	struct map m = { 0 };
	int left = 3;

	map_fini_each(&m, count_down);
	assert_int_equal(left, 3);
	for (uint64_t i = 0; i < 3; i++)
		map_put(&m, i, &left);
	map_fini_each(&m, count_down);
	assert_int_equal(left, 0);
	assert_int_equal(m.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_was_put),
		cmocka_unit_test(removal_leaves_the_others_reachable),
		cmocka_unit_test(numbers_keys_in_the_order_in_which_they_come),
		cmocka_unit_test(frees_each_value_that_it_owns),
	};

	return unit_run(tests);
}
