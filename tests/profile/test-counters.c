/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "profile/counters.h"

static void add(struct counters *c, uint32_t slot, size_t event, uint64_t value,
		uint64_t enabled_ns, uint64_t running_ns)
{
	const struct counter_value v = { value, enabled_ns, running_ns };

	counter_value_add(&counters_open_row(c, slot)[event], &v);
}

UNIT_TEST(slots_are_given_out_empty)
{
	struct counters *c = counters_new(3);
	uint32_t first = counters_slot_new(c), second = counters_slot_new(c);

	assert_int_not_equal(first, COUNTERS_UNATTRIBUTED);
	assert_int_not_equal(second, first);
	assert_int_equal(counters_slots(c), 3);
	add(c, first, 2, 5, 10, 10);
	counters_slot_free(c, first);
	counters_slot_free(c, first);                 /* a second time: no effect */
	counters_slot_free(c, COUNTERS_UNATTRIBUTED); /* never */
	assert_null(counters_open_row(c, first));     /* nobody's slot */
	assert_int_equal(counters_slots(c), 2);
	assert_int_equal(counters_slot_new(c), first);
	assert_int_not_equal(counters_slot_new(c), first);
	assert_int_equal(counters_row(c, first)[2].value, 0);
	assert_false(counters_touched(c, first));
	add(c, first, 2, 3, 10, 10); /* it counts again */
	assert_int_equal(counters_row(c, first)[2].value, 3);
	counters_free(c);
}

UNIT_TEST(more_events_leave_the_counts)
{
	struct counters *c = counters_new(2);
	uint32_t first = counters_slot_new(c), second = counters_slot_new(c);

	add(c, first, 0, 1, 10, 10);
	add(c, second, 1, 2, 20, 20);
	counters_grow(c, 5);
	counters_grow(c, 3); /* never fewer */
	assert_int_equal(counters_events(c), 5);
	add(c, second, 4, 7, 30, 30);
	assert_int_equal(counters_row(c, first)[0].value, 1);
	assert_int_equal(counters_row(c, first)[4].value, 0);
	assert_int_equal(counters_row(c, second)[1].value, 2);
	assert_int_equal(counters_row(c, second)[4].value, 7);
	counters_next_interval(c);
	assert_int_equal(counters_row(c, second)[4].value, 0);
	assert_int_equal(counters_row(c, counters_slot_new(c))[4].value, 0);
	counters_free(c);
}

UNIT_TEST(values_add_up_until_the_next_interval)
{
	struct counters *c = counters_new(2);
	uint32_t slot = counters_slot_new(c);

	add(c, slot, 1, 5, 10, 9);
	add(c, slot, 1, 6, 20, 19);
	assert_null(counters_open_row(c, 1000)); /* no such slot */
	assert_true(counters_touched(c, slot));
	assert_int_equal(counters_row(c, slot)[1].value, 11);
	assert_int_equal(counters_row(c, slot)[1].enabled_ns, 30);
	assert_int_equal(counters_row(c, slot)[1].running_ns, 28);
	assert_int_equal(counters_row(c, slot)[0].value, 0);
	counters_next_interval(c);
	assert_false(counters_touched(c, slot));
	assert_int_equal(counters_row(c, slot)[1].value, 0);
	add(c, slot, 0, 1, 1, 1);
	assert_int_equal(counters_row(c, slot)[1].value, 0);
	assert_int_equal(counters_row(c, slot)[0].value, 1);
	counters_free(c);
}

UNIT_TEST(counts_are_scaled_by_the_time_they_ran)
{
	struct counter_value v = { .value = 100, .enabled_ns = 400, .running_ns = 100 };
	double scaled = -1;

	assert_true(counter_scaled(&v, &scaled));
	assert_true(scaled == 400);
	v.running_ns = v.enabled_ns;
	assert_true(counter_scaled(&v, &scaled));
	assert_true(scaled == 100);
	v.running_ns = 500; /* a little more than enabled: read at two moments */
	assert_true(counter_scaled(&v, &scaled));
	assert_true(scaled == 100);
	v.running_ns = 0;
	scaled = -1;
	assert_false(counter_scaled(&v, &scaled));
	assert_true(scaled == -1);
}

UNIT_TEST(no_events_is_allowed)
{
	struct counters *c = counters_new(0);
	uint32_t slot = counters_slot_new(c);

	assert_null(counters_open_row(c, slot));
	assert_non_null(counters_row(c, slot));
	assert_int_equal(counters_events(c), 0);
	counters_free(c);
	counters_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_given_out_empty),
		cmocka_unit_test(more_events_leave_the_counts),
		cmocka_unit_test(values_add_up_until_the_next_interval),
		cmocka_unit_test(counts_are_scaled_by_the_time_they_ran),
		cmocka_unit_test(no_events_is_allowed),
	};

	return unit_run(tests);
}
