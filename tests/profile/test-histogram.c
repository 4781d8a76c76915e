/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "base/clock.h"
#include "profile/calltree.h"
#include "profile/frame.h"
#include "profile/histogram.h"

#define S NS_PER_S

static struct cell_key key_of(uint32_t process, uint32_t frame, uint16_t event)
{
	return (struct cell_key){
		.process = process, .tid = process, .frame = frame, .event = event
	};
}

static const struct cell_key a = { .process = 1, .tid = 1, .frame = 10 };
static const struct cell_key b = { .process = 1, .tid = 1, .frame = 11 };

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
		fail_msg("%.12g is not %.12g", value, expected);
}

static struct histogram *make(enum histogram_mode mode, double half_life_s)
{
	struct histogram *h = histogram_new(0);

	histogram_set_mode(h, mode, half_life_s);
	return h;
}

UNIT_TEST(weights_halve_every_half_life)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 2);
	const struct cell *c;

	histogram_add(h, &a, 100, 1 * S);
	histogram_add(h, &a, 300, 3 * S); /* the first one is 1/2 now */
	histogram_settle(h, 4 * S);
	c = histogram_find(h, &a);
	assert_non_null(c);
	assert_near(c->weight, exp2(-1.5) + exp2(-0.5));
	assert_near(c->period_weight, 100 * exp2(-1.5) + 300 * exp2(-0.5));
	assert_int_equal(c->samples, 2);
	assert_int_equal(c->period, 400);
	histogram_free(h);
}

/* A sample each millisecond: the weight is a thousand times the span. */
UNIT_TEST(the_span_is_what_the_weights_stand_for)
{
	static const enum histogram_mode modes[] = { HISTOGRAM_DECAY, HISTOGRAM_CUMULATIVE,
						     HISTOGRAM_ZERO };

	for (size_t mode = 0; mode < 3; mode++) {
		struct histogram *h = make(modes[mode], 2);

		histogram_settle(h, 10 * S);
		for (uint64_t ms = 1; ms <= 7000; ms++) {
			histogram_add(h, &a, 1, 10 * S + ms * S / 1000);
			if (ms % 1700 == 0)
				histogram_settle(h, 10 * S + ms * S / 1000);
		}
		histogram_settle(h, 17 * S);
		assert_true(fabs(histogram_find(h, &a)->weight / histogram_span_s(h) - 1000) < 1);
		histogram_settle(h, 16 * S); /* time does not go back */
		assert_true(fabs(histogram_find(h, &a)->weight / histogram_span_s(h) - 1000) < 1);
		histogram_zero(h);
		histogram_settle(h, 17 * S + S / 10);
		assert_true(fabs(histogram_span_s(h) - 0.1) < 0.01);
		histogram_free(h);
	}
}

UNIT_TEST(decay_does_not_depend_on_when_it_is_read)
{
	struct histogram *often = make(HISTOGRAM_DECAY, 5), *once = make(HISTOGRAM_DECAY, 5);

	for (uint64_t i = 0; i < 1000; i++) {
		histogram_add(often, &a, i, i * S / 100);
		histogram_add(once, &a, i, i * S / 100);
		histogram_settle(often, i * S / 100 + S / 200);
	}
	histogram_settle(often, 12 * S);
	histogram_settle(once, 12 * S);
	assert_near(histogram_find(often, &a)->weight, histogram_find(once, &a)->weight);
	assert_near(histogram_find(often, &a)->period_weight,
		    histogram_find(once, &a)->period_weight);
	histogram_free(often);
	histogram_free(once);
}

UNIT_TEST(a_late_sample_weighs_as_if_in_order)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 1);

	histogram_add(h, &a, 1, 5 * S);
	histogram_add(h, &a, 1, 3 * S);
	histogram_add(h, &b, 1, 4 * S); /* a new cell, older than the newest time */
	histogram_settle(h, 5 * S);
	assert_near(histogram_find(h, &a)->weight, 1 + exp2(-2));
	assert_near(histogram_find(h, &b)->weight, exp2(-1));
	histogram_free(h);
}

