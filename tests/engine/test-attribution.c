/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "engine/attribution.h"

struct bench {
	struct counters *counters;
	struct attribution *a;
};

static struct bench bench_new(size_t events)
{
	struct bench b = { .counters = counters_new(events) };

	b.a = attribution_new(b.counters);
	for (int i = 0; i < 4; i++)
		counters_slot_new(b.counters);
	return b;
}

static void bench_free(struct bench *b)
{
	attribution_free(b->a);
	counters_free(b->counters);
}

/* A read of one event's total, at TIME_NS. */
static struct record_read read_of(size_t event, uint64_t value, uint64_t time_ns)
{
	struct record_read r = { .enabled_ns = time_ns, .running_ns = time_ns, .count = 1 };

	r.values[0].id = event;
	r.values[0].value = value;
	return r;
}

static void tell(struct bench *b, uint32_t cpu, uint32_t slot, struct record_read r)
{
	attribution_cpu(b->a, cpu, slot, &r);
}

static uint64_t value_of(struct bench *b, uint32_t slot, size_t event)
{
	return counters_row(b->counters, slot)[event].value;
}

UNIT_TEST(more_events_leave_the_bases)
{
	struct bench b = bench_new(1);
	const double *increase = attribution_increase(b.a);

	assert_true(isnan(increase[0]));
	tell(&b, 0, 1, read_of(0, 1000, 10));
	tell(&b, 0, 1, read_of(0, 1001, 11));
	counters_grow(b.counters, 3);
	attribution_grow(b.a);
	tell(&b, 0, 1, read_of(0, 1010, 20));
	tell(&b, 0, 1, read_of(2, 500, 20)); /* the base of a new one */
	tell(&b, 0, 2, read_of(2, 507, 30));
	tell(&b, 1, 2, read_of(1, 9, 30)); /* a CPU that is seen for the first time */
	assert_int_equal(value_of(&b, 1, 0), 10);
	assert_int_equal(value_of(&b, 1, 2), 0);
	assert_int_equal(value_of(&b, 2, 2), 7);
	assert_int_equal(attribution_total(b.a, 0).value, 10);
	assert_int_equal(attribution_total(b.a, 2).value, 7);
	assert_true(isnan(attribution_increase(b.a)[2]));
	assert_int_equal(attribution_statistics(b.a)->foreign, 0);
	bench_free(&b);
}

/* The counts of all CPUs, unattributed ones included, add up to the total of each event. */
UNIT_TEST(cpus_add_up_to_the_total)
{
	struct bench b = bench_new(2);

	assert_null(attribution_cpu_find(b.a, 0, 0));
	tell(&b, 0, 1, read_of(0, 1000, 10));
	tell(&b, 3, 2, read_of(0, 50, 10));
	tell(&b, 0, 1, read_of(0, 1010, 20));
	tell(&b, 3, 2, read_of(0, 57, 20));
	attribution_gap(b.a, 3);
	tell(&b, 3, 2, read_of(0, 60, 30));
	attribution_period(b.a, 3, 1, 1, 5);
	attribution_period(b.a, ATTRIBUTION_NO_CPU, 1, 1, 2);
	attribution_sample(b.a, 3, 1, 1);
	assert_int_equal(attribution_cpu_find(b.a, 0, 0)->counted.value, 10);
	assert_int_equal(attribution_cpu_find(b.a, 3, 0)->counted.value, 10);
	assert_int_equal(attribution_total(b.a, 0).value, 20);
	assert_int_equal(attribution_cpu_find(b.a, 3, 1)->counted.value, 5);
	assert_int_equal(attribution_total(b.a, 1).value, 7);
	assert_int_equal(attribution_cpu_find(b.a, 3, 1)->samples, 1);
	assert_null(attribution_cpu_find(b.a, 1, 0));
	assert_null(attribution_cpu_find(b.a, 1000000, 0));
	attribution_next_interval(b.a);
	assert_int_equal(attribution_cpu_find(b.a, 3, 1)->counted.value, 0);
	assert_int_equal(attribution_cpu_find(b.a, 3, 1)->samples, 0);
	bench_free(&b);
}

