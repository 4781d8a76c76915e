/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "base/clock.h"
#include "engine/budget.h"
#include "perf/rate.h"

/*
 * A machine of two CPUs that does what it is told: so many switches a second, samples by the
 * frequency of the level, and half a microsecond of the collector for each record.
 */
struct machine {
	uint64_t switches;
	uint64_t asked_hz;
	uint64_t own_ns;		/* besides that for records */
	bool exact_only;
	bool stacks;			/* each of a switch is five microseconds more */
};

static struct budget_input interval(const struct machine *m, const struct budget *b)
{
	struct budget_input in = {
		.elapsed_ns = NS_PER_S, .cpus = 2, .switches = m->switches,
		.asked_hz = m->asked_hz, .counters = 6, .exact_only = m->exact_only,
		.stacks = m->stacks,
	};

	in.samples = 2 * rate_reduced(m->asked_hz, b->level.halvings);
	in.switch_records = b->level.sampled_counters ? m->switches / 4096 : m->switches;
	if (b->level.sampled_counters && m->stacks)
		in.switch_records = m->switches / 16;
	in.own_ns = m->own_ns + (in.samples + in.switch_records) * 500;
	if (m->stacks)
		in.own_ns += in.switch_records * 5000 + m->switches * 500;
	return in;
}

/* The intervals after which the level stayed as it is, of at most 200. */
static unsigned settle(struct budget *b, const struct machine *m)
{
	unsigned last = 0;

	for (unsigned i = 1; i <= 200; i++) {
		struct budget_input in = interval(m, b);

		if (budget_step(b, &in))
			last = i;
	}
	return last;
}

static void a_quiet_machine_is_measured_as_asked(void **state)
{
	const struct machine quiet = { .switches = 3000, .asked_hz = 999 };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	assert_true(isnan(b.cost_percent));
	assert_int_equal(settle(&b, &quiet), 0);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
	assert_true(b.cost_percent > 0 && b.cost_percent < 2);
}

static void the_frequency_goes_first(void **state)
{
	const struct machine fast = { .switches = 100, .asked_hz = 20000 };
	struct budget b;
	struct budget_input in;

	(void)state;
	budget_init(&b, 2);
	in = interval(&fast, &b);
	assert_false(budget_step(&b, &in));	/* one interval alone is no reason */
	assert_true(budget_step(&b, &in));
	assert_int_equal(b.level.halvings, 2);	/* at once the first that fits */
	assert_false(b.level.sampled_counters);
	settle(&b, &fast);
	assert_int_equal(b.level.halvings, 2);
	assert_true(b.cost_percent <= 2);
}

static void a_storm_of_switches_makes_counters_sampled(void **state)
{
	const struct machine storm = { .switches = 500000, .asked_hz = 999 };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	assert_int_equal(settle(&b, &storm), 2);
	assert_true(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 0);	/* ticks are cheap and carry the counters now */
	assert_true(b.cost_percent <= 2);
}

/* They come back only where there is room for them, though few are seen meanwhile. */
static void stacks_of_switches_are_what_costs(void **state)
{
	const struct machine storm = { .switches = 20000, .asked_hz = 999, .stacks = true };
	const struct machine quiet = { .switches = 1000, .asked_hz = 999, .stacks = true };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	assert_int_equal(settle(&b, &storm), 2);
	assert_true(b.level.sampled_counters);
	assert_true(b.cost_percent <= 2);
	settle(&b, &quiet);
	assert_false(b.level.sampled_counters);
}

static void counters_that_must_be_exact_leave_the_frequency_alone_to_go(void **state)
{
	const struct machine storm = { .switches = 500000, .asked_hz = 999, .exact_only = true };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	settle(&b, &storm);
	assert_false(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, rate_halvings(999));
}