UNIT_TEST(what_weighs_nothing_is_dropped)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 1);

	histogram_add(h, &a, 1, 0);
	histogram_add(h, &b, 1, 1 * S);
	histogram_settle(h, 4 * S);
	assert_int_equal(histogram_count(h), 2); /* 1/16 and 1/8 */
	histogram_settle(h, 5 * S);              /* 1/32 < 0.05 and 1/16 */
	assert_int_equal(histogram_count(h), 1);
	assert_null(histogram_find(h, &a));
	assert_non_null(histogram_find(h, &b));
	histogram_free(h);
}

UNIT_TEST(cumulative_forgets_nothing)
{
	struct histogram *h = make(HISTOGRAM_CUMULATIVE, 1);

	histogram_add(h, &a, 7, 0);
	histogram_next_interval(h);
	histogram_add(h, &a, 8, 1000 * S);
	histogram_settle(h, 100000 * S);
	assert_near(histogram_find(h, &a)->weight, 2);
	assert_near(histogram_find(h, &a)->period_weight, 15);
	histogram_free(h);
}

UNIT_TEST(zero_starts_every_interval_at_nothing)
{
	struct histogram *h = make(HISTOGRAM_ZERO, 1);

	histogram_add(h, &a, 7, 0);
	histogram_add(h, &a, 7, 50 * S);
	assert_near(histogram_find(h, &a)->weight, 2);
	histogram_next_interval(h);
	assert_int_equal(histogram_count(h), 0);
	assert_null(histogram_find(h, &a));
	histogram_add(h, &a, 7, 51 * S);
	assert_int_equal(histogram_find(h, &a)->samples, 1);
	histogram_free(h);
}

UNIT_TEST(a_change_of_mode_keeps_the_weights)
{
	struct histogram *h = make(HISTOGRAM_CUMULATIVE, 1);

	histogram_add(h, &a, 4, 0);
	histogram_add(h, &b, 4, 10 * S);
	histogram_set_mode(h, HISTOGRAM_DECAY, 2);   /* at 10 s */
	histogram_set_mode(h, HISTOGRAM_DECAY, NAN); /* changes nothing */
	histogram_set_mode(h, HISTOGRAM_DECAY, -1);
	histogram_settle(h, 12 * S);
	assert_near(histogram_find(h, &a)->weight, 0.5);
	histogram_set_mode(h, HISTOGRAM_CUMULATIVE, 0);
	histogram_settle(h, 100 * S);
	assert_near(histogram_find(h, &a)->weight, 0.5);
	assert_int_equal(histogram_mode(h), HISTOGRAM_CUMULATIVE);
	histogram_free(h);
}

UNIT_TEST(moving_keeps_every_sum)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 2);
	double weight, period_weight;

	for (int i = 0; i < 3; i++)
		histogram_add(h, &a, 10, 1 * S);
	histogram_next_interval(h);
	for (int i = 0; i < 5; i++)
		histogram_add(h, &a, 10, 2 * S);
	histogram_add(h, &b, 10, 2 * S);
	weight = histogram_find(h, &a)->weight + 1;
	period_weight = histogram_find(h, &a)->period_weight + 10;
	histogram_move(h, &a, &b, 4, 40);
	assert_int_equal(histogram_find(h, &a)->samples, 4);
	assert_int_equal(histogram_find(h, &b)->samples, 5);
	assert_int_equal(histogram_find(h, &b)->period, 50);
	assert_near(histogram_find(h, &a)->weight, (3 * exp2(-0.5) + 5) / 2);
	assert_near(histogram_find(h, &a)->weight + histogram_find(h, &b)->weight, weight);
	assert_near(histogram_find(h, &a)->period_weight + histogram_find(h, &b)->period_weight,
		    period_weight);
	histogram_free(h);
}

UNIT_TEST(what_moves_is_as_old_as_it_is)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 2);

	histogram_add(h, &a, 8, 1 * S);
	histogram_add(h, &b, 8, 5 * S);
	histogram_move(h, &a, &b, 1, 8);
	assert_near(histogram_find(h, &b)->weight, 1.25);
	assert_near(histogram_find(h, &b)->period_weight, 10);
	histogram_free(h);
}

