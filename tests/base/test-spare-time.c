/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who may begin work that can wait, and how much of it there is in all.  Time passes by hand.
 */
#include "unit.h"

#include "base/spare-time.h"

#define RATE 0.03
#define GREEDY 1000u
#define OTHER 1001u
#define JOB_NS (NS_PER_S / 100)

static uint64_t now_ns;

static uint64_t test_now(void *context)
{
	(void)context;
	return now_ns;
}

static const struct clock test_clock = { .monotonic_ns = test_now };

static struct spare_time *begin(void)
{
	now_ns = NS_PER_S;
	return spare_time_new(&test_clock, RATE);
}

/* OWNER works as often as he may, for SECONDS; returns the CPU time in seconds. */
static double work(struct spare_time *s, uint32_t owner, bool trusted, unsigned seconds)
{
	const uint64_t end_ns = now_ns + seconds * NS_PER_S;
	double used = 0;

	for (; now_ns < end_ns; now_ns += JOB_NS) {
		if (spare_time_due(s, owner, trusted))
			continue;
		spare_time_charge(s, owner, JOB_NS);
		used += (double)JOB_NS / NS_PER_S;
	}
	return used;
}

UNIT_TEST(at_the_start_there_is_a_credit)
{
	struct spare_time *s = begin();

	assert_int_equal(spare_time_due(s, GREEDY, false), 0);
	spare_time_charge(s, GREEDY, SPARE_CREDIT_NS / 4);
	assert_int_equal(spare_time_due(s, GREEDY, false), 0);
	spare_time_charge(s, GREEDY, SPARE_CREDIT_NS / 2);
	assert_int_not_equal(spare_time_due(s, GREEDY, false), 0);
	assert_int_equal(spare_time_due(s, OTHER, false), 0);
	spare_time_put(s);
}

UNIT_TEST(who_is_trusted_may_take_more_at_once)
{
	struct spare_time *s = begin();

	spare_time_charge(s, GREEDY, SPARE_CREDIT_NS + SPARE_TRUSTED_NS - 1);
	assert_int_equal(spare_time_due(s, GREEDY, true), 0);
	assert_int_not_equal(spare_time_due(s, GREEDY, false), 0);
	spare_time_charge(s, GREEDY, JOB_NS);
	assert_int_not_equal(spare_time_due(s, GREEDY, true), 0);
	spare_time_put(s);
}

UNIT_TEST(in_the_long_run_all_take_the_rate)
{
	for (int trusted = 0; trusted < 2; trusted++) {
		struct spare_time *s = begin();
		double used;

		work(s, GREEDY, trusted, 100);
		used = work(s, GREEDY, trusted, 1000) / 1000;
		assert_true(used > 0.9 * RATE && used < 1.1 * RATE);
		spare_time_set_rate(s, 2 * RATE);
		used = work(s, GREEDY, trusted, 1000) / 1000;
		assert_true(used > 1.8 * RATE && used < 2.2 * RATE);
		spare_time_put(s);
	}
}

/* However many there are, they share: each may only use a little where nothing is left. */
UNIT_TEST(many_owners_take_no_more)
{
	struct spare_time *s = begin();
	double used = 0;

	for (unsigned second = 0; second < 2000; second++)
		for (uint32_t owner = 0; owner < 4; owner++, now_ns += NS_PER_S / 4)
			if (!spare_time_due(s, owner, false)) {
				spare_time_charge(s, owner, 5 * JOB_NS);
				used += 5 * (double)JOB_NS / NS_PER_S;
			}
	assert_true(used < 2000 * RATE * 1.1 + (double)SPARE_CREDIT_NS / NS_PER_S);
	assert_true(used > 2000 * RATE * 0.7);
	spare_time_put(s);
}

UNIT_TEST(who_took_much_waits_and_others_do_not)
{
	struct spare_time *s = begin();

	work(s, GREEDY, false, 60);
	spare_time_charge(s, GREEDY, 10 * NS_PER_S); /* one job, whose cost nobody knew before */
	for (int i = 0; i < 4; i++) {
		assert_int_not_equal(spare_time_due(s, GREEDY, false), 0);
		assert_int_not_equal(spare_time_due(s, GREEDY, true), 0);
		assert_int_equal(spare_time_due(s, OTHER, false), 0);
		spare_time_charge(s, OTHER, SPARE_SMALL_NS / 4);
	}
	spare_time_charge(s, OTHER, SPARE_SMALL_NS);
	assert_int_not_equal(spare_time_due(s, OTHER, false), 0);
	spare_time_put(s);
}

