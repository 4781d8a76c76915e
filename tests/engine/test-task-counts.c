/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters of tasks and of the machine, through the whole engine. */
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/alloc.h"
#include "engine/rig.h"

#define S NS_PER_S

/* Rows of tasks that did not run share their values: zeros, not what another row has. */
UNIT_TEST(who_did_not_run_counted_nothing)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	for (uint32_t pid = 50; pid < 54; pid++)
		rig_receive(&rig, fake_comm(pid, pid, 1 * S, "some", false));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 1 * S), 0, 0));
	rig_snapshot(&rig);
	rig_receive(&rig, rig_with_totals(rig_hot_sample(51, 0, 3 * S), 100, 7));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 51, 0)->counters[1] == 7);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 0);
	assert_ptr_equal(rig_row(&rig, 50, 0)->counters, rig_row(&rig, 52, 0)->counters);
	rig_snapshot(&rig);
	assert_true(isnan(rig_row(&rig, 51, 0)->counters[1])); /* nothing was counted at all */
	rig_fini(&rig);
}

UNIT_TEST(counts_go_to_the_task_that_ran)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 1000, 10));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1500, 17));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 61, 0, 3 * S), 1600, 20));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 0, 4 * S), 1601, 20));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 5 * S), 1700, 21));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 500);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 7);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 101);
	assert_true(rig_row(&rig, 60, 0)->counters[1] == 3);
	assert_true(rig_event_value(&rig, 0) == 700); /* idle time too */
	assert_true(rig_event_value(&rig, 1) == 11);
	assert_true(rig.snapshot->events[0].running_percent == 100);

	rig_snapshot(&rig); /* nothing happened: nothing was measured */
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(rig_event_value(&rig, 0)));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, rig.now_ns), 1800, 22));
	rig_snapshot(&rig); /* the CPU was counted, 50 did not run: a true zero */
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 0);
	rig_fini(&rig);
}

static double all_rows(const struct rig *rig, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < rig->snapshot->process_count; i++)
		sum += rig->snapshot->processes[i].counters[event];
	return sum;
}

UNIT_TEST(after_a_gap_the_counts_are_nobody_s)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 1000, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 1, 1 * S), 1000, 0));
	rig_receive(&rig, fake_lost(0, 2 * S, 99));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 3 * S), 5000, 4));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 4 * S), 5001, 4));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 1, 4 * S), 1010, 0));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 10);
	assert_true(rig_event_value(&rig, 0) == 4011);
	assert_true(all_rows(&rig, 0) == 11);
	assert_int_equal(rig.snapshot->sampling.lost, 99);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->sampling.lost, 0);
	assert_int_equal(rig.snapshot->sampling.total_lost, 99);
	rig_fini(&rig);
}

/* A call of PID on CPU 1 that sent so many bytes. */
static struct record sent(uint32_t pid, uint64_t bytes, uint64_t time_ns)
{
	struct record r = fake_switch(pid, pid, 1, time_ns);

	r.event = 1;
	r.increase = bytes;
	return r;
}

/*
 * Nothing else tells of them: no call is no byte, and what was lost before says nothing of a call.  An event that
 * the engine does not know is nobody's.
 */
UNIT_TEST(bytes_of_the_network_are_the_caller_s)
{
	struct record foreign;
	struct rig rig;

	rig_init(&rig, "cpu-clock,net-sent", TIER_CPU_GROUP);
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 1000, 0));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 0);
	assert_true(rig_event_value(&rig, 1) == 0);
	rig_receive(&rig, sent(50, 1000, 2 * S));
	rig_receive(&rig, sent(60, 200, 2 * S));
	rig_receive(&rig, fake_lost(1, 3 * S, 99));
	rig_receive(&rig, sent(50, 24, 4 * S));
	foreign = sent(50, 24, 4 * S);
	foreign.event = 2;
	rig_receive(&rig, foreign);
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 1024);
	assert_true(rig_row(&rig, 60, 0)->counters[1] == 200);
	assert_true(rig_event_value(&rig, 1) == 1224);
	assert_true(rig.snapshot->events[1].unattributed == 0);
	assert_int_equal(engine_statistics(rig.engine).attribution.foreign, 1);
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 0);
	rig_fini(&rig);
}

static struct record nameless_switch(uint64_t time_ns)
{
	return fake_switch(UINT32_MAX, UINT32_MAX, 0, time_ns);
}