UNIT_TEST(moving_all_leaves_nothing)
{
	struct histogram *h = make(HISTOGRAM_CUMULATIVE, 2);
	struct cell_key nobody = key_of(9, 9, 9);

	histogram_add(h, &a, 10, 1 * S);
	histogram_add(h, &a, 11, 1 * S);
	histogram_move(h, &nobody, &b, 5, 5);
	assert_null(histogram_find(h, &b));
	histogram_move(h, &a, &a, 2, 21);
	assert_int_equal(histogram_find(h, &a)->samples, 2);
	histogram_move(h, &a, &b, 1000, 3); /* more than there is: all of it */
	histogram_move(h, &a, &b, 1000, 3); /* and then nothing */
	assert_int_equal(histogram_find(h, &b)->samples, 2);
	assert_int_equal(histogram_find(h, &b)->period, 21);
	histogram_settle(h, 1 * S);
	assert_null(histogram_find(h, &a));
	assert_int_equal(histogram_count(h), 1);
	histogram_free(h);
}

/* It goes with the samples, and stays while older ones fade. */
UNIT_TEST(the_longest_is_kept)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 1);

	histogram_add(h, &a, 700, 1 * S);
	histogram_add(h, &a, 300, 9 * S);
	histogram_add(h, &b, 400, 9 * S);
	histogram_longest(h, &b, 900);
	histogram_longest(h, &b, 800);
	histogram_longest(h, &(struct cell_key){ .process = 77 }, 900);
	histogram_settle(h, 10 * S);
	assert_int_equal(histogram_count(h), 2);
	assert_int_equal(histogram_find(h, &a)->longest, 700);
	assert_int_equal(histogram_find(h, &b)->longest, 900);
	histogram_move(h, &b, &a, 1, 400);
	assert_int_equal(histogram_find(h, &a)->longest, 900);
	histogram_free(h);
}

UNIT_TEST(cells_can_be_taken_out)
{
	struct histogram *h = histogram_new(100000);
	uint64_t samples = 0;
	struct cell c;

	for (uint32_t i = 0; i < 40000; i++) {
		struct cell_key key = key_of(i, 1, 2);

		histogram_add(h, &key, i, 1 * S);
	}
	for (uint32_t left = 40000; histogram_take(h, &c); left--) {
		assert_int_equal(c.key.process, left - 1);
		assert_int_equal(c.period, left - 1);
		samples += c.samples;
	}
	assert_int_equal(samples, 40000);
	assert_int_equal(histogram_count(h), 0);
	assert_false(histogram_take(h, &c));
	histogram_zero(h);
	histogram_add(h, &a, 1, 2 * S);
	assert_int_equal(histogram_find(h, &a)->samples, 1);
	histogram_free(h);
}

struct sums {
	uint64_t samples, period;
	double weight;
};

static struct sums sums_of(const struct histogram *h, uint32_t frame)
{
	struct sums sum = { 0 };
	const struct cell *c;

	for (size_t i = 0; (c = histogram_next(h, &i));) {
		if (frame != FRAME_NONE && c->key.frame != frame)
			continue;
		sum.samples += c->samples;
		sum.period += c->period;
		sum.weight += c->weight;
	}
	return sum;
}

UNIT_TEST(past_the_limit_the_lightest_merge)
{
	struct histogram *h = histogram_new(HISTOGRAM_CELLS_MIN);
	struct cell_key heavy = key_of(1, 5000, 0);
	struct sums all, rest;

	histogram_set_mode(h, HISTOGRAM_CUMULATIVE, 0);
	for (int i = 0; i < 100; i++)
		histogram_add(h, &heavy, 2, 1 * S);
	for (uint32_t i = 0; i < 1000; i++) {
		struct cell_key k = key_of(1 + i % 3, 100 + i, i % 2);

		histogram_add(h, &k, 3, 1 * S);
		assert_true(histogram_count(h) <= HISTOGRAM_CELLS_MIN);
	}
	all = sums_of(h, FRAME_NONE);
	rest = sums_of(h, FRAME_REST);
	assert_int_equal(all.samples, 1100);
	assert_int_equal(all.period, 200 + 3000);
	assert_near(all.weight, 1100);
	assert_int_equal(histogram_merged(h), rest.samples); /* cells of one sample */
	assert_true(rest.samples > 900);
	assert_int_equal(histogram_find(h, &heavy)->samples, 100);
	histogram_free(h);
}

