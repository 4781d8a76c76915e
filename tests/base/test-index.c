/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/index.h"

#define ITEMS 1000u

/* Item I is the number 7 I; all share a few hashes, so that probing wraps round. */
static uint32_t *find(const struct index *x, uint32_t number)
{
	uint32_t *slot = index_first(x, UINT64_MAX - number % 3);

	while (*slot && (*slot - 1) * 7 != number)
		slot = index_next(x, slot);
	return slot;
}

static void fill(struct index *x, uint32_t items)
{
	for (uint32_t i = 0; i < items; i++)
		*find(x, i * 7) = i + 1;
}

UNIT_TEST(finds_what_was_entered_also_behind_the_end)
{
	struct index x = { 0 };

	index_reset(&x, ITEMS);
	assert_false(index_full(&x, ITEMS));
	fill(&x, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++)
		assert_int_equal(*find(&x, i * 7), i + 1);
	assert_int_equal(*find(&x, 5), 0);
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
	assert_int_equal(*find(&x, 7), 0);
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
	assert_int_equal(*find(&x, 7), 0);
	index_fini(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_entered_also_behind_the_end),
		cmocka_unit_test(a_reset_frees_all_slots_and_fits_the_room),
		cmocka_unit_test(clearing_keeps_the_room),
	};

	return unit_run(tests);
}