UNIT_TEST(a_task_that_exits_keeps_its_last_counts)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 1000, 0));
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "ends", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 2 * S, 0x1, 0), 1100, 0));
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S + 1), 1110, 0));
	/* Its last switch: the number is taken from it already. */
	rig_receive(&rig, rig_with_totals(nameless_switch(2 * S + 2), 1115, 0));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 115);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_event_value(&rig, 0) == 115);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	rig_receive(&rig, rig_with_totals(nameless_switch(rig.now_ns), 1120, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_true(rig_event_value(&rig, 0) == 5);
	rig_fini(&rig);
}

/* The switches of a task in its last steps come after its EXIT, and maybe after a snapshot. */
UNIT_TEST(a_task_that_is_gone_does_not_come_back)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "gone", true));
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, fake_exit(51, 51, 2 * S)); /* never seen before */
	rig_receive(&rig, rig_with_totals(fake_switch(51, 51, 0, 2 * S), 3, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, rig.now_ns), 7, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_true(rig_event_value(&rig, 0) == 4);
	rig_receive(&rig, fake_fork(50, 50, 1, rig.now_ns));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, rig.now_ns), 9, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 2);
	rig_fini(&rig);
}

UNIT_TEST(threads_that_ended_count_for_their_process)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.threads = true;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "many", true));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	for (uint32_t i = 1; i <= 100; i++) {
		uint64_t now = S + i * 1000;

		rig_receive(&rig, fake_fork(50, 50 + i, 50, now));
		rig_receive(&rig, rig_with_totals(fake_sample(50, 50 + i, 0, now + 1, 0x1, 0),
						  i * 10, i));
		rig_receive(&rig, fake_exit(50, 50 + i, now + 2));
	}
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1007, 100));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1007);
	assert_true(rig_row(&rig, 50, 50)->counters[0] == 7);
	assert_true(rig_row(&rig, 50, 77)->counters[0] == 10);
	assert_int_equal(rig_row(&rig, 50, 77)->samples, 1);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 100);
	assert_int_equal(rig.snapshot->process_count, 102);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 2);
	engine_set_threads(rig.engine, false);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	rig_fini(&rig);
}

UNIT_TEST(a_pid_that_comes_back_is_another_process)
{
	const struct snapshot_process *first, *second;
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_fork(50, 50, 1, 2 * S));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 2 * S + 1, 0x1, 0), 5, 0));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 2));
	rig_receive(&rig, fake_fork(50, 50, 1, 3 * S));
	rig_receive(&rig, fake_comm(50, 50, 3 * S, "second", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S + 1, 0x1, 0), 12, 0));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S + 2, 0x1, 0), 13, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 2);
	first = &rig.snapshot->processes[0];
	second = &rig.snapshot->processes[1];
	assert_string_equal(first->comm, "first");
	assert_string_equal(second->comm, "second");
	assert_int_not_equal(first->serial, second->serial);
	assert_true(first->counters[0] == 5 && second->counters[0] == 8);
	assert_true(first->samples == 1 && second->samples == 2);
	assert_true(first->exited && !second->exited);
	rig_fini(&rig);
}

/* Its whole life lies between two looks at /proc: who its parent was the fork told. */
UNIT_TEST(who_was_never_read_has_a_parent)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_fork(51, 51, 50, 2 * S));
	rig_receive(&rig, rig_with_totals(fake_sample(51, 51, 0, 2 * S + 1, 0x1, 0), 5, 0));
	rig_receive(&rig, fake_exit(51, 51, 2 * S + 2));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 51, 0)->exited);
	assert_int_equal(rig_row(&rig, 51, 0)->ppid, 50);
	rig_fini(&rig);
}

UNIT_TEST(increases_of_tasks_need_no_cpu)
{
	struct record r = fake_read(50, 50, 2 * S);
	struct rig rig;

	rig_start(&rig, TIER_PER_TASK);
	rig_receive(&rig, fake_comm(40, 40, 1 * S, "another", true));
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "mine", true));
	fake_value(&r, 1, 7);
	r.read.enabled_ns = 400;
	r.read.running_ns = 100;
	rig_receive(&rig, r);
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, r); /* the last one follows its exit */
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 14 * 4);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(rig_row(&rig, 40, 0)->counters[1])); /* nobody counts it: no zero */
	assert_false(rig_row(&rig, 40, 0)->sampled);
	assert_true(rig_row(&rig, 50, 0)->sampled);
	assert_true(rig.snapshot->events[1].running_percent == 25);
	assert_string_equal(rig.snapshot->sampling.tier, "per-task");
	rig_fini(&rig);
}