/* A recording may claim any CPU for any of its events: the memory of that is bounded. */
UNIT_TEST(very_many_cpus_are_refused)
{
	struct bench b = bench_new(1024);

	for (uint32_t i = 0; i < 2048; i++)
		attribution_sample(b.a, i, 0, 1);
	assert_int_equal(attribution_statistics(b.a)->bad_cpus, 1024);
	assert_non_null(attribution_cpu_find(b.a, 1023, 0));
	assert_null(attribution_cpu_find(b.a, 1024, 0));
	bench_free(&b);
}

/* A group that waited 80 of 100 ns before a record: those are not held against that record. */
UNIT_TEST(increases_are_scaled_as_the_whole_is)
{
	struct bench b = bench_new(1);
	const double *increase = attribution_increase(b.a);
	struct record_read late = read_of(0, 1090, 300), still = read_of(0, 1090, 400);

	tell(&b, 0, 1, read_of(0, 1000, 100));
	tell(&b, 0, 1, read_of(0, 1080, 200));
	assert_true(increase[0] == 80);
	late.running_ns = still.running_ns = 220;
	tell(&b, 0, 2, late);
	assert_true(increase[0] > 10 * 200 / 120.0 - 0.01 && increase[0] < 10 * 200 / 120.0 + 0.01);
	tell(&b, 0, 2, still);
	assert_true(isnan(increase[0]));
	bench_free(&b);
}

UNIT_TEST(the_increase_belongs_to_the_record_s_task)
{
	struct bench b = bench_new(1);

	tell(&b, 0, 1, read_of(0, 1000, 10)); /* the base */
	tell(&b, 1, 2, read_of(0, 50, 10));
	tell(&b, 0, 1, read_of(0, 1010, 20));
	tell(&b, 1, 2, read_of(0, 57, 25));
	tell(&b, 0, 2, read_of(0, 1013, 30));
	tell(&b, 1, 1, read_of(0, 157, 35));
	assert_int_equal(value_of(&b, 1, 0), 10 + 100);
	assert_int_equal(value_of(&b, 2, 0), 7 + 3);
	assert_int_equal(counters_row(b.counters, 1)[0].enabled_ns, 10 + 10);
	assert_int_equal(attribution_total(b.a, 0).value, 120);
	assert_int_equal(attribution_total(b.a, 0).enabled_ns, 20 + 25);
	bench_free(&b);
}

/* The values are the task's all the same; the slots add up to the total. */
UNIT_TEST(a_part_of_the_time_may_be_nobody_s)
{
	struct record_read most = read_of(0, 1010, 1010), all = read_of(0, 1020, 1020);
	struct record_read clock = read_of(0, 2020, 2020);
	struct bench b = bench_new(1);

	tell(&b, 0, 1, read_of(0, 1000, 10));
	most.other_enabled_ns = most.other_running_ns = 990;
	tell(&b, 0, 1, most);
	all.other_enabled_ns = all.other_running_ns = 5000; /* more than there is */
	tell(&b, 0, 2, all);
	clock.other_enabled_ns = clock.other_running_ns = 990;
	clock.clocks = 1;
	tell(&b, 0, 3, clock);
	assert_int_equal(value_of(&b, 3, 0), 10);
	assert_int_equal(counters_row(b.counters, 3)[0].enabled_ns, 10);
	assert_int_equal(value_of(&b, 1, 0), 10);
	assert_int_equal(value_of(&b, 2, 0), 10);
	assert_int_equal(counters_row(b.counters, 1)[0].enabled_ns, 10);
	assert_int_equal(counters_row(b.counters, 2)[0].enabled_ns, 0);
	assert_int_equal(counters_row(b.counters, COUNTERS_UNATTRIBUTED)[0].running_ns, 1000 + 990);
	assert_int_equal(value_of(&b, COUNTERS_UNATTRIBUTED, 0), 990);
	assert_int_equal(attribution_total(b.a, 0).enabled_ns, 2010);
	bench_free(&b);
}

UNIT_TEST(each_group_has_its_own_base)
{
	struct bench b = bench_new(2);

	tell(&b, 0, 1, read_of(0, 100, 10));
	tell(&b, 0, 2, read_of(1, 500, 15)); /* another group's record: its base */
	tell(&b, 0, 1, read_of(0, 110, 20));
	tell(&b, 0, 2, read_of(1, 505, 25));
	assert_int_equal(value_of(&b, 1, 0), 10);
	assert_int_equal(value_of(&b, 2, 1), 5);
	assert_int_equal(value_of(&b, 2, 0), 0);
	bench_free(&b);
}

