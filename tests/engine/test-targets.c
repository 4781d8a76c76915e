/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tasks that are shown. */
#include "unit.h"

#include "engine/rig.h"

#define S NS_PER_S

static void open_target(struct rig *rig, enum target_mode mode, struct number_list *tasks,
			const char *text)
{
	struct error err = { "" };

	rig_init(rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	if (number_list_parse(tasks, text, "pid", 1, UINT32_MAX - 1, &err))
		fail_msg("%s", err.text);
	rig->options.target.mode = mode;
	rig->options.target.tasks = tasks;
	rig_open(rig);
}

UNIT_TEST(only_the_asked_for_and_their_children_are_shown)
{
	struct number_list tasks = { 0 };
	struct rig rig;

	open_target(&rig, TARGET_PID, &tasks, "50");
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "asked", true));
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "other", true));
	rig_receive(&rig, fake_fork(51, 51, 50, 2 * S));
	rig_receive(&rig, fake_fork(52, 52, 51, 2 * S));
	rig_receive(&rig, fake_comm(52, 52, 2 * S, "grandchild", true));
	rig_receive(&rig, fake_fork(61, 61, 60, 2 * S));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 3 * S), 1, 0));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(60, 0, 4 * S), 11, 0));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(52, 0, 5 * S), 111, 0));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(61, 0, 6 * S), 1111, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 3);
	assert_non_null(rig_row(&rig, 50, 0));
	assert_non_null(rig_row(&rig, 51, 0));
	assert_int_equal(rig_row(&rig, 52, 0)->samples, 1);
	assert_int_equal(rig.snapshot->sampling.samples, 2);
	assert_int_equal(rig.snapshot->cell_count, 2);
	assert_true(rig_event_value(&rig, 0) == 101);
	assert_int_equal(engine_statistics(rig.engine).filtered, 2);
	assert_string_equal(rig.snapshot->target.mode, "pid");
	assert_int_equal(rig.snapshot->target.pid_count, 1);
	assert_int_equal(rig.snapshot->target.pids[0], 50);
	rig_fini(&rig);
	number_list_fini(&tasks);
}

UNIT_TEST(a_reused_pid_is_no_target)
{
	struct number_list tasks = { 0 };
	struct rig rig;

	open_target(&rig, TARGET_COMMAND, &tasks, "50");
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "asked", true));
	rig_receive(&rig, fake_exit(50, 50, 3 * S));
	rig_receive(&rig, fake_fork(50, 50, 1, 4 * S));
	rig_receive(&rig, rig_hot_sample(50, 0, 5 * S));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_row(&rig, 50, 0)->exited);
	assert_int_equal(rig.snapshot->sampling.samples, 0);
	rig_fini(&rig);
	number_list_fini(&tasks);
}

UNIT_TEST(a_thread_target_leaves_out_the_other_threads)
{
	struct number_list tasks = { 0 };
	struct record r;
	struct rig rig;

	open_target(&rig, TARGET_TID, &tasks, "51");
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "two", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S, 1, 0), 1, 0));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 51, 0, 4 * S, 1, 0), 11, 0));
	rig_receive(&rig, fake_sample(60, 60, 0, 4 * S, 1, 0));
	rig_receive(&rig, fake_fork(50, 52, 50, 5 * S));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 52, 0, 6 * S, 1, 0), 111, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 1);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 10);
	assert_int_equal(engine_statistics(rig.engine).filtered, 3);
	rig_receive(&rig, fake_fork(50, 53, 50, 7 * S));
	r = fake_fork(50, 54, 50, 7 * S);
	r.task.ptid = 51; /* by the one that was asked for */
	rig_receive(&rig, r);
	rig_receive(&rig, fake_sample(50, 53, 0, 8 * S, 1, 0));
	rig_receive(&rig, fake_sample(50, 54, 0, 8 * S, 1, 0));
	rig_snapshot(&rig);
	assert_int_equal(engine_statistics(rig.engine).filtered, 4);
	assert_int_equal(rig.snapshot->sampling.samples, 1);
	rig_fini(&rig);
	number_list_fini(&tasks);
}

UNIT_TEST(a_user_target_shows_nobody_unknown)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.target.mode = TARGET_USER;
	rig.options.target.uid = 1000;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "whose", true));
	rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_int_equal(rig.snapshot->sampling.samples, 0);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_asked_for_and_their_children_are_shown),
		cmocka_unit_test(a_reused_pid_is_no_target),
		cmocka_unit_test(a_thread_target_leaves_out_the_other_threads),
		cmocka_unit_test(a_user_target_shows_nobody_unknown),
	};

	return unit_run(tests);
}
