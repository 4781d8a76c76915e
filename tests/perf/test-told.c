/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A wait that lasts over ends of intervals is told in pieces, whose sum is the wait. */
#include "unit.h"

#include "perf/bpf/told.h"

#define TID 7u
#define MS 1000000ull

static struct wait_thread blocked_since(uint64_t ms)
{
	return (struct wait_thread){ .since_ns = ms * MS, .kind = WAIT_BLOCKED };
}

/* The whole of TID's wait from FROM to TO, in which it could run from READY on. */
static struct wait_sum ended(struct told *d, uint64_t from, uint64_t ready, uint64_t to)
{
	const struct wait_key key = { .tid = TID, .since_ns = from * MS };
	struct wait_sum sum = { .count = 1,
				.ns = (to - from) * MS,
				.delay_ns = (to - ready) * MS,
				.longest_ns = (to - from) * MS };

	told_take(d, &key, &sum);
	return sum;
}

UNIT_TEST(pieces_add_up)
{
	struct told *d = told_new();
	struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	assert_true(told_add(d, TID, &t, 1000 * MS, &one));
	assert_int_equal(one.count, 0);
	assert_int_equal(one.ns, 900 * MS);
	assert_int_equal(one.delay_ns, 0);
	told_next(d);
	t.ready_ns = 1900 * MS;
	assert_true(told_add(d, TID, &t, 2000 * MS, &one));
	assert_int_equal(one.ns, 1000 * MS);
	assert_int_equal(one.delay_ns, 100 * MS);
	assert_int_equal(one.longest_ns, 1900 * MS);
	told_next(d);
	one = ended(d, 100, 1900, 2050);
	assert_int_equal(one.ns, 50 * MS);
	assert_int_equal(one.delay_ns, 50 * MS);
	assert_int_equal(one.longest_ns, 1950 * MS);
	told_free(d);
}

UNIT_TEST(it_is_taken_off_once)
{
	struct told *d = told_new();
	const struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	told_add(d, TID, &t, 200 * MS, &one);
	assert_int_equal(ended(d, 100, 300, 300).ns, 100 * MS);
	assert_int_equal(ended(d, 100, 300, 300).ns, 200 * MS);
	told_free(d);
}

/* Between the exchange of the maps and the look at the threads it ended: its sum comes an interval later. */
UNIT_TEST(it_is_known_for_an_interval_more)
{
	struct told *d = told_new();
	const struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	told_add(d, TID, &t, 200 * MS, &one);
	told_next(d);
	told_next(d);
	assert_int_equal(ended(d, 100, 250, 250).ns, 50 * MS);
	told_add(d, TID, &t, 200 * MS, &one);
	told_next(d);
	told_next(d);
	told_next(d);
	/* Then it is forgotten: no thread waits and has no sum. */
	assert_int_equal(ended(d, 100, 250, 250).ns, 150 * MS);
	told_free(d);
}

UNIT_TEST(another_wait_of_the_thread_is_another)
{
	struct told *d = told_new();
	struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	told_add(d, TID, &t, 200 * MS, &one);
	told_next(d);
	t = blocked_since(210);
	assert_true(told_add(d, TID, &t, 300 * MS, &one));
	assert_int_equal(one.ns, 90 * MS);
	assert_int_equal(ended(d, 210, 310, 310).ns, 10 * MS);
	told_free(d);
}

/* A clock that a CPU reads a little later than the one that ends the interval. */
UNIT_TEST(nothing_is_told_of_the_future)
{
	struct told *d = told_new();
	const struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	assert_false(told_add(d, TID, &t, 100 * MS, &one));
	assert_false(told_add(d, TID, &t, 99 * MS, &one));
	told_free(d);
}

UNIT_TEST(a_short_wait_is_its_own)
{
	const struct wait_key key = { .tid = TID };
	struct wait_sum sum = { .count = 5, .ns = 5 * MS };
	struct told *d = told_new();
	const struct wait_thread t = blocked_since(100);
	struct wait_sum one;

	told_add(d, TID, &t, 200 * MS, &one);
	told_take(d, &key, &sum);
	assert_int_equal(sum.ns, 5 * MS);
	told_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_add_up),
		cmocka_unit_test(it_is_taken_off_once),
		cmocka_unit_test(it_is_known_for_an_interval_more),
		cmocka_unit_test(another_wait_of_the_thread_is_another),
		cmocka_unit_test(nothing_is_told_of_the_future),
		cmocka_unit_test(a_short_wait_is_its_own),
	};

	return unit_run(tests);
}