UNIT_TEST(a_gap_is_nobody_s_once_for_each_event)
{
	struct bench b = bench_new(2);

	tell(&b, 0, 1, read_of(0, 100, 10));
	tell(&b, 0, 1, read_of(1, 100, 10));
	tell(&b, 1, 1, read_of(0, 100, 10));
	attribution_gap(b.a, 0);
	tell(&b, 0, 2, read_of(0, 150, 20));
	tell(&b, 0, 2, read_of(0, 151, 21));
	tell(&b, 0, 2, read_of(1, 130, 20)); /* the other group: its gap is still open */
	tell(&b, 1, 2, read_of(0, 107, 20)); /* the other CPU had none */
	assert_int_equal(value_of(&b, COUNTERS_UNATTRIBUTED, 0), 50);
	assert_int_equal(value_of(&b, COUNTERS_UNATTRIBUTED, 1), 30);
	assert_int_equal(value_of(&b, 2, 0), 1 + 7);
	assert_int_equal(value_of(&b, 2, 1), 0);
	assert_int_equal(attribution_statistics(b.a)->gaps, 1);
	bench_free(&b);
}

UNIT_TEST(a_gap_before_the_base_costs_nothing)
{
	struct bench b = bench_new(1);

	attribution_gap(b.a, 3);
	tell(&b, 3, 1, read_of(0, 100, 10));
	tell(&b, 3, 1, read_of(0, 110, 20));
	assert_int_equal(value_of(&b, 1, 0), 10);
	assert_int_equal(value_of(&b, COUNTERS_UNATTRIBUTED, 0), 0);
	bench_free(&b);
}

UNIT_TEST(a_counter_that_began_again_is_a_base)
{
	struct bench b = bench_new(1);
	struct record_read r;

	tell(&b, 0, 1, read_of(0, 1000, 10));
	tell(&b, 0, 1, read_of(0, 3, 11)); /* value fell */
	tell(&b, 0, 1, read_of(0, 5, 12));
	tell(&b, 0, 1, read_of(0, 6, 2)); /* time fell: another group's counter */
	tell(&b, 0, 1, read_of(0, 7, 3));
	r = read_of(0, 8, 4);
	r.running_ns = 2; /* only the running time fell */
	tell(&b, 0, 1, r);
	assert_int_equal(value_of(&b, 1, 0), 2 + 1);
	assert_int_equal(attribution_total(b.a, 0).value, 3);
	assert_int_equal(attribution_statistics(b.a)->resets, 3);
	bench_free(&b);
}

UNIT_TEST(intervals_start_at_zero_and_keep_the_base)
{
	struct bench b = bench_new(1);

	tell(&b, 0, 1, read_of(0, 100, 10));
	tell(&b, 0, 1, read_of(0, 130, 20));
	counters_next_interval(b.counters);
	attribution_next_interval(b.a);
	assert_int_equal(attribution_total(b.a, 0).value, 0);
	tell(&b, 0, 1, read_of(0, 135, 30));
	assert_int_equal(value_of(&b, 1, 0), 5);
	assert_int_equal(attribution_total(b.a, 0).value, 5);
	bench_free(&b);
}

UNIT_TEST(hostile_numbers_are_counted_and_ignored)
{
	struct bench b = bench_new(1);

	tell(&b, UINT32_MAX, 1, read_of(0, 100, 10));
	attribution_gap(b.a, 70000);
	tell(&b, 0, 1, read_of(UINT64_MAX, 100, 10));
	tell(&b, 0, 1, read_of(1, 100, 10));
	tell(&b, 65535, 1, read_of(0, 100, 10));
	tell(&b, 65535, 1, read_of(0, 104, 20));
	assert_int_equal(attribution_statistics(b.a)->bad_cpus, 2);
	assert_int_equal(attribution_statistics(b.a)->foreign, 2);
	assert_int_equal(attribution_total(b.a, 0).value, 4);
	bench_free(&b);
	attribution_free(NULL);
}

