/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of a snapshot: modes of the histogram, merging, counters of functions. */
#include "unit.h"

#include <math.h>

#include "engine/rig.h"

#define HOT "rig_hot_function"
#define S NS_PER_S

/*
 * Cells that were merged for room belong to a process and to none of its threads, whose rows add
 * nothing to it.
 */
UNIT_TEST(merged_cells_count_once)
{
	enum { THREADS = 3 * HISTOGRAM_CELLS_MIN };
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.threads = true;
	rig.options.cell_limit = HISTOGRAM_CELLS_MIN;
	rig_open(&rig);
	for (uint32_t i = 0; i < THREADS; i++)
		rig_receive(&rig, fake_sample(50, 50 + i, 0, 3 * S + i, 0x10000, 0));
	rig_snapshot(&rig);
	assert_true(rig.snapshot->sampling.merged_cells > 0);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, THREADS);
	rig_fini(&rig);
}

/* In a recording, where they have samples, the idle tasks are one row, also with the rows of threads. */
UNIT_TEST(idle_tasks_count_once)
{
	const struct snapshot *s;
	struct rig rig;
	size_t rows = 0;

	rig_init(&rig, "cpu-clock", TIER_FILE);
	rig.options.threads = true;
	rig_open(&rig);
	for (uint32_t i = 0; i < 10; i++)
		rig_receive(&rig, fake_sample(0, 0, i % 2, 3 * S + i, 0x10000, 0));
	rig_receive(&rig, fake_sample(50, 50, 0, 4 * S, 0x10000, 0));
	s = rig_snapshot(&rig); /* which looks for rows that have more samples than there are */
	for (size_t i = 0; i < s->process_count; i++)
		rows += !s->processes[i].pid;
	assert_int_equal(rows, 1);
	assert_int_equal(rig_row(&rig, 0, 0)->samples, 10);
	assert_int_equal(rig_row(&rig, 50, 50)->samples, 1);
	rig_fini(&rig);
}

UNIT_TEST(zero_mode_shows_the_interval_only)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_ZERO, 0);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "zero", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	rig_snapshot(&rig);
	rig_receive(&rig, rig_hot_sample(50, 0, rig.now_ns));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 0);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 0);
	rig_fini(&rig);
}

UNIT_TEST(a_sum_begins_with_the_first_interval)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "sum", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	rig_snapshot(&rig);
	assert_true(rig.snapshot->interval_s == 0);
	for (int i = 1; i < 4; i++) {
		rig_receive(&rig, rig_hot_sample(50, 0, rig.now_ns));
		rig_snapshot(&rig);
		assert_true(rig_samples(&rig, 50, HOT) == i);
		assert_int_equal(rig.snapshot->sampling.samples, 1);
		assert_true(rig.snapshot->interval_s == 1);
	}
	rig_fini(&rig);
}

UNIT_TEST(decay_halves_what_is_old)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_DECAY, 2);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "old", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (int i = 0; i < 8; i++)
		rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	rig_snapshot(&rig); /* at 4 s */
	rig_snapshot(&rig); /* at 5 s */
	assert_true(fabs(rig_samples(&rig, 50, HOT) - 4) < 1e-9);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 4);
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 0, HOT) == 0);
	rig_fini(&rig);
}

static const double *cell_counters(const struct rig *rig, const char *symbol)
{
	const struct snapshot *s = rig->snapshot;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (!strcmp(frame_symbol(s->frames, s->cells[i].frame), symbol))
			return s->cells[i].counters;
	}
	return NULL;
}

static void open_counting_rig(struct rig *rig)
{
	rig_init(rig, "cycles,instructions", TIER_CPU_GROUP);
	rig->options.symbol_counters = true;
	rig_open(rig);
	rig_receive(rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(rig, fake_mmap(50, 1 * S, 0x10000, 0x1000, "/nowhere/lib.so"));
	rig_receive(rig, rig_mmap_self(50, 1 * S));
}

/*
 * The increase up to a sample belongs to its function; the increase up to a switch to no function.
 */
UNIT_TEST(counters_are_credited_to_functions)
{
	struct rig rig;
	const double *counters;

	open_counting_rig(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 0, 2 * S), 1000, 100));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 3 * S), 1500, 300));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 4 * S), 2500, 400));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 5 * S, 0x10000, 0), 2600, 1400));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 6 * S), 9000, 9000));
	rig_receive(&rig, fake_lost(0, 6 * S, 1));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 7 * S), 10000, 10000));
	rig_snapshot(&rig);
	counters = cell_counters(&rig, HOT);
	assert_non_null(counters);
	assert_true(counters[0] == 1500 && counters[1] == 300);
	counters = cell_counters(&rig, "[unknown]");
	assert_true(counters[0] == 100 && counters[1] == 1000);
	assert_true(rig_samples(&rig, 50, HOT) == 3);
	rig_fini(&rig);
}

/* A counter of another group is not in the sample's record. */
UNIT_TEST(what_a_record_lacks_is_absent)
{
	struct rig rig;
	const double *counters;

	open_counting_rig(&rig);
	for (uint64_t i = 1; i < 4; i++) {
		struct record sample = rig_hot_sample(50, 0, i * S);

		fake_value(&sample, 0, 100 * i);
		sample.sample.read.enabled_ns = sample.time_ns;
		sample.sample.read.running_ns = sample.time_ns / 2;
		rig_receive(&rig, sample);
	}
	rig_snapshot(&rig);
	counters = cell_counters(&rig, HOT);
	assert_true(counters[0] == 400); /* 200 counted in half of the time */
	assert_true(isnan(counters[1]));
	rig_fini(&rig);
}

UNIT_TEST(without_being_asked_functions_have_no_counters)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 2 * S), 1, 1));
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, 3 * S), 2, 2));
	rig_snapshot(&rig);
	assert_null(rig.snapshot->cells[0].counters);
	assert_null(rig.snapshot->cell_values);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_cells_count_once),
		cmocka_unit_test(idle_tasks_count_once),
		cmocka_unit_test(zero_mode_shows_the_interval_only),
		cmocka_unit_test(a_sum_begins_with_the_first_interval),
		cmocka_unit_test(decay_halves_what_is_old),
		cmocka_unit_test(counters_are_credited_to_functions),
		cmocka_unit_test(what_a_record_lacks_is_absent),
		cmocka_unit_test(without_being_asked_functions_have_no_counters),
	};

	return unit_run(tests);
}