/* The group had one and a half of three seconds; the waiting is not held against who comes next. */
UNIT_TEST(counters_that_take_turns_are_scaled_alike)
{
	struct record r[3] = {
		rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0),
		rig_with_totals(fake_switch(50, 50, 0, 2 * S), 800, 80),
		rig_with_totals(fake_switch(60, 60, 0, 4 * S), 1200, 120),
	};
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	r[1].sample.read.running_ns = 2 * S;
	r[2].sample.read.running_ns = 2 * S + S / 2;
	for (size_t i = 0; i < 3; i++)
		rig_receive(&rig, r[i]);
	rig_snapshot(&rig);
	assert_true(rig.snapshot->events[0].running_percent == 50);
	assert_true(rig_event_value(&rig, 0) == 2400);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1600);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 800);
	assert_true(rig_row(&rig, 60, 0)->counters[1] == 80);
	rig_fini(&rig);
}

/* Energy of a socket, told in steps of a quarter of a joule. */
UNIT_TEST(what_a_socket_counts_is_no_process_s)
{
	struct evsel *energy;
	struct rig rig;

	rig_init(&rig, "cpu-clock,r1", TIER_CPU_GROUP);
	energy = rig.evlist->items[1];
	energy->per_cpu_only = true;
	energy->scale = 0.25;
	energy->unit = strdup("Joules");
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 100));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 7, 113));
	rig_snapshot(&rig);
	assert_true(rig_event_value(&rig, 1) == 3.25);
	assert_string_equal(rig.snapshot->events[1].unit, "Joules");
	assert_null(rig.snapshot->events[0].unit);
	assert_true(isnan(rig.snapshot->events[1].idle));
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 7);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[1]));
	rig_fini(&rig);
}

UNIT_TEST(what_was_never_scheduled_has_no_value)
{
	struct record base = rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0);
	struct record next = rig_with_totals(fake_switch(50, 50, 0, 2 * S), 0, 0);
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	base.sample.read.running_ns = next.sample.read.running_ns = 0;
	rig_receive(&rig, base);
	rig_receive(&rig, next);
	rig_snapshot(&rig);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(rig_event_value(&rig, 0)));
	assert_true(rig.snapshot->events[0].running_percent == 0);
	rig_fini(&rig);
}

UNIT_TEST(a_refused_event_says_why_and_has_no_value)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,instructions", TIER_CPU_GROUP);
	rig.evlist->items[1]->open_error = ENOENT;
	rig.evlist->items[1]->why = mem_strdup("no such counter here");
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 9, 9));
	rig_snapshot(&rig);
	assert_string_equal(rig.snapshot->events[1].error, "no such counter here");
	assert_false(rig.snapshot->events[1].enabled);
	assert_true(isnan(rig_event_value(&rig, 1)));
	assert_null(rig.snapshot->events[0].error);
	assert_true(rig_event_value(&rig, 0) == 9);
	rig_fini(&rig);
}

/* The group's time goes on, so that the kernel tells of 0 in all of it: nobody counted that. */
UNIT_TEST(an_event_that_is_off_has_no_value)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 9, 5));
	rig.evlist->items[1]->enabled = false;
	rig_snapshot(&rig);
	assert_true(rig_event_value(&rig, 1) == 5);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 3 * S), 18, 5));
	rig_snapshot(&rig);
	assert_true(rig_event_value(&rig, 0) == 9);
	assert_true(isnan(rig_event_value(&rig, 1)));
	assert_true(isnan(rig.snapshot->events[1].running_percent));
	assert_true(isnan(rig.snapshot->events[1].unattributed));
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_did_not_run_counted_nothing),
		cmocka_unit_test(counts_go_to_the_task_that_ran),
		cmocka_unit_test(after_a_gap_the_counts_are_nobody_s),
		cmocka_unit_test(bytes_of_the_network_are_the_caller_s),
		cmocka_unit_test(a_task_that_exits_keeps_its_last_counts),
		cmocka_unit_test(a_task_that_is_gone_does_not_come_back),
		cmocka_unit_test(threads_that_ended_count_for_their_process),
		cmocka_unit_test(a_pid_that_comes_back_is_another_process),
		cmocka_unit_test(who_was_never_read_has_a_parent),
		cmocka_unit_test(increases_of_tasks_need_no_cpu),
		cmocka_unit_test(counters_that_take_turns_are_scaled_alike),
		cmocka_unit_test(what_a_socket_counts_is_no_process_s),
		cmocka_unit_test(what_was_never_scheduled_has_no_value),
		cmocka_unit_test(a_refused_event_says_why_and_has_no_value),
		cmocka_unit_test(an_event_that_is_off_has_no_value),
	};

	return unit_run(tests);
}