UNIT_TEST(many_processes_rests_merge_too)
{
	struct histogram *h = histogram_new(1); /* raised to the minimum */

	histogram_set_mode(h, HISTOGRAM_DECAY, 100);
	for (uint32_t i = 0; i < 5000; i++) {
		struct cell_key k = key_of(i + 1, 7, i % 2);

		histogram_add(h, &k, 1, 1 * S);
		assert_true(histogram_count(h) <= HISTOGRAM_CELLS_MIN);
	}
	assert_int_equal(sums_of(h, FRAME_NONE).samples, 5000);
	assert_near(sums_of(h, FRAME_NONE).weight, 5000);
	assert_int_equal(histogram_merged(h), sums_of(h, FRAME_REST).samples);
	histogram_free(h);
}

UNIT_TEST(many_cells_are_all_found)
{
	struct histogram *h = make(HISTOGRAM_CUMULATIVE, 1);

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 40000; i++) {
			struct cell_key k = key_of(i / 16, 1 + i % 16, 0);

			histogram_add(h, &k, i, i);
		}
	}
	assert_int_equal(histogram_count(h), 40000);
	for (uint32_t i = 0; i < 40000; i++) {
		struct cell_key k = key_of(i / 16, 1 + i % 16, 0);
		const struct cell *c = histogram_find(h, &k);

		assert_non_null(c);
		assert_int_equal(c->period, 2 * i);
	}
	assert_true(histogram_bytes(h) < 16 << 20);
	histogram_zero(h);
	assert_int_equal(histogram_count(h), 0);
	histogram_free(h);
}

/* Two values to each cell; the second one is not always there. */
static struct histogram *make_valued(enum histogram_mode mode)
{
	struct histogram *h = make(mode, 2);

	histogram_set_values(h, 2);
	return h;
}

static void add_valued(struct histogram *h, const struct cell_key *key, double first, double second,
		       uint64_t now_ns)
{
	const double values[] = { first, second };

	histogram_add_values(h, key, 1, 1, values, now_ns);
}

static double value_of(const struct histogram *h, const struct cell_key *key, size_t i)
{
	const struct cell *c = histogram_find(h, key);

	assert_non_null(c);
	return histogram_values(h, c)[i];
}

UNIT_TEST(values_weigh_what_samples_weigh)
{
	struct histogram *h = make_valued(HISTOGRAM_DECAY);

	add_valued(h, &a, 100, NAN, 1 * S);
	add_valued(h, &a, 300, 7, 3 * S);
	add_valued(h, &a, 1000, NAN, 2 * S); /* late */
	assert_true(isnan(value_of(h, &a, 0)) == false);
	histogram_settle(h, 4 * S);
	assert_near(value_of(h, &a, 0), 100 * exp2(-1.5) + 300 * exp2(-0.5) + 1000 * exp2(-1));
	assert_near(value_of(h, &a, 1), 7 * exp2(-0.5));
	histogram_add(h, &b, 1, 4 * S);
	assert_true(isnan(value_of(h, &b, 0)));
	histogram_add_values(h, &b, 1, 1, NULL, 4 * S);
	assert_true(isnan(value_of(h, &b, 0)));
	histogram_free(h);
}

UNIT_TEST(values_are_zeroed_with_the_samples)
{
	struct histogram *h = make_valued(HISTOGRAM_ZERO);

	add_valued(h, &a, 5, 6, 1 * S);
	histogram_next_interval(h);
	add_valued(h, &a, 1, NAN, 2 * S);
	assert_near(value_of(h, &a, 0), 1);
	assert_true(isnan(value_of(h, &a, 1)));
	histogram_zero(h);
	histogram_add(h, &a, 1, 3 * S);
	assert_true(isnan(value_of(h, &a, 0)));
	histogram_free(h);
}

UNIT_TEST(values_move_in_proportion)
{
	struct histogram *h = make_valued(HISTOGRAM_CUMULATIVE);

	for (int i = 0; i < 4; i++)
		add_valued(h, &a, 10, NAN, 1 * S);
	add_valued(h, &b, 1, 2, 1 * S);
	histogram_move(h, &a, &b, 3, 3);
	assert_near(value_of(h, &a, 0), 10);
	assert_near(value_of(h, &b, 0), 31);
	assert_true(isnan(value_of(h, &a, 1)));
	assert_near(value_of(h, &b, 1), 2);
	histogram_free(h);
}

