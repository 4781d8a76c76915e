/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "profile/invariant.h"

enum { EVENTS = 2, ROWS = 3, CPUS = 2, SLICES = 3 };

/* Two CPUs for a second: one process on both of them, an idle one, a thread's row. */
static struct snapshot *make(void)
{
	struct snapshot *s = snapshot_new();

	s->interval_s = 1;
	s->host.cpus = 2;
	s->host.ticks_per_s = 100;
	s->host.idle_percent = s->host.iowait_percent = 0;
	s->sampling.tier = "cpu-group";
	snapshot_alloc_events(s, EVENTS);
	for (size_t i = 0; i < EVENTS; i++)
		s->events[i] = (struct snapshot_event){ .name = "some",
							.sampled = !i,
							.value = 1000,
							.idle = 100,
							.unattributed = 50,
							.running_percent = 100,
							.samples = 10 };
	snapshot_alloc_processes(s, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		s->processes[i].serial = 1 + (uint32_t)i / 2;
		s->processes[i].cpu_percent = i ? 0 : 200;
		s->processes[i].threads_seen = i ? 1 : 2;
		for (size_t j = 0; j < EVENTS; j++)
			snapshot_values(s, i)[j] = i ? 0 : 850;
	}
	s->processes[1].tid = 7;
	s->processes[0].samples = 10;
	snapshot_alloc_cells(s, 1);
	s->cells[0] = (struct snapshot_cell){ .process = 1, .samples = 10, .period = 10 };
	snapshot_alloc_groups(s, 2);
	s->groups[1].parent = 0;
	for (size_t j = 0; j < EVENTS; j++) {
		snapshot_group_values(s, 0)[j] = 50;
		snapshot_group_values(s, 1)[j] = 800;
	}
	snapshot_alloc_cpus(s, CPUS);
	for (size_t i = 0; i < CPUS; i++) {
		s->cpus[i].facts.online = true;
		s->cpus[i].facts.idle_percent = 50;
		for (size_t j = 0; j < EVENTS; j++) {
			((double *)s->cpus[i].counters)[j] = i ? 300 : 700;
			((double *)s->cpus[i].samples)[j] = i ? 4 : 6;
		}
	}
	s->past = (struct snapshot_past){
		.kept = true, .count = SLICES, .began_ns = 15, .now_ns = 35
	};
	s->past.slices = calloc(SLICES, sizeof(*s->past.slices));
	s->past.samples = calloc(SLICES * EVENTS, sizeof(*s->past.samples));
	for (size_t i = 0; i < SLICES; i++) {
		s->past.slices[i] = (struct snapshot_slice){ 10 + 10 * i, 20 + 10 * i };
		s->past.samples[i * EVENTS] = (double)i;
	}
	return s;
}

/* Checks S, which is broken in that way alone, COUNT times. */
static void check(struct snapshot *s, enum invariant_id id, uint64_t count)
{
	uint64_t totals[INVARIANTS] = { 0 };

	invariants_check(s, totals);
	for (int i = 0; i < INVARIANTS; i++)
		assert_int_equal(totals[i], i == (int)id ? count : 0);
	assert_int_equal(s->violation_count, count ? 1 : 0);
	if (!count)
		return;
	assert_string_equal(s->violations[0].name, invariants[id].name);
	assert_int_equal(s->violations[0].count, count);
}

UNIT_TEST(a_right_snapshot_stays_as_it_is)
{
	struct snapshot *s = make();

	check(s, INVARIANTS, 0);
	assert_true(s->processes[0].cpu_percent == 200);
	assert_int_equal(s->past.count, SLICES);
	snapshot_free(s);
}

UNIT_TEST(every_one_has_a_name)
{
	for (int i = 0; i < INVARIANTS; i++) {
		assert_non_null(invariants[i].name);
		assert_non_null(invariants[i].text);
		assert_non_null(invariants[i].check);
	}
}

UNIT_TEST(totals_go_on)
{
	uint64_t totals[INVARIANTS] = { [INVARIANT_SHARE] = 4 };
	struct snapshot *s = make();

	invariants_check(s, totals);
	assert_int_equal(s->violation_count, 1);
	assert_int_equal(s->violations[0].count, 0);
	assert_int_equal(s->violations[0].total, 4);
	snapshot_free(s);
}

