/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counts of each CPU, and the samples that were taken on it. */
#include "unit.h"

#include <linux/perf_event.h>
#include <math.h>

#include "engine/rig.h"

#define MS 1000000u

static void start(struct rig *rig, enum source_tier tier, unsigned extras)
{
	rig_init(rig, "cpu-clock,page-faults", tier);
	rig->options.layout.sample_type = PERF_SAMPLE_CPU;
	rig->options.extras = extras;
	rig->options.sys_root = "/nonexistent";
	rig_open(rig);
}

static const struct snapshot_cpu *cpu_of(const struct snapshot *s, uint32_t number)
{
	for (size_t i = 0; i < s->cpu_count; i++) {
		if (s->cpus[i].facts.number == number)
			return &s->cpus[i];
	}
	return NULL;
}

/* Both CPUs begin with a base; then CPU 0 counts 70 and 7, CPU 3 counts 30 and 5 of which 2 are nobody's. */
static void count(struct rig *rig)
{
	uint64_t t = rig->now_ns;
	struct record lost = { .type = RECORD_LOST, .cpu = 3, .lost.count = 1 };

	rig_receive(rig, rig_with_totals(rig_hot_sample(50, 0, t + MS), 1000, 100));
	rig_receive(rig, rig_with_totals(rig_hot_sample(60, 3, t + MS), 5000, 500));
	rig_snapshot(rig);
	rig_receive(rig, rig_with_totals(rig_hot_sample(50, 0, t + 2 * MS), 1070, 107));
	rig_receive(rig, rig_with_totals(rig_hot_sample(60, 3, t + 2 * MS), 5020, 503));
	rig_receive(rig, lost);
	rig_receive(rig, rig_with_totals(rig_hot_sample(60, 3, t + 3 * MS), 5030, 505));
}

UNIT_TEST(cpus_add_up_to_the_machine)
{
	const struct snapshot *s;
	struct rig rig;

	start(&rig, TIER_CPU_GROUP, EXTRA_CPUS);
	count(&rig);
	s = rig_snapshot(&rig); /* no invariant is broken */
	assert_int_equal(s->cpu_count, 2);
	assert_true(cpu_of(s, 0)->counters[0] == 70 && cpu_of(s, 0)->counters[1] == 7);
	assert_true(cpu_of(s, 3)->counters[0] == 30 && cpu_of(s, 3)->counters[1] == 5);
	assert_true(rig_event_value(&rig, 0) == 100 && rig_event_value(&rig, 1) == 12);
	assert_true(cpu_of(s, 0)->samples[0] == 1 && cpu_of(s, 3)->samples[0] == 2);
	assert_true(isnan(cpu_of(s, 0)->samples[1])); /* it is only counted */
	s = rig_snapshot(&rig);
	assert_true(isnan(cpu_of(s, 0)->counters[0]) && cpu_of(s, 3)->samples[0] == 0);
	rig_fini(&rig);
}

/* CPU 0 reads the energy of its socket, of which nobody asks CPU 3. */
UNIT_TEST(one_cpu_has_what_its_socket_counts)
{
	struct record base, next;
	struct rig rig;

	start(&rig, TIER_CPU_GROUP, EXTRA_CPUS);
	rig.evlist->items[1]->per_cpu_only = true;
	rig.evlist->items[1]->scale = 0.25;
	base = rig_with_totals(rig_hot_sample(60, 3, rig.now_ns + MS), 100, 0);
	next = rig_with_totals(rig_hot_sample(60, 3, rig.now_ns + 2 * MS), 120, 0);
	base.sample.read.count = next.sample.read.count = 1;
	rig_receive(&rig, base);
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, rig.now_ns + MS), 10, 100));
	rig_snapshot(&rig);
	rig_receive(&rig, next);
	rig_receive(&rig, rig_with_totals(rig_hot_sample(50, 0, rig.now_ns + 2 * MS), 20, 140));
	rig_snapshot(&rig);
	assert_true(cpu_of(rig.snapshot, 0)->counters[1] == 10);
	assert_true(cpu_of(rig.snapshot, 3)->counters[0] == 20);
	assert_true(isnan(cpu_of(rig.snapshot, 3)->counters[1]));
	rig_fini(&rig);
}