/* Cells before the dropped one stay where they are, those behind it move up. */
UNIT_TEST(values_stay_with_their_cells)
{
	struct histogram *h = make_valued(HISTOGRAM_CUMULATIVE);

	for (uint32_t i = 0; i < 1000; i++) {
		struct cell_key k = key_of(1, 10 + i, 0);

		add_valued(h, &k, i, 2 * i, 1 * S);
	}
	for (uint32_t i = 0; i < 1000; i += 3) {
		struct cell_key from = key_of(1, 10 + i, 0), to = key_of(1, 5000, 0);

		histogram_move(h, &from, &to, 1, 1);
	}
	histogram_settle(h, 2 * S);
	assert_int_equal(histogram_count(h), 667);
	for (uint32_t i = 1; i < 1000; i += i % 3) {
		struct cell_key k = key_of(1, 10 + i, 0);

		assert_near(value_of(h, &k, 0), i);
		assert_near(value_of(h, &k, 1), 2 * i);
	}
	assert_near(value_of(h, &(struct cell_key){ .process = 1, .tid = 1, .frame = 5000 }, 0),
		    3 * 333 * 334 / 2);
	histogram_free(h);
}

UNIT_TEST(values_merge_past_the_limit)
{
	struct histogram *h = histogram_new(HISTOGRAM_CELLS_MIN);
	double sum = 0, found = 0;
	const struct cell *c;

	histogram_set_mode(h, HISTOGRAM_CUMULATIVE, 0);
	histogram_set_values(h, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		struct cell_key k = key_of(1 + i % 100, 10 + i, 0);

		add_valued(h, &k, i, NAN, 1 * S);
		sum += i;
	}
	assert_true(histogram_merged(h) > 0);
	for (size_t i = 0; (c = histogram_next(h, &i));) {
		found += histogram_values(h, c)[0];
		assert_true(isnan(histogram_values(h, c)[1]));
	}
	assert_near(found, sum);
	histogram_free(h);
}

UNIT_TEST(values_cost_nothing_unasked)
{
	struct histogram *plain = histogram_new(0), *changed = histogram_new(0);

	histogram_add(plain, &a, 1, 1);
	histogram_set_values(changed, 2);
	add_valued(changed, &a, 1, 2, 1);
	assert_true(histogram_bytes(changed) > histogram_bytes(plain));
	histogram_set_values(changed, 0);
	assert_int_equal(histogram_bytes(changed), histogram_bytes(plain));
	assert_null(histogram_values(changed, histogram_find(changed, &a)));
	histogram_set_values(changed, 2);
	assert_true(isnan(value_of(changed, &a, 1)));
	add_valued(changed, &a, 3, 4, 1);
	histogram_grow_values(changed, 3);
	histogram_grow_values(changed, 1); /* never fewer */
	assert_true(value_of(changed, &a, 0) == 3 && value_of(changed, &a, 1) == 4);
	assert_true(isnan(value_of(changed, &a, 2)));
	histogram_free(plain);
	histogram_free(changed);
}

/* Stacks. */

/* A cell for the function LEAF, called by CALLER. */
static struct cell_key stack_of(struct calltree *t, uint32_t caller, uint32_t leaf)
{
	struct cell_key key = key_of(1, leaf, 0);

	key.node = calltree_add(t, calltree_add(t, CALL_ROOT, caller), leaf);
	return key;
}

UNIT_TEST(a_stack_is_part_of_the_key)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 1);
	struct calltree *t = calltree_new(0);
	struct cell_key by_5 = stack_of(t, 5, 10), by_6 = stack_of(t, 6, 10);

	histogram_add(h, &by_5, 1, 1 * S);
	histogram_add(h, &by_6, 1, 2 * S);
	assert_int_equal(histogram_count(h), 2);
	histogram_settle(h, 2 * S);
	assert_near(histogram_find(h, &by_5)->weight, 0.5);
	assert_near(histogram_find(h, &by_6)->weight, 1);
	calltree_free(t);
	histogram_free(h);
}

static struct cell_key rename_11_to_10(void *context, const struct cell_key *key)
{
	struct cell_key to = *key;

	++*(int *)context;
	to.frame = key->frame == 11 ? 10 : key->frame;
	return to;
}