UNIT_TEST(the_wait_that_is_told_is_enough)
{
	struct spare_time *s = begin();

	for (uint64_t cost_ns = NS_PER_S / 2; cost_ns < 40 * NS_PER_S; cost_ns *= 2) {
		for (int trusted = 0; trusted < 2; trusted++) {
			uint64_t due_ns;

			spare_time_charge(s, GREEDY,
					  SPARE_CREDIT_NS + (trusted ? SPARE_TRUSTED_NS : 0) +
						  cost_ns);
			due_ns = spare_time_due(s, GREEDY, trusted);
			assert_true(due_ns > now_ns);
			now_ns = due_ns;
			assert_int_equal(spare_time_due(s, GREEDY, trusted), 0);
		}
	}
	spare_time_put(s);
}

/* A clock that goes back gives nothing twice. */
UNIT_TEST(time_passes_once)
{
	struct spare_time *s = begin();

	spare_time_charge(s, GREEDY, 2 * SPARE_CREDIT_NS + SPARE_TRUSTED_NS);
	now_ns += 10 * NS_PER_S;
	assert_int_not_equal(spare_time_due(s, GREEDY, true), 0);
	for (int i = 0; i < 10; i++) {
		now_ns -= 10 * NS_PER_S;
		assert_int_not_equal(spare_time_due(s, GREEDY, true), 0);
		now_ns += 10 * NS_PER_S;
		assert_int_not_equal(spare_time_due(s, GREEDY, true), 0);
	}
	spare_time_put(s);
}

/* Ever new owners, as of user namespaces, whose files take 1 s each.  Those with a place wait, so others wait, too. */
UNIT_TEST(a_number_of_owners_is_no_way_out)
{
	struct spare_time *s = begin();
	unsigned begun = 0;

	for (uint32_t owner = 0; owner < 1000; owner++, now_ns += NS_PER_S / 1000) {
		if (!spare_time_due(s, owner, false)) {
			spare_time_charge(s, owner, NS_PER_S);
			begun++;
		}
	}
	assert_true(begun > 10 && begun < 100);
	spare_time_put(s);
}

/* Root among them has a place, which no other takes. */
UNIT_TEST(who_is_trusted_does_not_wait_for_a_number_of_owners)
{
	struct spare_time *s = begin();

	for (uint32_t owner = 1; owner < 200; owner++)
		spare_time_charge(s, owner, 2 * SPARE_SMALL_NS);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(spare_time_due(s, 0, true), 0);
		spare_time_charge(s, 0, SPARE_SMALL_NS / 5);
		assert_int_not_equal(spare_time_due(s, 1000, false), 0);
		spare_time_charge(s, 1000 + (uint32_t)i, 1);
	}
	spare_time_put(s);
}

UNIT_TEST(the_last_reference_ends_it)
{
	struct spare_time *s = begin();

	assert_ptr_equal(spare_time_get(s), s);
	spare_time_put(s);
	assert_int_equal(spare_time_due(s, GREEDY, false), 0);
	spare_time_put(s);
	assert_null(spare_time_get(NULL));
	spare_time_put(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_start_there_is_a_credit),
		cmocka_unit_test(who_is_trusted_may_take_more_at_once),
		cmocka_unit_test(in_the_long_run_all_take_the_rate),
		cmocka_unit_test(many_owners_take_no_more),
		cmocka_unit_test(who_took_much_waits_and_others_do_not),
		cmocka_unit_test(the_wait_that_is_told_is_enough),
		cmocka_unit_test(time_passes_once),
		cmocka_unit_test(a_number_of_owners_is_no_way_out),
		cmocka_unit_test(who_is_trusted_does_not_wait_for_a_number_of_owners),
		cmocka_unit_test(the_last_reference_ends_it),
	};

	return unit_run(tests);
}
