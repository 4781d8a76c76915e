/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/heap.h"

#define ITEMS 300u
#define SEEDS 20u

struct item {
	struct heap_node node;
	uint32_t key;
};

static bool is_smaller(const struct heap_node *a, const struct heap_node *b)
{
	return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

static uint32_t random_number(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Takes out all of H, which must come in order and be COUNT. */
static void check_order(struct heap *h, size_t count)
{
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		const struct item *top = (const struct item *)heap_top(h);

		assert_non_null(top);
		assert_true(top->key >= last);
		last = top->key;
		heap_pop(h);
	}
	assert_null(heap_top(h));
}

UNIT_TEST(items_come_in_order)
{
	struct heap h = { .before = is_smaller };
	struct item items[ITEMS];

	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		uint32_t numbers = seed;

		for (size_t i = 0; i < ITEMS; i++) {
			items[i].key = random_number(&numbers) % 100;
			heap_push(&h, &items[i].node);
		}
		check_order(&h, ITEMS);
	}
	heap_fini(&h);
}

/* Any of them, wherever it is. */
UNIT_TEST(items_that_change_find_their_place)
{
	struct heap h = { .before = is_smaller };
	struct item items[ITEMS];
	uint32_t numbers = 1;

	for (size_t i = 0; i < ITEMS; i++) {
		items[i].key = random_number(&numbers);
		heap_push(&h, &items[i].node);
	}
	for (size_t i = 0; i < ITEMS; i++) {
		uint32_t key = random_number(&numbers), had = items[i].key;

		items[i].key = key;
		if (key < had)
			heap_rise(&h, &items[i].node);
		else
			heap_sink(&h, &items[i].node);
	}
	check_order(&h, ITEMS);
	heap_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order),
		cmocka_unit_test(items_that_change_find_their_place),
	};

	return unit_run(tests);
}