/* At one time, whenever they were touched last; what is summed beside them goes with them. */
UNIT_TEST(what_gets_the_same_name_is_one_cell)
{
	struct histogram *h = make(HISTOGRAM_DECAY, 1);
	const double values[] = { 8 };
	int calls = 0;

	histogram_set_values(h, 1);
	histogram_add_values(h, &a, 1, 3, values, 1 * S);
	histogram_add(h, &b, 5, 2 * S);
	histogram_rename(h, rename_11_to_10, &calls);
	assert_int_equal(calls, 2);
	assert_int_equal(histogram_count(h), 1);
	assert_null(histogram_find(h, &b));
	assert_int_equal(histogram_find(h, &a)->samples, 2);
	assert_int_equal(histogram_find(h, &a)->period, 8);
	assert_near(histogram_find(h, &a)->weight, 1.5);
	assert_near(histogram_values(h, histogram_find(h, &a))[0], 4);
	histogram_free(h);
}

/* The lightest half; twice the same function without callers is one cell. */
UNIT_TEST(light_cells_give_up_their_callers)
{
	struct histogram *h = make(HISTOGRAM_CUMULATIVE, 1);
	struct calltree *t = calltree_new(0);
	struct cell_key others = key_of(1, 10, 0), heavy = stack_of(t, 9, 10);

	histogram_give_up_callers(h); /* without a tree: nothing */
	histogram_set_tree(h, t);
	for (uint32_t caller = 20; caller < 28; caller++) {
		struct cell_key key = stack_of(t, caller, 10);

		for (uint32_t i = 20; i <= caller; i++)
			histogram_add(h, &key, 1, 1 * S);
	}
	for (int i = 0; i < 100; i++)
		histogram_add(h, &heavy, 1, 1 * S);
	histogram_give_up_callers(h);
	others.node = calltree_add(t, CALL_OTHERS, 10);
	assert_int_equal(histogram_without_callers(h), 5);
	assert_int_equal(histogram_count(h), 1 + 4);
	assert_int_equal(histogram_find(h, &others)->samples, 1 + 2 + 3 + 4 + 5);
	assert_int_equal(histogram_find(h, &heavy)->samples, 100);
	histogram_give_up_callers(h);
	histogram_give_up_callers(h);
	histogram_give_up_callers(h);
	assert_int_equal(histogram_count(h), 1);
	assert_int_equal(histogram_find(h, &others)->samples, 36 + 100);
	histogram_give_up_callers(h); /* nobody has any */
	assert_int_equal(histogram_without_callers(h), 9);
	calltree_free(t);
	histogram_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_halve_every_half_life),
		cmocka_unit_test(the_span_is_what_the_weights_stand_for),
		cmocka_unit_test(decay_does_not_depend_on_when_it_is_read),
		cmocka_unit_test(a_late_sample_weighs_as_if_in_order),
		cmocka_unit_test(what_weighs_nothing_is_dropped),
		cmocka_unit_test(cumulative_forgets_nothing),
		cmocka_unit_test(zero_starts_every_interval_at_nothing),
		cmocka_unit_test(a_change_of_mode_keeps_the_weights),
		cmocka_unit_test(moving_keeps_every_sum),
		cmocka_unit_test(what_moves_is_as_old_as_it_is),
		cmocka_unit_test(the_longest_is_kept),
		cmocka_unit_test(cells_can_be_taken_out),
		cmocka_unit_test(moving_all_leaves_nothing),
		cmocka_unit_test(past_the_limit_the_lightest_merge),
		cmocka_unit_test(many_processes_rests_merge_too),
		cmocka_unit_test(many_cells_are_all_found),
		cmocka_unit_test(values_weigh_what_samples_weigh),
		cmocka_unit_test(values_are_zeroed_with_the_samples),
		cmocka_unit_test(values_move_in_proportion),
		cmocka_unit_test(values_stay_with_their_cells),
		cmocka_unit_test(values_merge_past_the_limit),
		cmocka_unit_test(values_cost_nothing_unasked),
		cmocka_unit_test(a_stack_is_part_of_the_key),
		cmocka_unit_test(what_gets_the_same_name_is_one_cell),
		cmocka_unit_test(light_cells_give_up_their_callers),
	};

	histogram_free(NULL);
	return unit_run(tests);
}
