/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "rig.h"

#define S NS_PER_S
#define HOT "rig_hot_function"

static void open_rig(struct rig *rig, enum source_tier tier)
{
	rig_init(rig, "cycles,instructions", tier);
	rig->options.mode = tier == TIER_FILE ? HISTOGRAM_CUMULATIVE : HISTOGRAM_DECAY;
	rig->options.past = true;
	rig->options.threads = true;
	rig_open(rig);
}

static struct record hot(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return fake_sample(pid, tid, 0, time_ns, rig_hot_address(), 0);
}

static void begin(struct rig *rig, uint32_t pid, const char *comm, uint64_t time_ns)
{
	rig_receive(rig, fake_comm(pid, pid, time_ns, comm, true));
	rig_receive(rig, rig_mmap_self(pid, time_ns));
}

/* Two processes, one behind the other; a window has the one that ran in it. */
UNIT_TEST(a_window_shows_what_ran_then)
{
	const struct snapshot *s;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	begin(&rig, 50, "first", 1 * S);
	begin(&rig, 60, "second", 1 * S);
	rig_receive(&rig, rig_with_totals(hot(50, 50, 2 * S + 1), 1000, 100));
	rig_receive(&rig, rig_with_totals(hot(50, 51, 3 * S + 1), 1500, 150));
	rig_receive(&rig, rig_with_totals(hot(60, 60, 4 * S + 1), 1700, 190));
	s = rig_snapshot(&rig);
	assert_true(s->past.kept);
	assert_int_equal(s->past.count, 3);
	assert_int_equal(s->past.to_ns, 0);
	assert_int_equal(s->past.slices[1].from_ns, 3 * S);
	assert_true(s->past.samples[1 * s->event_count] == 1);

	engine_set_window(rig.engine, 2 * S, 4 * S);
	s = rig_snapshot(&rig);
	assert_int_equal(s->past.from_ns, 2 * S);
	assert_int_equal(s->past.to_ns, 4 * S);
	assert_true(s->interval_s == 2);
	assert_int_equal(s->sampling.samples, 2);
	assert_true(rig_samples(&rig, 50, HOT) == 2);
	assert_true(rig_samples(&rig, 60, HOT) == 0);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 2);
	assert_int_equal(rig_row(&rig, 60, 0)->samples, 0);
	assert_int_equal(rig_row(&rig, 50, 51)->samples, 1);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1500);
	assert_true(rig_row(&rig, 50, 51)->counters[1] == 50);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 0);
	assert_true(s->events[0].value == 1500);
	assert_int_equal(rig_row(&rig, 50, 0)->resident_bytes, -1);
	assert_true(isnan(s->host.cpu_percent));

	engine_set_window(rig.engine, 4 * S, 5 * S);
	s = rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 0);
	assert_true(rig_samples(&rig, 60, HOT) == 1);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 200);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 0);

	engine_set_window(rig.engine, 0, 0);
	s = rig_snapshot(&rig);
	assert_int_equal(s->past.to_ns, 0);
	assert_true(rig_samples(&rig, 50, HOT) > 0);
	assert_true(rig_samples(&rig, 60, HOT) > 0);
	rig_fini(&rig);
}

/* A process that ended long ago is there in a window where it was, with its name. */
UNIT_TEST(who_is_gone_is_there_in_the_past)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	begin(&rig, 50, "gone", 1 * S);
	rig_receive(&rig, rig_with_totals(hot(50, 50, 2 * S), 700, 100));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 1));
	for (int i = 0; i < 200; i++)
		rig_snapshot(&rig);
	assert_null(rig_row(&rig, 50, 0));
	assert_true(rig_samples(&rig, 50, HOT) == 0);
	engine_set_window(rig.engine, 1 * S, 3 * S);
	rig_snapshot(&rig);
	assert_non_null(rig_row(&rig, 50, 0));
	assert_string_equal(rig_row(&rig, 50, 0)->comm, "gone");
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 700);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 0);
	rig_fini(&rig);
}

