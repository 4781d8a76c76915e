/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU use of processes, of /proc and of the counters. */
#include "unit.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/engine-state.h"
#include "engine/rig.h"

#define S NS_PER_S

/* Writes NAME of /proc, with a folder of its own if it has one. */
static void write_file(const struct rig *rig, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", rig->proc_root, name);
	char *slash = strrchr(name, '/') ? strrchr(path, '/') : NULL;
	FILE *file;

	if (slash) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
	free(path);
}

static void write_stat_of(const struct rig *rig, unsigned pid, unsigned ticks)
{
	char *name = mem_printf("%u/stat", pid);
	char *text = mem_printf("%u (busy) R 1 50 50 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 7 4096 1 0\n",
				pid, ticks);

	write_file(rig, name, text);
	free(name);
	free(text);
}

static void write_stat(const struct rig *rig, unsigned ticks)
{
	write_stat_of(rig, 50, ticks);
}

static void remove_file(const struct rig *rig, const char *name)
{
	char *path = mem_printf("%s/%s", rig->proc_root, name);

	unlink(path);
	if (strchr(name, '/')) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
	free(path);
}

static void remove_stat(const struct rig *rig)
{
	remove_file(rig, "50/stat");
}

/* A second in which /proc says TICKS, and the counters that it ran for RAN_NS. */
static double cpu_percent_after(struct rig *rig, unsigned ticks, uint64_t ran_ns)
{
	struct record r = rig_with_totals(fake_switch(0, 0, 0, rig->now_ns), 0, 0);

	rig_receive(rig, r);
	r = rig_with_totals(fake_switch(50, 50, 0, rig->now_ns + ran_ns), 0, 0);
	rig_receive(rig, r);
	rig->now_ns -= ran_ns;
	write_stat(rig, ticks);
	rig_snapshot(rig);
	return rig_row(rig, 50, 0)->cpu_percent;
}

UNIT_TEST(cpu_use_is_exact_where_both_agree)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	write_stat(&rig, 100);
	rig_open(&rig);
	rig_snapshot(&rig);
	assert_true(isnan(rig_row(&rig, 50, 0)->cpu_percent));
	cpu_percent_after(&rig, 100, 0);
	assert_true(fabs(cpu_percent_after(&rig, 149, 495100000) - 49.51) < 1e-6);
	assert_true(cpu_percent_after(&rig, 249, 200000000) == 100); /* records came late */
	remove_stat(&rig);
	rig_fini(&rig);
}

/* Six seconds up to a record, of which OTHER_NS are not the task's. */
static double ended_percent(uint64_t other_ns, bool threads)
{
	struct record first, last;
	struct rig rig;
	double percent;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig_open(&rig);
	rig_snapshot(&rig);
	first = rig_with_totals(fake_switch(0, 0, 0, rig.now_ns), 0, 0);
	rig_receive(&rig, first);
	rig.now_ns += 5 * S;
	rig_receive(&rig, fake_fork(50, 50, 1, rig.now_ns));
	if (threads)
		rig_receive(&rig, fake_fork(50, 51, 50, rig.now_ns));
	rig.now_ns -= 4 * S;
	last = rig_with_totals(fake_switch(50, 50, 0, first.time_ns + 6 * S), 0, 7);
	last.sample.read.other_enabled_ns = last.sample.read.other_running_ns = other_ns;
	rig_receive(&rig, last);
	rig_receive(&rig, fake_exit(50, 50, last.time_ns));
	rig_snapshot(&rig);
	percent = rig_row(&rig, 50, 0)->cpu_percent;
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 7);
	rig_fini(&rig);
	return percent;
}

/* A process that has ended is in no /proc: it has what is told to be its own, and no more. */
UNIT_TEST(cpu_use_of_the_ended_is_their_own)
{
	assert_true(fabs(ended_percent(5 * S, false) - 100.0 / 7) < 1e-6);
	assert_true(fabs(ended_percent(5 * S + S / 2, true) - 50.0 / 7) < 1e-6);
	assert_true(isnan(ended_percent(6 * S, false))); /* nobody knows who ran */
}

/* A snapshot that comes seconds after its drain has counts of what was until the drain, and so is its interval. */
UNIT_TEST(interval_ends_with_its_drain)
{
	struct rig rig;
	uint64_t time_ns;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig_open(&rig);
	engine_drained(rig.engine, 1 * S);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_snapshot(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 5 * S), 0, 0));
	engine_drained(rig.engine, 5 * S);
	rig_snapshot(&rig);
	assert_true(rig.snapshot->interval_s == 4);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 25);
	time_ns = rig.snapshot->time_ns;
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 6 * S), 0, 0));
	engine_drained(rig.engine, 7 * S);
	rig.now_ns = 9 * S;
	rig_snapshot(&rig);
	assert_true(rig.snapshot->interval_s == 2);
	assert_true(rig.snapshot->time_ns == time_ns + 2 * S);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 50);
	rig.now_ns = 10 * S;
	rig_snapshot(&rig); /* a second later, and nothing was drained: the interval ends now */
	assert_true(rig.snapshot->interval_s == 4);
	rig_fini(&rig);
}

/* Time from before an interval that is reported in it allows no more than the number of threads. */
UNIT_TEST(cpu_use_has_a_bound)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.threads = rig.options.past = true;
	rig_open(&rig);
	rig.now_ns = 8 * S;
	rig_snapshot(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 9 * S), 0, 0));
	rig.now_ns = 10 * S;
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 100);
	assert_true(rig_row(&rig, 50, 50)->cpu_percent == 100);
	engine_set_window(rig.engine, 9 * S, 10 * S);
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 100);
	assert_true(rig_row(&rig, 50, 50)->cpu_percent == 100);
	rig_fini(&rig);
}