static double samples_on(const struct snapshot *s, uint16_t cpu)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++)
		sum += s->cells[i].cpu == cpu ? s->cells[i].samples : 0;
	return sum;
}

UNIT_TEST(cells_have_a_cpu_while_somebody_looks)
{
	struct rig rig;

	start(&rig, TIER_CPU_GROUP, 0);
	rig_snapshot(&rig);
	count(&rig);
	assert_int_equal(rig_snapshot(&rig)->cpu_count, 0);
	assert_true(samples_on(rig.snapshot, 0) == 5);
	engine_set_extras(rig.engine, EXTRA_CPUS);
	count(&rig);
	rig_snapshot(&rig);
	assert_true(samples_on(rig.snapshot, 0) == 5);
	assert_true(samples_on(rig.snapshot, 1) == 2 && samples_on(rig.snapshot, 4) == 3);
	engine_set_extras(rig.engine, 0);
	count(&rig);
	rig_snapshot(&rig);
	assert_true(samples_on(rig.snapshot, 0) == 10);
	rig_fini(&rig);
}

/* The first record of a CPU says 0 where no record has a CPU. */
UNIT_TEST(without_cpus_in_the_records_none_is_claimed)
{
	const struct snapshot *s;
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_FILE);
	rig.options.extras = EXTRA_CPUS;
	rig_open(&rig);
	rig_receive(&rig, rig_hot_sample(50, 0, rig.now_ns + MS));
	s = rig_snapshot(&rig);
	assert_int_equal(s->cpu_count, 0);
	assert_true(samples_on(s, 0) == 1);
	rig_fini(&rig);
}

UNIT_TEST(a_recording_has_counts_and_samples_by_cpu)
{
	const struct snapshot *s;
	struct record r;
	struct rig rig;

	start(&rig, TIER_FILE, EXTRA_CPUS);
	r = rig_hot_sample(50, 2, rig.now_ns + MS);
	r.sample.period = 40;
	rig_receive(&rig, r);
	r = rig_hot_sample(50, 1, rig.now_ns + MS);
	r.sample.period = 2;
	rig_receive(&rig, r);
	s = rig_snapshot(&rig);
	assert_int_equal(s->cpu_count, 2);
	assert_true(cpu_of(s, 2)->counters[0] == 40 && cpu_of(s, 1)->counters[0] == 2);
	assert_true(cpu_of(s, 2)->samples[0] == 1 && samples_on(s, 3) == 1);
	assert_true(isnan(cpu_of(s, 2)->facts.idle_percent) && isnan(cpu_of(s, 2)->facts.ghz));
	assert_true(cpu_of(s, 2)->facts.online);
	rig_fini(&rig);
}

/* Samples of what is no CPU are counted, but on none. */
UNIT_TEST(sums_of_impossible_cpus_are_absent)
{
	const struct snapshot *s;
	struct rig rig;

	start(&rig, TIER_FILE, EXTRA_CPUS);
	rig_receive(&rig, rig_hot_sample(50, 2, rig.now_ns + MS));
	rig_receive(&rig, rig_hot_sample(50, 70000, rig.now_ns + MS));
	rig_receive(&rig, rig_hot_sample(50, UINT32_MAX, rig.now_ns + MS));
	s = rig_snapshot(&rig);
	assert_int_equal(s->cpu_count, 1);
	assert_true(isnan(cpu_of(s, 2)->counters[0]) && isnan(cpu_of(s, 2)->samples[0]));
	assert_true(samples_on(s, 3) == 1 && samples_on(s, 0) == 2);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_add_up_to_the_machine),
		cmocka_unit_test(one_cpu_has_what_its_socket_counts),
		cmocka_unit_test(cells_have_a_cpu_while_somebody_looks),
		cmocka_unit_test(without_cpus_in_the_records_none_is_claimed),
		cmocka_unit_test(a_recording_has_counts_and_samples_by_cpu),
		cmocka_unit_test(sums_of_impossible_cpus_are_absent),
	};

	return unit_run(tests);
}
