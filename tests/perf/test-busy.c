/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whose waits have no stack while a budget takes few: of those that switch most, and of no others. */
#include "unit.h"

#include "perf/live/busy.h"

enum { PING = 10, PONG, NAPPER, SLEEPER, FIRST = 1000 };

static void switches(struct busy *b, uint32_t tid, unsigned count)
{
	while (count--)
		busy_count(b, tid, 1);
}

static void an_ordinary_second(struct busy *b)
{
	switches(b, NAPPER, 200);
	switches(b, SLEEPER, 1);
}

static void a_storm(struct busy *b)
{
	an_ordinary_second(b);
	switches(b, PING, 30000);
	switches(b, PONG, 29000);
}

UNIT_TEST(all_that_fits_is_taken)
{
	struct busy b = { 0 };

	an_ordinary_second(&b);
	assert_int_equal(b.others, 201);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 0);
	assert_int_equal(b.others_period, 1);
	assert_int_equal(b.others, 0);
	an_ordinary_second(&b);
	assert_false(busy_choose(&b, 1000));
	busy_fini(&b);
}

UNIT_TEST(the_busiest_are_left_out)
{
	struct busy b = { 0 };

	a_storm(&b);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 2);
	assert_int_equal(b.threads[0].tid, PING);
	assert_int_equal(b.threads[1].tid, PONG);
	assert_int_equal(b.others_period, 1);
	assert_in_range(59201 / b.busy_period, 1, 250);
	busy_fini(&b);
}

/* Who is left out stays so while the storm lasts, and not after it. */
UNIT_TEST(a_choice_lasts_as_long_as_its_reason)
{
	struct busy b = { 0 };

	a_storm(&b);
	assert_true(busy_choose(&b, 1000));
	for (int second = 0; second < 3; second++) {
		a_storm(&b);
		assert_int_equal(b.others, 201);
		assert_false(busy_choose(&b, 1000));
		assert_int_equal(b.left_out, 2);
	}
	an_ordinary_second(&b);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 0);
	assert_int_equal(b.busy_period, BUSY_PERIOD_MIN);
	busy_fini(&b);
}

/* A little more than what is allowed is no reason to open events anew. */
UNIT_TEST(a_choice_does_not_waver)
{
	struct busy b = { 0 };

	switches(&b, NAPPER, 1000);
	assert_true(busy_choose(&b, 1000));
	for (int second = 0; second < 4; second++) {
		switches(&b, NAPPER, second % 2 ? 1200 : 900);
		assert_false(busy_choose(&b, 1000));
	}
	switches(&b, NAPPER, 1300);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 1);
	switches(&b, NAPPER, 900); /* it would fit, but with little to spare */
	assert_false(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 1);
	switches(&b, NAPPER, 700);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, 0);
	busy_fini(&b);
}

/* More threads than a filter has room for: of the others one switch in so many. */
UNIT_TEST(too_many_share_what_fits)
{
	struct busy b = { 0 };

	for (uint32_t tid = FIRST; tid < FIRST + 1000; tid++)
		switches(&b, tid, 100);
	assert_true(busy_choose(&b, 1000));
	assert_int_equal(b.left_out, BUSY_THREADS_MAX);
	assert_in_range(b.others_period, (1000 - BUSY_THREADS_MAX) / 10,
			(1000 - BUSY_THREADS_MAX) / 10 + 2);
	busy_fini(&b);
}

UNIT_TEST(nothing_is_allowed)
{
	struct busy b = { 0 };

	assert_true(busy_choose(&b, 0));
	assert_int_equal(b.others_period, 1);
	a_storm(&b);
	assert_true(busy_choose(&b, 0));
	assert_int_equal(b.left_out, 4);
	assert_int_equal(b.busy_period, BUSY_PERIOD_MAX);
	busy_forget(&b);
	assert_int_equal(b.left_out, 0);
	assert_int_equal(b.count, 0);
	busy_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_fits_is_taken),
		cmocka_unit_test(the_busiest_are_left_out),
		cmocka_unit_test(a_choice_lasts_as_long_as_its_reason),
		cmocka_unit_test(a_choice_does_not_waver),
		cmocka_unit_test(too_many_share_what_fits),
		cmocka_unit_test(nothing_is_allowed),
	};

	return unit_run(tests);
}