UNIT_TEST(what_no_sum_can_hold_is_not_counted)
{
	struct bench b = bench_new(1);
	struct record_read r = read_of(0, UINT64_MAX - 9, 10);

	attribution_task(b.a, 1, &r);
	r.values[0].value = 10;
	attribution_task(b.a, 2, &r);
	assert_int_equal(value_of(&b, 2, 0), 0);
	assert_int_equal(attribution_statistics(b.a)->resets, 1);
	r.values[0].value = 9;
	attribution_task(b.a, 2, &r);
	assert_true(attribution_total(b.a, 0).value == UINT64_MAX);
	assert_int_equal(value_of(&b, 2, 0), 9);
	bench_free(&b);
}

UNIT_TEST(no_event_runs_longer_than_it_is_enabled)
{
	struct bench b = bench_new(1);
	struct record_read r = read_of(0, 100, 10);

	r.running_ns = 1000;
	attribution_task(b.a, 1, &r);
	assert_int_equal(attribution_total(b.a, 0).running_ns, 10);
	tell(&b, 0, 1, r);
	r.enabled_ns += 5;
	r.running_ns += 50;
	tell(&b, 0, 1, r);
	assert_int_equal(attribution_total(b.a, 0).running_ns, 15);
	bench_free(&b);
}

UNIT_TEST(increases_of_a_task_are_taken_as_they_are)
{
	struct bench b = bench_new(2);
	struct record_read r = read_of(1, 20, 5);

	attribution_task(b.a, 3, &r);
	attribution_task(b.a, 3, &r);
	r.values[0].id = 2;
	attribution_task(b.a, 3, &r);
	assert_int_equal(value_of(&b, 3, 1), 40);
	assert_int_equal(attribution_total(b.a, 1).value, 40);
	assert_int_equal(attribution_total(b.a, 1).running_ns, 10);
	assert_int_equal(attribution_statistics(b.a)->foreign, 1);
	bench_free(&b);
}

/* Random switches, ticks and gaps on four CPUs: nothing is lost and nothing counted twice. */
UNIT_TEST(the_slots_add_up_to_the_total)
{
	uint64_t totals[4] = { 0 }, first[4], seed = 42, sum = 0, truth = 0;
	struct bench b = bench_new(1);

	for (uint32_t i = 0; i < 4; i++) {
		first[i] = totals[i] = i * 1000;
		tell(&b, i, 1, read_of(0, totals[i], 1));
	}
	for (uint64_t i = 2; i < 20000; i++) {
		uint32_t cpu = (seed >> 33) & 3, slot = 1 + ((seed >> 40) & 3);

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		totals[cpu] += (seed >> 20) & 0xff;
		if (!(seed >> 50 & 0x3f))
			attribution_gap(b.a, cpu);
		tell(&b, cpu, slot, read_of(0, totals[cpu], i));
	}
	for (uint32_t i = 0; i < 4; i++)
		truth += totals[i] - first[i];
	for (uint32_t slot = 0; slot < 5; slot++)
		sum += value_of(&b, slot, 0);
	assert_int_equal(attribution_total(b.a, 0).value, truth);
	assert_int_equal(sum, truth);
	assert_true(value_of(&b, COUNTERS_UNATTRIBUTED, 0) > 0);
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_events_leave_the_bases),
		cmocka_unit_test(cpus_add_up_to_the_total),
		cmocka_unit_test(very_many_cpus_are_refused),
		cmocka_unit_test(increases_are_scaled_as_the_whole_is),
		cmocka_unit_test(the_increase_belongs_to_the_record_s_task),
		cmocka_unit_test(a_part_of_the_time_may_be_nobody_s),
		cmocka_unit_test(each_group_has_its_own_base),
		cmocka_unit_test(a_gap_is_nobody_s_once_for_each_event),
		cmocka_unit_test(a_gap_before_the_base_costs_nothing),
		cmocka_unit_test(a_counter_that_began_again_is_a_base),
		cmocka_unit_test(intervals_start_at_zero_and_keep_the_base),
		cmocka_unit_test(hostile_numbers_are_counted_and_ignored),
		cmocka_unit_test(what_no_sum_can_hold_is_not_counted),
		cmocka_unit_test(no_event_runs_longer_than_it_is_enabled),
		cmocka_unit_test(increases_of_a_task_are_taken_as_they_are),
		cmocka_unit_test(the_slots_add_up_to_the_total),
	};

	return unit_run(tests);
}