/* The sums of all windows are those of all. */
UNIT_TEST(windows_add_up)
{
	double counts = 0, samples = 0;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	begin(&rig, 50, "sum", 1 * S);
	for (uint64_t i = 0; i < 100; i++) {
		rig_receive(&rig,
			    rig_with_totals(hot(50, 50, 2 * S + i * S / 10), 1000 + 7 * i, i));
		if (i % 13 == 0)
			rig_snapshot(&rig);
	}
	rig_snapshot(&rig);
	for (uint64_t second = 2; second < 12; second++) {
		engine_set_window(rig.engine, second * S, (second + 1) * S);
		rig_snapshot(&rig);
		samples += rig_samples(&rig, 50, HOT);
		counts += rig_row(&rig, 50, 0)->counters[0];
	}
	assert_true(samples == 100);
	assert_true(counts == 7 * 99);
	rig_fini(&rig);
}

UNIT_TEST(a_recording_has_windows)
{
	const struct snapshot *s;
	struct record read;
	struct rig rig;

	open_rig(&rig, TIER_FILE);
	begin(&rig, 50, "recorded", 0);
	for (uint64_t i = 0; i < 1000; i++) {
		rig_receive(&rig, hot(50, 50, 5 * S + i * S / 100));
		read = fake_read(50, 50, 5 * S + i * S / 100);
		read.read.enabled_ns = read.read.running_ns = 1;
		fake_value(&read, 1, 3);
		rig_receive(&rig, read);
	}
	s = rig_snapshot(&rig);
	assert_int_equal(s->sampling.samples, 1000);
	assert_in_range(s->past.count, 256, 1024);
	engine_set_window(rig.engine, 7 * S, 8 * S);
	s = rig_snapshot(&rig);
	assert_in_range(s->sampling.samples, 100, 104);
	assert_true(rig_samples(&rig, 50, HOT) == (double)s->sampling.samples);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == (double)s->sampling.samples);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 3 * (double)s->sampling.samples);
	assert_true(isnan(rig_row(&rig, 50, 0)->cpu_percent));
	engine_set_window(rig.engine, 0, 0);
	assert_int_equal(rig_snapshot(&rig)->sampling.samples, 1000);
	rig_fini(&rig);
}

/* The first record is not the oldest, and no clock tells the last one's time. */
UNIT_TEST(slices_of_a_recording_lie_in_it_whatever_its_times)
{
	static const uint64_t times[] = {
		9 * S, 5 * S, 7 * S, 1, UINT64_MAX, UINT64_MAX - 1, 8 * S
	};
	const struct snapshot *s;
	struct rig rig;

	open_rig(&rig, TIER_FILE);
	begin(&rig, 50, "recorded", 9 * S);
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		rig_receive(&rig, hot(50, 50, times[i]));
		rig.now_ns = S;
		s = rig_snapshot(&rig);
		assert_true(s->past.count > 0);
	}
	assert_true(s->past.began_ns == 1);
	assert_true(s->past.now_ns >= s->past.slices[s->past.count - 1].from_ns);
	rig_fini(&rig);
}

UNIT_TEST(without_a_past_nothing_is_kept)
{
	struct rig rig;

	rig_init(&rig, "cycles", TIER_FILE);
	rig_open(&rig);
	begin(&rig, 50, "plain", 0);
	rig_receive(&rig, hot(50, 50, 5 * S));
	engine_set_window(rig.engine, 1, 2);
	assert_int_equal(rig_snapshot(&rig)->sampling.samples, 1);
	assert_false(rig.snapshot->past.kept);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_shows_what_ran_then),
		cmocka_unit_test(who_is_gone_is_there_in_the_past),
		cmocka_unit_test(windows_add_up),
		cmocka_unit_test(a_recording_has_windows),
		cmocka_unit_test(slices_of_a_recording_lie_in_it_whatever_its_times),
		cmocka_unit_test(without_a_past_nothing_is_kept),
	};

	return unit_run(tests);
}