/* A second of one CPU that is never idle; process 50 has run for TICKS in all, 51 for OTHER_TICKS. */
static void full_second_files(const struct rig *rig, unsigned ticks, unsigned other_ticks)
{
	char *text = mem_printf("cpu  %u 0 0 0 0 0 0 0 0 0\ncpu0 %u 0 0 0 0 0 0 0 0 0\n",
				ticks + other_ticks, ticks + other_ticks);

	write_file(rig, "stat", text);
	free(text);
	write_stat_of(rig, 50, ticks);
	write_stat_of(rig, 51, other_ticks);
}

/* Likewise, and a record tells that 51 ran. */
static void full_second(struct rig *rig, unsigned ticks, unsigned other_ticks)
{
	full_second_files(rig, ticks, other_ticks);
	rig_receive(rig, rig_with_totals(fake_switch(51, 51, 0, rig->now_ns), 0, 0));
}

/*
 * Few switches have a record.  A task that ran unseen for a second has the ticks of two in the next
 * one.
 */
UNIT_TEST(cpu_use_of_all_is_that_of_the_cpus)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	full_second_files(&rig, 100, 100);
	rig_open(&rig);
	full_second(&rig, 100, 100);
	rig_snapshot(&rig);
	full_second(&rig, 160, 140);
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 0);
	full_second(&rig, 220, 180);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, rig.now_ns + S - S / 20), 0, 0));
	rig.now_ns -= S - S / 20;
	rig_snapshot(&rig); /* which checks the sum */
	assert_true(fabs(rig_row(&rig, 50, 0)->cpu_percent - 60) < 1e-6);
	assert_true(fabs(rig_row(&rig, 51, 0)->cpu_percent - 40) < 1e-6);
	remove_stat(&rig);
	remove_file(&rig, "51/stat");
	remove_file(&rig, "stat");
	rig_fini(&rig);
}

/* Two groups: one tells each second, the other what both seconds brought. */
UNIT_TEST(groups_told_apart_are_one_time)
{
	struct record first = rig_with_totals(fake_switch(50, 50, 0, 12 * S), 10, 0);
	struct record second = rig_with_totals(fake_switch(50, 50, 0, 13 * S), 0, 10);
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.past = true;
	rig_open(&rig);
	rig.now_ns = 11 * S;
	rig_snapshot(&rig);
	first.sample.read.count = second.sample.read.count = 1;
	second.sample.read.values[0] = second.sample.read.values[1];
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 11 * S), 0, 0));
	rig_receive(&rig, first);
	rig_receive(&rig, second);
	rig_receive(&rig, fake_switch(50, 50, 0, 15 * S));
	rig.now_ns = 15 * S;
	rig_snapshot(&rig);
	engine_set_window(rig.engine, 11 * S, 15 * S);
	rig_snapshot(&rig);
	assert_true(fabs(rig_row(&rig, 50, 0)->cpu_percent - 50) < 1);
	rig_fini(&rig);
}

/* Nearly two seconds ran before the zero; of the three that are shown two are left. */
UNIT_TEST(zero_forgets_what_no_slice_has_yet)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.past = true;
	rig_open(&rig);
	rig.now_ns = 11 * S;
	rig_snapshot(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 11 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 13 * S - S / 10), 0, 0));
	engine_zero(rig.engine);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 13 * S + S / 2), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 15 * S - S / 10), 0, 0));
	rig.now_ns = 15 * S;
	rig_snapshot(&rig);
	engine_set_window(rig.engine, 12 * S, 15 * S);
	rig_snapshot(&rig);
	assert_true(fabs(rig_row(&rig, 50, 0)->cpu_percent - 67) < 2);
	assert_true(rig.snapshot->interval_s == 3);
	engine_set_window(rig.engine, 1 * S, 9 * S);
	rig_snapshot(&rig);
	assert_true(rig.snapshot->past.to_ns <= rig.now_ns + S); /* not 8 s behind its begin */
	rig_fini(&rig);
}

/* A machine on which each look at the clock takes a while. */
static uint64_t slow_now(void *context)
{
	struct rig *rig = context;

	return rig->now_ns += S / 20;
}

/* Of COUNT intervals, how many had all processes read; in each samples were lost if LOSSY. */
static unsigned rounds_of(struct rig *rig, unsigned count, bool lossy)
{
	unsigned rounds = 0;

	for (unsigned i = 0; i < count; i++) {
		if (lossy)
			rig_receive(rig, fake_lost(0, rig->now_ns, 1));
		rig_snapshot(rig);
		rounds += process_table_reads(rig->engine->processes) > 0;
	}
	return rounds;
}

UNIT_TEST(losses_have_all_processes_read_a_part_of_the_time)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	write_stat(&rig, 100);
	rig_open(&rig);
	rig_snapshot(&rig);
	assert_int_equal(rounds_of(&rig, 20, true), 20);
	assert_int_equal(rounds_of(&rig, 20, false), 0);
	rig.clock = (struct clock){ slow_now, slow_now, &rig };
	assert_in_range(rounds_of(&rig, 40, true), 2, 20);
	assert_int_equal(rounds_of(&rig, 40, false), 1); /* for those that lost and were not read */
	remove_stat(&rig);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_use_is_exact_where_both_agree),
		cmocka_unit_test(cpu_use_of_the_ended_is_their_own),
		cmocka_unit_test(interval_ends_with_its_drain),
		cmocka_unit_test(cpu_use_has_a_bound),
		cmocka_unit_test(cpu_use_of_all_is_that_of_the_cpus),
		cmocka_unit_test(groups_told_apart_are_one_time),
		cmocka_unit_test(zero_forgets_what_no_slice_has_yet),
		cmocka_unit_test(losses_have_all_processes_read_a_part_of_the_time),
	};

	return unit_run(tests);
}