static void after_the_storm_all_is_as_asked(void **state)
{
	struct machine m = { .switches = 500000, .asked_hz = 999 };
	struct budget b;
	struct budget_input in;

	(void)state;
	budget_init(&b, 2);
	settle(&b, &m);
	m.switches = 2000;
	in = interval(&m, &b);
	assert_false(budget_step(&b, &in));
	assert_false(budget_step(&b, &in));
	assert_true(budget_step(&b, &in));
	assert_false(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 0);
}

/* What just fits when reduced, and not when measured as asked, is left reduced. */
static void it_does_not_swing(void **state)
{
	(void)state;
	for (uint64_t switches = 1000; switches < 200000; switches += 1000) {
		const struct machine m = { .switches = switches, .asked_hz = 4000 };
		struct budget b;

		budget_init(&b, 2);
		assert_true(settle(&b, &m) < 20);
	}
}

static void what_is_lost_is_over_the_budget(void **state)
{
	const struct machine m = { .switches = 5000, .asked_hz = 999 };
	struct budget b;
	struct budget_input in;

	(void)state;
	budget_init(&b, 50);
	in = interval(&m, &b);
	in.lost = 1;
	assert_true(budget_step(&b, &in));	/* at once, and by what makes the records */
	assert_true(b.level.sampled_counters);
	budget_init(&b, 50);
	in = interval(&m, &b);
	in.switch_records = in.switches = 0;
	in.throttled = 1;
	assert_true(budget_step(&b, &in));
	assert_false(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 1);
}

/* A level that seems to fit and each time loses records: it is tried less and less often. */
static void patience_grows(void **state)
{
	const struct machine m = { .switches = 5000, .asked_hz = 999 };
	unsigned changes = 0;
	struct budget b;

	(void)state;
	budget_init(&b, 50);
	for (int i = 0; i < 200; i++) {
		struct budget_input in = interval(&m, &b);

		in.lost = b.level.sampled_counters ? 0 : 10;
		changes += budget_step(&b, &in);
	}
	assert_true(changes > 4 && changes < 20);
}

static void without_a_limit_nothing_changes(void **state)
{
	const struct machine storm = { .switches = 5000000, .asked_hz = 20000 };
	struct budget b;

	(void)state;
	budget_init(&b, 0);
	assert_int_equal(settle(&b, &storm), 0);
}

static void the_floor_is_the_end(void **state)
{
	const struct machine hopeless = { .asked_hz = 999, .own_ns = NS_PER_S };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	settle(&b, &hopeless);
	assert_true(b.level.sampled_counters);
	assert_int_equal(rate_reduced(999, b.level.halvings), 62);
	assert_int_equal(rate_reduced(999, 60), 62);
	assert_int_equal(rate_reduced(20, 3), 20);	/* less than the floor was asked */
	assert_int_equal(rate_reduced(98, 1), 49);
	assert_int_equal(rate_reduced(97, 1), 97);
	assert_int_equal(rate_halvings(UINT64_MAX) > 50, 1);
}

/* The frequency is changed while it is reduced: levels that are no more there are not missed. */
static void a_lower_frequency_has_fewer_levels(void **state)
{
	struct machine m = { .asked_hz = 100000, .own_ns = NS_PER_S };
	struct budget b;

	(void)state;
	budget_init(&b, 2);
	settle(&b, &m);
	m = (struct machine){ .asked_hz = 50 };
	settle(&b, &m);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_is_measured_as_asked),
		cmocka_unit_test(the_frequency_goes_first),
		cmocka_unit_test(a_storm_of_switches_makes_counters_sampled),
		cmocka_unit_test(stacks_of_switches_are_what_costs),
		cmocka_unit_test(counters_that_must_be_exact_leave_the_frequency_alone_to_go),
		cmocka_unit_test(after_the_storm_all_is_as_asked),
		cmocka_unit_test(it_does_not_swing),
		cmocka_unit_test(what_is_lost_is_over_the_budget),
		cmocka_unit_test(patience_grows),
		cmocka_unit_test(without_a_limit_nothing_changes),
		cmocka_unit_test(the_floor_is_the_end),
		cmocka_unit_test(a_lower_frequency_has_fewer_levels),
	};

	return unit_run(tests);
}
