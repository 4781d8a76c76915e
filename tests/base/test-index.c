/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/index.h"

#define ITEMS 1000u

/* Item I is the number 7 I; all share a few hashes, so that probing wraps round. */
static uint64_t hash_of(uint32_t number)
{
	return UINT64_MAX - number % 3;
}

static struct index_place find(const struct index *x, uint32_t number)
{
	struct index_place at = index_first(x, hash_of(number));

	while (at.number && (at.number - 1) * 7 != number)
		index_next(x, &at);
	return at;
}

static void fill(struct index *x, uint32_t items)
{
	for (uint32_t i = 0; i < items; i++) {
		struct index_place at = find(x, i * 7);

		index_enter(x, &at, i + 1);
	}
}

UNIT_TEST(finds_what_was_entered_also_behind_the_end)
{
	struct index x = { 0 };

	index_reset(&x, ITEMS);
	assert_false(index_full(&x, ITEMS));
	fill(&x, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++)
		assert_int_equal(find(&x, i * 7).number, i + 1);
	assert_int_equal(find(&x, 5).number, 0);
	index_fini(&x);
}

UNIT_TEST(a_reset_frees_all_slots_and_fits_the_room)
{
	struct index x = { 0 };
	size_t small;

	index_reset(&x, 0);
	small = index_bytes(&x);
	index_reset(&x, ITEMS);
	fill(&x, ITEMS);
	assert_true(index_bytes(&x) > small);
	index_reset(&x, 0);
	assert_int_equal(index_bytes(&x), small);
	assert_int_equal(find(&x, 7).number, 0);
	index_fini(&x);
}

UNIT_TEST(clearing_keeps_the_room)
{
	struct index x = { 0 };
	size_t bytes;

	index_reset(&x, ITEMS);
	fill(&x, ITEMS);
	bytes = index_bytes(&x);
	index_clear(&x);
	assert_int_equal(index_bytes(&x), bytes);
	assert_int_equal(find(&x, 7).number, 0);
	index_fini(&x);
}

/* Hashes that choose one slot and differ elsewhere. */
UNIT_TEST(what_only_lies_in_the_way_is_not_told)
{
	struct index x = { 0 };
	uint32_t told = 0;

	index_reset(&x, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++)
		index_enter_new(&x, (uint64_t)i << 52, i + 1);
	for (uint32_t i = 0; i < ITEMS; i++) {
		struct index_place at = index_first(&x, (uint64_t)i << 52);

		for (; at.number && at.number != i + 1; index_next(&x, &at))
			told++;
		assert_int_equal(at.number, i + 1);
	}
	assert_int_equal(told, 0);
	assert_int_equal(index_first(&x, 1).number, 0);
	index_fini(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_entered_also_behind_the_end),
		cmocka_unit_test(a_reset_frees_all_slots_and_fits_the_room),
		cmocka_unit_test(clearing_keeps_the_room),
		cmocka_unit_test(what_only_lies_in_the_way_is_not_told),
	};

	return unit_run(tests);
}
