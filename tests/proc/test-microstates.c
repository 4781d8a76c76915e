/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "proc/microstates.h"

#define MS (1000 * 1000ull)

/* A thread that did what the test says in a second; its ticks are of 10 ms. */
struct second {
	struct task_stat before, now;
	int64_t run_ms, delay_ms, switches;
	bool delays_counted;
};

static struct microstates of(const struct second *s)
{
	const struct microstate_looks looks = { .before = &s->before,
						.now = &s->now,
						.run_ns = s->run_ms * (int64_t)MS,
						.delay_ns = s->delay_ms * (int64_t)MS,
						.voluntary_switches = s->switches,
						.elapsed_ns = 1000 * MS,
						.tick_ns = 10 * MS,
						.delays_counted = s->delays_counted };

	return microstates_between(&looks);
}

/* In per cent; below 0: unknown. */
static void assert_states(const struct second *s, double user, double system, double queue,
			  double disk, double sleep, double stop)
{
	const double want[] = { user, system, queue, disk, sleep, stop };
	struct microstates m = of(s);
	double percent[MICROSTATES];

	microstates_percent(&m, percent);
	for (int i = 0; i < MICROSTATES; i++) {
		if (want[i] < 0)
			assert_true(isnan(percent[i]));
		else
			assert_true(fabs(percent[i] - want[i]) < 1e-9);
	}
}

UNIT_TEST(time_on_a_cpu_is_split_as_its_ticks)
{
	struct second s = { { .state = 'S', .user_ticks = 100, .system_ticks = 300 },
			    { .state = 'S', .user_ticks = 130, .system_ticks = 310 },
			    .run_ms = 420,
			    .delay_ms = 80,
			    .switches = 5 };

	assert_states(&s, 31, 11, 8, -1, 50, 0); /* each has half of what its ticks cut off */
	s.run_ms = 440;                          /* that much they cannot have cut off */
	assert_states(&s, 33, 11, 8, -1, 48, 0);
	s.before = s.now; /* no tick of the second: all earlier ones */
	s.run_ms = 44;
	assert_states(&s, 1.3, 3.1, 8, -1, 87.6, 0);
	s.now.user_ticks = s.now.system_ticks = s.before.user_ticks = s.before.system_ticks = 0;
	assert_states(&s, -1, -1, 8, -1, 87.6, 0);
	s.run_ms = 0;
	assert_states(&s, 0, 0, 8, -1, 92, 0);
}

/* A short life: the kernel says 10 ms and 0 of 10.5 and 8.5 ms, of 14 and 5, or of 18.9 and 0.1. */
UNIT_TEST(a_tick_that_is_cut_off_is_shared)
{
	struct second s = { { .state = 0 },
			    { .state = 'S', .user_ticks = 1 },
			    .run_ms = 19,
			    .delay_ms = 1,
			    .switches = 1 };

	assert_states(&s, 1.45, 0.45, 0.1, 0, 98, 0);
	s.run_ms = 10;
	assert_states(&s, 1, 0, 0.1, 0, 98.9, 0);
	s.run_ms = 9; /* read before the tick */
	assert_states(&s, 0.9, 0, 0.1, 0, 99, 0);
}

UNIT_TEST(without_a_switch_there_is_one_state)
{
	static const struct {
		char state;
		double queue, disk, sleep, stop;
	} of_state[] = { { 'R', 60, 0, 0, 0 },  { 'D', 10, 50, 0, 0 }, { 'S', 10, 0, 50, 0 },
			 { 'I', 10, 0, 50, 0 }, { 'T', 10, 0, 0, 50 }, { 't', 10, 0, 0, 50 } };

	for (size_t i = 0; i < sizeof(of_state) / sizeof(*of_state); i++) {
		const char letter = of_state[i].state;
		struct second s = { { .state = letter },
				    { .state = letter, .user_ticks = 40 },
				    .run_ms = 400,
				    .delay_ms = 100 };

		assert_states(&s, 40, 0, of_state[i].queue, of_state[i].disk, of_state[i].sleep,
			      of_state[i].stop);
		s.before.state = i % 2 ? 'R' : 0; /* it ran until its only switch */
		s.switches = 1;
		if (letter != 'R')
			assert_states(&s, 40, 0, of_state[i].queue, of_state[i].disk,
				      of_state[i].sleep, of_state[i].stop);
	}
}