UNIT_TEST(no_process_is_on_more_cpus_than_it_has_threads)
{
	/* 2 % and two ticks of 10 ms. */
	static const struct {
		size_t row;
		double percent;
		bool possible;
	} cases[] = {
		{ 0, 11000, false }, { 0, 204.1, false },    { 0, 203.9, true },
		{ 0, -1, false },    { 0, INFINITY, false }, { 1, 104.1, false },
		{ 1, 103.9, true },  { 2, 104.1, false },    { 2, 103.9, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct snapshot *s = make();

		s->processes[0].cpu_percent = 0;
		s->processes[cases[i].row].cpu_percent = cases[i].percent;
		check(s, INVARIANT_PROCESS_CPU, !cases[i].possible);
		assert_int_equal(isnan(s->processes[cases[i].row].cpu_percent), !cases[i].possible);
		snapshot_free(s);
	}
}

UNIT_TEST(the_sum_is_no_more_than_all_cpus)
{
	struct snapshot *s = make();

	s->processes[2].cpu_percent = 100;
	check(s, INVARIANT_CPU_SUM, 1);
	for (size_t i = 0; i < ROWS; i++)
		assert_true(isnan(s->processes[i].cpu_percent));
	snapshot_free(s);

	s = make();
	s->host.idle_percent = 50;
	check(s, INVARIANT_CPU_SUM, 1);
	snapshot_free(s);

	s = make(); /* rows that were read half a second apart */
	s->processes[2].cpu_percent = 100;
	s->host.read_s = 0.5;
	check(s, INVARIANTS, 0);
	snapshot_free(s);

	s = make(); /* idle now says nothing of then */
	s->host.idle_percent = 50;
	s->past.from_ns = 10;
	s->past.to_ns = 20;
	check(s, INVARIANTS, 0);
	snapshot_free(s);
}

UNIT_TEST(no_counter_is_over_the_machines)
{
	struct snapshot *s = make();

	snapshot_values(s, 1)[1] = 1003;
	check(s, INVARIANT_COUNTER, 1);
	assert_true(isnan(s->processes[1].counters[1]));
	assert_true(s->processes[1].counters[0] == 0);
	snapshot_free(s);
}

UNIT_TEST(the_parts_are_the_whole)
{
	struct snapshot *s = make();

	s->events[0].unattributed = 0;
	check(s, INVARIANT_COUNTER_SUM, 1);
	assert_true(isnan(s->events[0].idle) && isnan(s->events[0].unattributed));
	assert_true(s->events[1].idle == 100);
	snapshot_free(s);
}

UNIT_TEST(the_groups_are_the_machine)
{
	struct snapshot *s = make();

	snapshot_group_values(s, 1)[1] = 780;
	check(s, INVARIANT_GROUPS, 1);
	assert_true(isnan(s->groups[0].counters[1]) && isnan(s->groups[1].counters[1]));
	assert_true(s->groups[1].counters[0] == 800);
	snapshot_free(s);

	s = make(); /* nobody is in it */
	snapshot_group_values(s, 0)[0] = NAN;
	snapshot_group_values(s, 1)[0] = 850;
	check(s, INVARIANTS, 0);
	snapshot_free(s);

	s = make();
	snapshot_group_facts(s, 1)->pressure.io_full_percent = 100.5;
	check(s, INVARIANT_SHARE, 1);
	assert_true(isnan(s->groups[1].facts->pressure.io_full_percent));
	snapshot_free(s);
}

UNIT_TEST(the_cpus_are_the_machine)
{
	struct snapshot *s = make();

	((double *)s->cpus[1].counters)[0] = 290;
	check(s, INVARIANT_CPUS, 1);
	assert_true(isnan(s->cpus[0].counters[0]) && isnan(s->cpus[1].counters[0]));
	assert_true(s->cpus[0].counters[1] == 700);
	snapshot_free(s);

	s = make();
	((double *)s->cpus[0].samples)[1] = 7;
	check(s, INVARIANT_CPUS, 1);
	snapshot_free(s);

	s = make(); /* one that is not measured, as with -C */
	((double *)s->cpus[0].counters)[0] = ((double *)s->cpus[0].samples)[0] = NAN;
	check(s, INVARIANTS, 0);
	snapshot_free(s);

	s = make(); /* one that is offline tells nothing, and counts nothing */
	((double *)s->cpus[0].counters)[0] = ((double *)s->cpus[0].samples)[0] = NAN;
	s->cpus[0].facts.online = false;
	check(s, INVARIANT_CPUS, 1);
	snapshot_free(s);

	s = make();
	s->cpus[1].facts.idle_percent = 101;
	check(s, INVARIANT_SHARE, 1);
	assert_true(isnan(s->cpus[1].facts.idle_percent));
	snapshot_free(s);
}

UNIT_TEST(rows_have_no_more_samples_than_functions)
{
	struct snapshot *s = make();

	s->cells[0].samples = 5;
	check(s, INVARIANT_SAMPLES, 1);
	snapshot_free(s);

	s = make();
	s->cells[0].period = -1;
	check(s, INVARIANT_SAMPLES, 1);
	snapshot_free(s);
}

UNIT_TEST(a_share_is_a_part)
{
	struct snapshot *s = make();

	s->sampling.unresolved_percent = 100.5;
	s->events[1].running_percent = -1;
	check(s, INVARIANT_SHARE, 2);
	assert_true(isnan(s->sampling.unresolved_percent) && isnan(s->events[1].running_percent));
	snapshot_free(s);
}

UNIT_TEST(slices_follow_each_other_in_the_session)
{
	static const struct snapshot_slice wrong[] = {
		{ 12, 22 }, { 25, 25 }, { 30, 20 }, { 60, 70 }, { 1, 2 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct snapshot *s = make();

		s->past.slices[1] = wrong[i];
		check(s, INVARIANT_PAST, 1);
		assert_int_equal(s->past.count, 2);
		assert_int_equal(s->past.slices[1].from_ns, 30);
		assert_true(s->past.samples[1 * EVENTS] == 2);
		snapshot_free(s);
	}
}

UNIT_TEST(each_sample_is_accounted_for)
{
	struct snapshot *s = make();

	s->sampling.read_samples = 12;
	s->sampling.settled_samples = 11;
	check(s, INVARIANT_RECORDS, 1);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_snapshot_stays_as_it_is),
		cmocka_unit_test(every_one_has_a_name),
		cmocka_unit_test(totals_go_on),
		cmocka_unit_test(no_process_is_on_more_cpus_than_it_has_threads),
		cmocka_unit_test(the_sum_is_no_more_than_all_cpus),
		cmocka_unit_test(no_counter_is_over_the_machines),
		cmocka_unit_test(the_parts_are_the_whole),
		cmocka_unit_test(the_cpus_are_the_machine),
		cmocka_unit_test(the_groups_are_the_machine),
		cmocka_unit_test(rows_have_no_more_samples_than_functions),
		cmocka_unit_test(a_share_is_a_part),
		cmocka_unit_test(slices_follow_each_other_in_the_session),
		cmocka_unit_test(each_sample_is_accounted_for),
	};

	return unit_run(tests);
}
