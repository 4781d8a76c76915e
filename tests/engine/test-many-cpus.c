/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of many CPUs, which are emptied together: each sample is counted once, for the program that ran then, wherever it
 * began.  bench/cpus tells what more of them cost.
 */
#include "unit.h"

#include "engine/many-cpus.h"

#define CPUS 40u
#define PROCESSES 120u
#define SECONDS 2u

static double sampled(const struct snapshot *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++)
		sum += s->cells[i].samples;
	return sum;
}

static double unnamed(const struct snapshot *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (!strcmp(frame_object_name(s->frames, s->cells[i].frame), "[unknown]"))
			sum += s->cells[i].samples;
	}
	return sum;
}

static void start(struct many_cpus *m, uint64_t period_ns)
{
	many_cpus_init(m, &(struct many_cpus_options){ .cpus = CPUS,
						       .processes = PROCESSES,
						       .active = 3,
						       .short_ms = 2,
						       .frames = 30,
						       .period_ns = period_ns,
						       .mode = HISTOGRAM_CUMULATIVE });
}

UNIT_TEST(each_sample_is_counted_once_and_named)
{
	const struct snapshot *s = NULL;
	struct many_cpus m;

	start(&m, 4000000);
	for (uint32_t i = 0; i < SECONDS; i++) {
		many_cpus_run(&m, 1000);
		s = many_cpus_snapshot(&m);
	}
	assert_int_equal(m.written, CPUS * 250u * SECONDS);
	assert_int_equal(m.lost, 0);
	assert_in_range(m.shorts, 500u * SECONDS - 2, 500u * SECONDS);
	assert_int_equal(s->sampling.total_lost, 0);
	assert_int_equal(s->sampling.total_samples, m.written);
	assert_true(sampled(s) == (double)m.written);
	assert_true(unnamed(s) == 0);
	many_cpus_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_counted_once_and_named),
	};

	return unit_run(tests);
}