UNIT_TEST(waits_for_io_are_known_where_the_kernel_counts_them)
{
	struct second s = { { .state = 'S', .disk_ticks = 7 },
			    { .state = 'D', .disk_ticks = 37 },
			    .delay_ms = 100,
			    .switches = 9 };

	assert_states(&s, 0, 0, 10, -1, 90, 0);
	s.delays_counted = true;
	assert_states(&s, 0, 0, 10, 30, 60, 0);
	s.before.disk_ticks = 37; /* none in this second */
	assert_states(&s, 0, 0, 10, 0, 90, 0);
	s.before.disk_ticks = 0; /* a wait counts when it ends, however long it was */
	s.now.disk_ticks = 500;
	assert_states(&s, 0, 0, 10, 90, 0, 0);
	s.now.disk_ticks = 0; /* begun before the kernel counted, perhaps */
	assert_states(&s, 0, 0, 10, -1, 90, 0);
}

UNIT_TEST(a_moment_of_stopping_is_not_known)
{
	struct second s = {
		{ .state = 'S' }, { .state = 'T', .system_ticks = 1 }, .run_ms = 10, .switches = 2
	};

	assert_states(&s, 0, 1, 0, -1, -1, -1);
	s.before.state = 't';
	s.now.state = 'S';
	assert_states(&s, 0, 1, 0, -1, -1, -1);
}

UNIT_TEST(no_state_is_longer_than_the_second)
{
	struct second s = { { .state = 'R' },
			    { .state = 'R', .user_ticks = 500 },
			    .run_ms = 4000,
			    .delay_ms = 4000,
			    .switches = 3 };

	assert_states(&s, 100, 0, 0, -1, 0, 0);
	s.run_ms = 250;
	assert_states(&s, 25, 0, 75, -1, 0, 0);
}

UNIT_TEST(without_a_count_nothing_is_known)
{
	const struct second good = { { .state = 'S' }, { .state = 'S' }, .switches = 3 };
	struct second s = good;

	assert_states(&s, 0, 0, 0, -1, 100, 0);
	s.run_ms = -1;
	assert_states(&s, -1, -1, -1, -1, -1, -1);
	s = good;
	s.delay_ms = -1;
	assert_states(&s, -1, -1, -1, -1, -1, -1);
	s = good;
	s.switches = -1;
	assert_states(&s, -1, -1, -1, -1, -1, -1);
	s = good;
	s.now.state = 'Z';
	assert_states(&s, -1, -1, -1, -1, -1, -1);
}

UNIT_TEST(a_sum_has_shares_of_all_the_time)
{
	struct second busy = { { .state = 'R' },
			       { .state = 'R', .user_ticks = 100 },
			       .run_ms = 1000 };
	struct second idle = { { .state = 'S' }, { .state = 'S' }, .run_ms = 0 };
	struct microstates sum = microstates_none, one = of(&busy);
	double percent[MICROSTATES];

	microstates_percent(&sum, percent);
	assert_true(isnan(percent[MICROSTATE_USER]));
	microstates_add(&sum, &one);
	one = of(&idle);
	for (int i = 0; i < 3; i++)
		microstates_add(&sum, &one);
	microstates_percent(&sum, percent);
	assert_true(fabs(percent[MICROSTATE_USER] - 25) < 1e-9);
	assert_true(fabs(percent[MICROSTATE_SLEEP] - 75) < 1e-9);
	microstates_add(&sum, &microstates_unknown);
	microstates_percent(&sum, percent);
	assert_true(isnan(percent[MICROSTATE_USER]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tick_that_is_cut_off_is_shared),
		cmocka_unit_test(time_on_a_cpu_is_split_as_its_ticks),
		cmocka_unit_test(without_a_switch_there_is_one_state),
		cmocka_unit_test(waits_for_io_are_known_where_the_kernel_counts_them),
		cmocka_unit_test(a_moment_of_stopping_is_not_known),
		cmocka_unit_test(no_state_is_longer_than_the_second),
		cmocka_unit_test(without_a_count_nothing_is_known),
		cmocka_unit_test(a_sum_has_shares_of_all_the_time),
	};

	return unit_run(tests);
}
