/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long objects rest that had to make room for others.
 */
#include "unit.h"

#include "base/clock.h"
#include "symbol/loader.h"
#include "symbol/reopening.h"

#define COST_NS (NS_PER_S / 10)
#define OBJECTS 8u

static struct dso_key key_of(uint64_t inode)
{
	return (struct dso_key){ .kind = DSO_FILE, .path = "", .major = 8, .inode = inode };
}

UNIT_TEST(the_first_time_nobody_waits)
{
	const struct reopenings r = { .count = 0 };
	const struct dso_key key = key_of(1);

	assert_int_equal(reopenings_due(&r, &key), 0);
}

UNIT_TEST(it_waits_a_multiple_of_what_it_cost)
{
	struct reopenings r = { .count = 0 };
	const struct dso_key dear = key_of(1), cheap = key_of(2);

	reopenings_charge(&r, &dear, NS_PER_S, COST_NS);
	assert_int_equal(reopenings_due(&r, &dear), NS_PER_S + COST_NS * LOADER_REST);
	assert_int_equal(reopenings_due(&r, &cheap), 0);
	reopenings_charge(&r, &cheap, 100 * NS_PER_S, COST_NS / 10);
	assert_int_equal(reopenings_due(&r, &cheap), 100 * NS_PER_S + COST_NS / 10 * LOADER_REST);
}

/* Files are told apart by what they are, objects without one by their paths. */
UNIT_TEST(objects_are_told_apart)
{
	const struct dso_key keys[] = {
		{ .kind = DSO_FILE, .path = "a", .inode = 1 },
		{ .kind = DSO_FILE, .path = "a", .inode = 2 },
		{ .kind = DSO_FILE, .path = "a", .inode = 1, .minor = 1 },
		{ .kind = DSO_FILE, .path = "a", .inode = 1, .inode_generation = 1 },
		{ .kind = DSO_FILE, .path = "a", .inode = 1, .build_id = { .size = 4 } },
		{ .kind = DSO_KERNEL, .path = "a" },
		{ .kind = DSO_KERNEL, .path = "b" },
		{ .kind = DSO_JIT, .path = "a", .pid = 1 },
		{ .kind = DSO_JIT, .path = "a", .pid = 2 },
	};
	const size_t count = sizeof(keys) / sizeof(*keys);
	struct dso_key same = keys[0];
	struct reopenings r = { .count = 0 };

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(reopenings_due(&r, &keys[i]), 0);
		reopenings_charge(&r, &keys[i], NS_PER_S, COST_NS);
	}
	assert_int_equal(r.count, count);
	same.path = "the same file";
	assert_int_not_equal(reopenings_due(&r, &same), 0);
}

/* Each is opened as often as it may be, for a long time: all of them take one share, in equal parts. */
UNIT_TEST(all_share_one_part_of_a_cpu)
{
	const uint64_t end_ns = 2000 * NS_PER_S, step_ns = NS_PER_S / 100;
	struct reopenings r = { .count = 0 };
	unsigned opened[OBJECTS] = { 0 };
	double share;
	unsigned all = 0;

	for (uint64_t now_ns = step_ns; now_ns < end_ns; now_ns += step_ns) {
		for (unsigned i = 0; i < OBJECTS; i++) {
			const struct dso_key key = key_of(i + 1);

			if (reopenings_due(&r, &key) > now_ns)
				continue;
			reopenings_charge(&r, &key, now_ns, COST_NS);
			opened[i]++;
		}
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		all += opened[i];
		assert_in_range(opened[i], opened[0] - 4, opened[0] + 4);
	}
	share = (double)all * COST_NS / (double)end_ns * LOADER_REST;
	assert_true(share > 0.9 && share < 1.1);
}

UNIT_TEST(more_than_are_known_forget_who_waits_least)
{
	struct reopenings r = { .count = 0 };
	const struct dso_key first = key_of(1), second = key_of(2);

	reopenings_charge(&r, &first, 1, 1);
	for (unsigned i = 2; i <= REOPENINGS_MAX + 1; i++) {
		const struct dso_key key = key_of(i);

		reopenings_charge(&r, &key, NS_PER_S, COST_NS);
	}
	assert_int_equal(r.count, REOPENINGS_MAX);
	assert_int_equal(reopenings_due(&r, &first), 0);
	assert_int_not_equal(reopenings_due(&r, &second), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_time_nobody_waits),
		cmocka_unit_test(it_waits_a_multiple_of_what_it_cost),
		cmocka_unit_test(objects_are_told_apart),
		cmocka_unit_test(all_share_one_part_of_a_cpu),
		cmocka_unit_test(more_than_are_known_forget_who_waits_least),
	};

	return unit_run(tests);
}
