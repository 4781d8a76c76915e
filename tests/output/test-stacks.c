/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The iterator that the profile formats are written from: totals, order, rounding, what is left out.
 */
#include "unit.h"

#include <math.h>

#include "output/stacks.h"
#include "profile/sample-snapshot.h"

#define COLUMNS_MAX 8

struct totals {
	size_t columns, stacks;
	int64_t values[COLUMNS_MAX];
};

static struct totals totals_of(const struct snapshot *s)
{
	struct stacks *t = stacks_new(s);
	struct totals totals = { 0 };
	struct stack stack;

	stacks_columns(t, &totals.columns);
	assert_true(totals.columns <= COLUMNS_MAX);
	while (stacks_next(t, &stack)) {
		int64_t any = 0;

		assert_true(stack.depth >= 1);
		totals.stacks++;
		for (size_t i = 0; i < totals.columns; i++) {
			assert_true(stack.values[i] >= 0);
			totals.values[i] += stack.values[i];
			any |= stack.values[i];
		}
		assert_true(any != 0);
	}
	stacks_free(t);
	return totals;
}

/* The snapshot's own sum of a column. */
static double sum_of(const struct snapshot *s, int event, bool period)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == event)
			sum += period ? s->cells[i].period : s->cells[i].samples;
	}
	return sum;
}

static void assert_totals(const struct snapshot *s)
{
	struct totals totals = totals_of(s);

	assert_int_equal(totals.columns, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(totals.values[i], llround(sum_of(s, i / 2, i % 2)));
}

UNIT_TEST(columns_are_two_for_each_sampled_event)
{
	struct snapshot *s = sample_snapshot(false);
	struct stacks *t;
	const struct stack_column *c;
	size_t count;

	sample_event(&s->events[1], "task-clock:u");
	t = stacks_new(s);
	c = stacks_columns(t, &count);
	assert_int_equal(count, 4);
	assert_string_equal(c[0].name, "samples");
	assert_string_equal(c[0].unit, "count");
	assert_string_equal(c[1].name, "cpu");
	assert_string_equal(c[1].unit, "nanoseconds");
	assert_string_equal(c[2].name, "task-clock:u-samples");
	assert_string_equal(c[3].name, "task-clock:u");
	assert_string_equal(c[3].unit, "nanoseconds");
	assert_int_equal(stacks_column_find(t, 0, false), 0);
	assert_int_equal(stacks_column_find(t, 1, true), 3);
	assert_int_equal(stacks_column_find(t, 2, true), -1);
	assert_int_equal(stacks_column_find(t, -1, true), -1);
	assert_int_equal(stacks_column_find(t, 10, true), -1);
	stacks_free(t);
	snapshot_free(s);
	s = sample_snapshot(true);
	t = stacks_new(s);
	c = stacks_columns(t, &count);
	assert_string_equal(c[1].name, "cycles");
	assert_string_equal(c[1].unit, "count");
	stacks_free(t);
	snapshot_free(s);
}

UNIT_TEST(totals_are_the_snapshots)
{
	struct snapshot *s = sample_snapshot(true);

	assert_totals(s);
	snapshot_free(s);
}

/* Weights after decay: none of them a whole number, many below one. */
UNIT_TEST(fractions_are_not_lost)
{
	struct snapshot *s = sample_snapshot(true);

	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].samples *= 0.0371;
		s->cells[i].period *= 0.0371;
	}
	assert_totals(s);
	snapshot_free(s);
}

UNIT_TEST(what_cannot_be_a_count_is_zero)
{
	struct snapshot *s = sample_snapshot(true);
	struct totals totals;

	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].samples = s->cells[i].period = i % 2 ? NAN : -1;
	assert_int_equal(totals_of(s).stacks, 0);
	s->cells[0].period = 1e300;
	totals = totals_of(s);
	assert_int_equal(totals.stacks, 1);
	assert_true(totals.values[1] == INT64_C(1) << 62);
	snapshot_free(s);
}

UNIT_TEST(the_cells_of_a_stack_are_one)
{
	struct snapshot *s = sample_snapshot(true);
	struct stacks *t = stacks_new(s);
	struct stack stack, before = { 0 };
	uint32_t frame = 0;

	while (stacks_next(t, &stack)) {
		assert_true(stack.process > before.process ||
			    (stack.process == before.process &&
			     (stack.tid > before.tid ||
			      (stack.tid == before.tid && stack.frames[0] > frame))));
		before = stack;
		frame = stack.frames[0];
	}
	assert_false(stacks_next(t, &stack));
	stacks_free(t);
	snapshot_free(s);
}

UNIT_TEST(what_was_not_sampled_is_left_out)
{
	struct snapshot *s = sample_snapshot(true);
	struct totals before = totals_of(s), after;

	s->cells[1].event = 2; /* counted, not sampled */
	s->cells[2].event = UINT16_MAX;
	after = totals_of(s);
	assert_int_equal(before.values[0] - after.values[0],
			 llround(s->cells[1].samples + s->cells[2].samples));
	snapshot_free(s);
}

UNIT_TEST(nothing_sampled_gives_nothing)
{
	struct snapshot *s = snapshot_new();
	struct totals totals = totals_of(s);

	assert_int_equal(totals.columns, 0);
	assert_int_equal(totals.stacks, 0);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_two_for_each_sampled_event),
		cmocka_unit_test(totals_are_the_snapshots),
		cmocka_unit_test(fractions_are_not_lost),
		cmocka_unit_test(what_cannot_be_a_count_is_zero),
		cmocka_unit_test(the_cells_of_a_stack_are_one),
		cmocka_unit_test(what_was_not_sampled_is_left_out),
		cmocka_unit_test(nothing_sampled_gives_nothing),
	};

	return unit_run(tests);
}
