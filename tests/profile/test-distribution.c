/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "profile/cell.h"
#include "profile/distribution.h"

UNIT_TEST(buckets_are_powers_of_two)
{
	assert_int_equal(distribution_bucket(0), 0);
	assert_int_equal(distribution_bucket(1), 0);
	assert_int_equal(distribution_bucket(2), 1);
	assert_int_equal(distribution_bucket(1023), 9);
	assert_int_equal(distribution_bucket(1024), 10);
	assert_int_equal(distribution_bucket(UINT64_MAX), DISTRIBUTION_BUCKETS - 1);
	for (unsigned i = 1; i < DISTRIBUTION_BUCKETS; i++) {
		assert_true(distribution_from_ns(i) == distribution_to_ns(i - 1));
		assert_int_equal(distribution_bucket((uint64_t)distribution_from_ns(i)), i);
		assert_int_equal(distribution_bucket((uint64_t)distribution_from_ns(i) - 1), i - 1);
	}
	assert_true(distribution_from_ns(0) == 0);
}

UNIT_TEST(nothing_has_no_quantile)
{
	struct distribution d = { .longest_ns = 0 };
	struct distribution_facts f = distribution_facts(&d);

	assert_true(f.count == 0);
	assert_true(isnan(f.p50_ms) && isnan(f.p99_ms) && isnan(f.longest_ms));
	assert_int_equal(distribution_last(&d), -1);
	distribution_add_cell(&d, CELL_RAN, 7, 99);
	assert_true(isnan(distribution_longest(&d)));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Whatever the waits are: the quantile is in the bucket of the true one, and none is over the longest. */
UNIT_TEST(quantiles_are_in_the_true_bucket)
{
	enum { WAITS = 999 };
	uint64_t seed = 7, waits[WAITS];

	for (int round = 0; round < 200; round++) {
		struct distribution d = { 0 };

		for (size_t i = 0; i < WAITS; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			waits[i] = (seed >> 20) >> (seed % (unsigned)(8 + round % 40));
			distribution_add_cell(&d, (uint8_t)(distribution_bucket(waits[i]) + 1), 1,
					      (double)waits[i]);
		}
		qsort(waits, WAITS, sizeof(*waits), by_value);
		assert_true(distribution_count(&d) == WAITS);
		assert_true(distribution_longest(&d) == (double)waits[WAITS - 1]);
		for (int percent = 1; percent <= 100; percent++) {
			double found = distribution_quantile(&d, percent / 100.0);
			uint64_t truth = waits[(WAITS * percent + 99) / 100 - 1];
			unsigned bucket = distribution_bucket(truth);

			assert_true(found >= distribution_from_ns(bucket));
			assert_true(found <= distribution_to_ns(bucket));
			assert_true(found <= distribution_longest(&d));
		}
	}
}

/* Without the longest, as in a window of the past, it is the end of the last bucket. */
UNIT_TEST(longest_of_the_past)
{
	struct distribution d = { 0 };

	d.counts[10] = 2;
	d.counts[3] = 0.25;
	assert_true(distribution_longest(&d) == 2048);
	assert_true(distribution_quantile(&d, 1) == 2048);
	assert_true(distribution_quantile(&d, 0) == 8);
}

UNIT_TEST(sums)
{
	struct distribution a = { .longest_ns = 5 }, b = { .longest_ns = 9 };

	a.counts[2] = 1;
	b.counts[2] = 2;
	b.counts[3] = 4;
	distribution_add(&a, &b);
	assert_true(a.counts[2] == 3 && a.counts[3] == 4 && a.longest_ns == 9);
	assert_true(distribution_count(&a) == 7);
	/* One that goes on is longer than all that have ended. */
	distribution_add_cell(&a, CELL_WAIT_LASTS, 1, 1e9);
	assert_true(distribution_count(&a) == 7);
	assert_true(distribution_longest(&a) == 1e9);
	assert_true(distribution_quantile(&a, 1) == 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_powers_of_two),
		cmocka_unit_test(nothing_has_no_quantile),
		cmocka_unit_test(quantiles_are_in_the_true_bucket),
		cmocka_unit_test(longest_of_the_past),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
