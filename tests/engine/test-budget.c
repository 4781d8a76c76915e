/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "base/clock.h"
#include "engine/budget.h"
#include "perf/event/rate.h"

/*
 * A machine of two CPUs on orders: so many switches a second, samples by the frequency of the level
 * and by the periods.  Each record costs half a microsecond of the collector.
 */
enum { EVENT_CLOCK, EVENT_FAULTS, EVENT_MAJOR, EVENT_SENT };

struct machine {
	uint64_t switches;
	uint64_t faults, major; /* occurrences a second of events that are sampled by a period */
	uint64_t sent;          /* likewise, with plain records */
	uint64_t asked_hz;
	uint64_t own_ns; /* besides that for records */
	bool exact_only;
	bool stacks;        /* each of a switch is five microseconds more */
	bool sample_stacks; /* each sample, too */
	bool summed;        /* the kernel sums waits, and takes their stacks */
	uint64_t room;      /* samples that the rings have room for in an interval; 0: for all */
};

static void by_period(struct budget_input *in, const struct budget *b, size_t event, uint64_t each)
{
	in->events[event] = (struct budget_event){ .samples = each >> b->level.doublings[event],
						   .requested = (double)each,
						   .thins = true,
						   .plain = event == EVENT_SENT };
	if (event != EVENT_SENT)
		in->samples += in->events[event].samples;
}

static struct budget_input interval(const struct machine *m, const struct budget *b)
{
	struct budget_input in = {
		.elapsed_ns = NS_PER_S,
		.cpus = 2,
		.switches = m->switches,
		.asked_hz = m->asked_hz,
		.counters = 6,
		.exact_only = m->exact_only,
		.stacks = m->stacks,
		.sample_stacks = m->sample_stacks,
	};

	in.samples = 2 * rate_reduced(m->asked_hz, b->level.halvings);
	in.switch_records = b->level.sampled_counters ? m->switches / 4096 : m->switches;
	if (b->level.sampled_counters && m->stacks)
		in.switch_records = m->switches / 16;
	in.events[EVENT_CLOCK].samples = in.samples;
	if (m->faults)
		by_period(&in, b, EVENT_FAULTS, m->faults);
	if (m->major)
		by_period(&in, b, EVENT_MAJOR, m->major);
	if (m->sent)
		by_period(&in, b, EVENT_SENT, m->sent);
	if (m->room && in.samples > m->room) {
		in.lost = in.samples - m->room;
		in.events[EVENT_FAULTS].requested *=
			1 - (double)in.lost / (double)in.events[EVENT_FAULTS].samples;
		in.events[EVENT_FAULTS].samples -= in.lost;
		in.samples = m->room;
	}
	in.record_ns = (in.samples + in.events[EVENT_SENT].samples + in.switch_records) * 500;
	if (m->sample_stacks)
		in.record_ns += in.samples * 6000;
	if (m->stacks)
		in.record_ns += in.switch_records * 5000 + m->switches * 500;
	in.own_ns = m->own_ns + in.record_ns;
	if (m->summed) {
		in.stacks = b->level.sampled_counters;
		in.sum_stacks = b->level.sampled_counters ? b->level.stacks_hz : m->switches;
	}
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

UNIT_TEST(a_quiet_machine_is_measured_as_asked)
{
	const struct machine quiet = { .switches = 3000, .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_true(isnan(b.cost_percent));
	assert_int_equal(settle(&b, &quiet), 0);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
	assert_true(b.cost_percent > 0 && b.cost_percent < 2);
}

UNIT_TEST(the_frequency_goes_first)
{
	const struct machine fast = { .switches = 100, .asked_hz = 20000 };
	struct budget b;
	struct budget_input in;

	budget_init(&b, 2, 2);
	in = interval(&fast, &b);
	assert_false(budget_step(&b, &in)); /* one interval alone is no reason */
	assert_true(budget_step(&b, &in));
	assert_int_equal(b.level.halvings, 2); /* at once the first that fits */
	assert_false(b.level.sampled_counters);
	settle(&b, &fast);
	assert_int_equal(b.level.halvings, 2);
	assert_true(b.cost_percent <= 2);
}

UNIT_TEST(a_storm_of_switches_makes_counters_sampled)
{
	const struct machine storm = { .switches = 500000, .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &storm), 1);
	assert_true(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 0); /* ticks are cheap and carry the counters now */
	assert_true(b.cost_percent <= 2);
}

/* Intervals are short after a loss, and while ptop itself takes much: two of them are no two seconds. */
UNIT_TEST(short_intervals_lower_nothing_at_once)
{
	const struct machine fast = { .switches = 100, .asked_hz = 9000 };
	struct budget_input in;
	struct budget b;

	budget_init(&b, 2, 2);
	in = interval(&fast, &b);
	in.elapsed_ns /= 5;
	in.samples /= 5;
	in.own_ns /= 5;
	in.record_ns /= 5;
	for (int i = 0; i < 8; i++)
		assert_false(budget_step(&b, &in));
	assert_true(budget_step(&b, &in));
	assert_int_equal(b.level.halvings, 1);
}

/* Half of the frequency would do, but whoever switches so often does not take samples from others. */
UNIT_TEST(many_switches_lower_no_frequency)
{
	const struct machine many = { .switches = 16000, .asked_hz = 999, .sample_stacks = true };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &many), 2);
	assert_true(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 0);
	assert_true(b.cost_percent <= 2);
}

/* Records of so many switches alone would fit.  Stacks that no record brings cost, too, and later no more than there is room for. */
UNIT_TEST(stacks_of_sums_are_in_the_budget)
{
	const struct machine records = { .switches = 20000, .asked_hz = 999 };
	const struct machine sums = { .switches = 20000, .asked_hz = 999, .summed = true };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &records), 0);
	budget_init(&b, 2, 2);
	settle(&b, &sums);
	assert_true(b.level.sampled_counters);
	assert_in_range(b.level.stacks_hz, 1000, 5000);
	assert_true(b.cost_percent <= 2);
}

/* They come back only where there is room for them, though few are seen meanwhile. */
UNIT_TEST(stacks_of_switches_are_what_costs)
{
	const struct machine storm = { .switches = 20000, .asked_hz = 999, .stacks = true };
	const struct machine quiet = { .switches = 1000, .asked_hz = 999, .stacks = true };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &storm), 1);
	assert_true(b.level.sampled_counters);
	assert_true(b.cost_percent <= 2);
	settle(&b, &quiet);
	assert_false(b.level.sampled_counters);
}

/*
 * As many as fit beside what all else costs: two thirds of the budget in any case, and none where switches bring
 * no stacks, or all of them do.
 */
UNIT_TEST(stacks_that_fit)
{
	const uint32_t most = 2 * NS_PER_S / 100 * 2 / 5000; /* at five microseconds each */
	struct machine storm = { .switches = 6000, .asked_hz = 999, .stacks = true };
	const struct machine without = { .switches = 500000, .asked_hz = 999 };
	struct budget_input in;
	struct budget b;
	uint32_t usual;

	budget_init(&b, 2, 2);
	in = interval(&storm, &b);
	budget_step(&b, &in);
	assert_int_equal(b.level.stacks_hz, 0);
	settle(&b, &storm);
	usual = b.level.stacks_hz;
	assert_in_range(usual, 1000, most);
	storm.own_ns = 4000000;
	settle(&b, &storm);
	assert_true(b.level.stacks_hz < usual);
	storm.own_ns = 200000000;
	settle(&b, &storm);
	assert_in_range(b.level.stacks_hz, usual / 2, usual);
	budget_init(&b, 2, 2);
	settle(&b, &without);
	assert_int_equal(b.level.stacks_hz, 0);
}

UNIT_TEST(counters_that_must_be_exact_leave_the_frequency_alone_to_go)
{
	const struct machine storm = { .switches = 500000, .asked_hz = 20000, .exact_only = true };
	struct budget b;

	budget_init(&b, 2, 2);
	settle(&b, &storm);
	assert_false(b.level.sampled_counters);
	assert_true(b.level.halvings > 2);
	assert_true(b.exceeded);
}

/* A record without counters and stack is cheap, however dear other samples are. */
UNIT_TEST(plain_records_are_thinned_for_what_they_cost)
{
	struct machine m = {
		.switches = 100, .asked_hz = 99, .sample_stacks = true, .sent = 10000
	};
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &m), 0);
	m.sent = 1000000;
	settle(&b, &m);
	assert_true(b.level.doublings[EVENT_SENT] > 0);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
	assert_true(b.cost_percent <= 2);
	m.sent = 0;
	settle(&b, &m);
	assert_int_equal(b.level.doublings[EVENT_SENT], 0);
}

/* What makes the most records is thinned, and switches stay told. */
UNIT_TEST(plain_records_that_fill_rings_are_thinned)
{
	struct machine m = { .switches = 1000, .asked_hz = 99, .sent = 20000 };
	struct budget b;
	struct budget_input in;

	budget_init(&b, 50, 2);
	in = interval(&m, &b);
	assert_false(budget_step(&b, &in));
	in.lost = 5000;
	assert_true(budget_step(&b, &in));
	assert_true(b.level.doublings[EVENT_SENT] > 0);
	assert_false(b.level.sampled_counters);
}

UNIT_TEST(after_the_storm_all_is_as_asked)
{
	struct machine m = { .switches = 500000, .asked_hz = 999 };
	struct budget b;
	struct budget_input in;

	budget_init(&b, 2, 2);
	settle(&b, &m);
	m.switches = 2000;
	in = interval(&m, &b);
	assert_false(budget_step(&b, &in));
	assert_false(budget_step(&b, &in));
	assert_true(budget_step(&b, &in));
	assert_false(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 0);
}

/* A load that just fits when reduced, but not when measured as asked, stays reduced. */
UNIT_TEST(it_does_not_swing)
{
	for (uint64_t switches = 1000; switches < 200000; switches += 1000) {
		const struct machine m = { .switches = switches, .asked_hz = 4000 };
		const struct machine deep = { .switches = switches,
					      .asked_hz = 999,
					      .sample_stacks = true };
		struct budget b;

		budget_init(&b, 2, 2);
		assert_true(settle(&b, &m) < 20);
		budget_init(&b, 2, 2);
		assert_true(settle(&b, &deep) < 20);
	}
}

UNIT_TEST(what_is_lost_is_over_the_budget)
{
	const struct machine m = { .switches = 5000, .asked_hz = 999 };
	struct budget b;
	struct budget_input in;

	budget_init(&b, 50, 2);
	in = interval(&m, &b);
	in.lost = 1;
	assert_true(budget_step(&b, &in)); /* at once, and by what makes the records */
	assert_true(b.level.sampled_counters);
	budget_init(&b, 50, 2);
	in = interval(&m, &b);
	in.switch_records = in.switches = 0;
	in.throttled = 1;
	assert_true(budget_step(&b, &in));
	assert_false(b.level.sampled_counters);
	assert_int_equal(b.level.halvings, 1);
}

/* What can wait has what all else leaves, and an eighth of the budget in any case. */
UNIT_TEST(what_is_left_is_spare)
{
	const struct machine quiet = { .switches = 3000, .asked_hz = 999 };
	const struct machine full = { .switches = 3000, .asked_hz = 999, .own_ns = NS_PER_S };
	struct budget b;

	budget_init(&b, 2, 2);
	assert_true(b.spare_percent > 1.9);
	settle(&b, &quiet);
	assert_true(fabs(b.spare_percent + b.cost_percent - 2) < 0.001);
	assert_true(b.spare_percent > 1);
	settle(&b, &full);
	assert_true(fabs(b.spare_percent - 0.25) < 0.001);
	budget_init(&b, 0, 2);
	assert_true(b.spare_percent > 0);
}

/* Neither files that are read nor rounds of /proc are made cheaper by a lower frequency. */
UNIT_TEST(other_costs_lower_the_frequency_no_further)
{
	for (unsigned part = 0; part < 3; part++) {
		const struct machine m = { .switches = 3000,
					   .asked_hz = 999,
					   .exact_only = true,
					   .sample_stacks = true,
					   .own_ns = part == 1 ? NS_PER_S / 5 : 0 };
		struct budget b;

		budget_init(&b, 2, 2);
		for (int i = 0; i < 20; i++) {
			struct budget_input in = interval(&m, &b);

			in.spare_ns = part == 2 ? NS_PER_S / 5 : 0;
			budget_step(&b, &in);
		}
		assert_int_equal(b.level.halvings, 0);
		assert_true(part ? b.cost_percent > 10 : b.cost_percent < 2);
		assert_int_equal(b.exceeded, part != 0);
	}
}

/* What they cost presses with a part: records that take nearly all of the budget are fewer then. */
UNIT_TEST(other_costs_press_with_a_part)
{
	unsigned halvings[2];

	for (int i = 0; i < 2; i++) {
		const struct machine m = { .switches = 100,
					   .asked_hz = 1650,
					   .exact_only = true,
					   .sample_stacks = true,
					   .own_ns = i ? NS_PER_S / 5 : 0 };
		struct budget b;

		budget_init(&b, 2, 2);
		settle(&b, &m);
		halvings[i] = b.level.halvings;
	}
	assert_true(halvings[1] > halvings[0]);
}

/* Once ptop did not run for a while; half of the frequency would lose more. */
UNIT_TEST(one_loss_lowers_no_frequency)
{
	const struct machine m = { .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 50, 2);
	for (int i = 0; i < 30; i++) {
		struct budget_input in = interval(&m, &b);

		in.lost = i % 3 ? 100 : 10 * in.samples; /* a few are always lost */
		assert_false(budget_step(&b, &in));
	}
	for (int i = 0; i < 30 && !b.level.halvings; i++) {
		struct budget_input in = interval(&m, &b);

		in.lost = 2 * in.samples;
		budget_step(&b, &in);
	}
	assert_int_equal(b.level.halvings, 1);
}

/* A ring that was half full keeps periods long, but not the frequency low. */
UNIT_TEST(the_frequency_rises_although_rings_are_tight)
{
	const struct machine m = { .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 50, 2);
	for (int i = 0; i < 30 && !b.level.halvings; i++) {
		struct budget_input in = interval(&m, &b);

		in.lost = 2 * in.samples;
		budget_step(&b, &in);
	}
	assert_int_equal(b.level.halvings, 1);
	for (int i = 0; i < 30; i++) {
		struct budget_input in = interval(&m, &b);

		in.tight = 1;
		budget_step(&b, &in);
	}
	assert_int_equal(b.level.halvings, 0);
}

/* A level that seems to fit and each time loses records: it is tried less and less often. */
UNIT_TEST(patience_grows)
{
	const struct machine m = { .switches = 5000, .asked_hz = 999 };
	unsigned changes = 0;
	struct budget b;

	budget_init(&b, 50, 2);
	for (int i = 0; i < 200; i++) {
		struct budget_input in = interval(&m, &b);

		in.lost = b.level.sampled_counters ? 0 : 10;
		changes += budget_step(&b, &in);
	}
	assert_true(changes > 4 && changes < 20);
}

UNIT_TEST(without_a_limit_nothing_changes)
{
	const struct machine storm = { .switches = 5000000, .asked_hz = 20000 };
	struct budget b;

	budget_init(&b, 0, 2);
	assert_int_equal(settle(&b, &storm), 0);
}

/* The loading of symbols, a screen to draw: it costs, and to measure less would not help. */
UNIT_TEST(what_is_not_of_records_reduces_nothing)
{
	const struct machine busy = {
		.switches = 2000, .asked_hz = 999, .faults = 1000, .own_ns = NS_PER_S
	};
	struct budget b;

	budget_init(&b, 2, 2);
	assert_int_equal(settle(&b, &busy), 0);
	assert_true(b.exceeded);
	assert_true(b.cost_percent > 50);
}

/* Mappings of new processes, which are read among the records, in one interval and not in the next. */
UNIT_TEST(a_burst_among_records_is_not_their_price)
{
	const struct machine busy = { .switches = 30000, .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 5, 2);
	assert_int_equal(settle(&b, &busy), 0);
	for (unsigned i = 0; i < 40; i++) {
		struct budget_input in = interval(&busy, &b);

		if (i % 4 == 0) {
			in.record_ns += NS_PER_S / 2;
			in.own_ns += NS_PER_S / 2;
		}
		assert_false(budget_step(&b, &in));
	}
	assert_false(b.level.sampled_counters);
}

/* The price follows where it is that of all records. */
UNIT_TEST(dear_records_are_reduced)
{
	const struct machine cheap = { .switches = 30000, .asked_hz = 999 };
	struct budget b;

	budget_init(&b, 5, 2);
	settle(&b, &cheap);
	for (unsigned i = 0; i < 10 && !b.level.sampled_counters; i++) {
		struct budget_input in = interval(&cheap, &b);

		in.record_ns *= 10;
		in.own_ns = in.record_ns;
		budget_step(&b, &in);
	}
	assert_true(b.level.sampled_counters);
}

/* Page faults of a compiler: they are what costs, the clock and the counters are not touched. */
UNIT_TEST(an_event_by_period_goes_first)
{
	struct machine m = { .switches = 1000,
			     .asked_hz = 999,
			     .faults = 60000,
			     .major = 20,
			     .sample_stacks = true };
	struct budget_input in;
	struct budget b;

	budget_init(&b, 3, 2);
	in = interval(&m, &b);
	assert_true(budget_step(&b, &in)); /* so far over that one interval is enough */
	assert_true(b.level.doublings[EVENT_FAULTS] >= 5);
	assert_int_equal(b.level.doublings[EVENT_MAJOR], 0);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
	settle(&b, &m);
	assert_true(b.cost_percent <= 3 && !b.exceeded);
	assert_int_equal(b.level.halvings, 0);
	assert_int_equal(b.level.doublings[EVENT_MAJOR], 0);
}

/* Not even the fewest samples of it are enough: then the frequency, and of it as many as fit. */
UNIT_TEST(what_an_event_leaves_the_frequency_must_save)
{
	const struct machine m = { .asked_hz = 20000, .faults = 60000, .sample_stacks = true };
	struct budget b;

	budget_init(&b, 2, 2);
	settle(&b, &m);
	assert_true(b.level.doublings[EVENT_FAULTS] >= 6);
	assert_true(b.level.halvings > 0);
	assert_true(b.cost_percent <= 2 && !b.exceeded);
}

UNIT_TEST(every_occurrence_again_when_there_are_few)
{
	struct machine m = {
		.switches = 1000, .asked_hz = 999, .faults = 60000, .sample_stacks = true
	};
	unsigned last;
	struct budget b;

	budget_init(&b, 3, 2);
	settle(&b, &m);
	m.faults = 300;
	last = settle(&b, &m);
	assert_int_equal(b.level.doublings[EVENT_FAULTS], 0);
	assert_true(last < 90);
	m.faults = 0; /* it was removed */
	settle(&b, &m);
	assert_int_equal(b.level.doublings[EVENT_FAULTS], 0);
}

/* A compiler starts a process each second and pauses in the third: no way up, and down again. */
UNIT_TEST(bursts_are_remembered)
{
	struct machine m = {
		.switches = 1000, .asked_hz = 999, .faults = 60000, .sample_stacks = true
	};
	unsigned changes = 0;
	struct budget b;

	budget_init(&b, 3, 2);
	settle(&b, &m);
	for (int i = 0; i < 120; i++) {
		struct budget_input in;

		m.faults = i % 3 == 2 ? 0 : 60000;
		in = interval(&m, &b);
		in.events[EVENT_FAULTS].thins = true;
		changes += budget_step(&b, &in);
		assert_true(b.cost_percent <= 3);
	}
	assert_true(changes < 4);
}

UNIT_TEST(lost_samples_thin_what_made_them)
{
	const struct machine m = { .switches = 200, .asked_hz = 999, .faults = 8000, .room = 3000 };
	struct budget b;
	struct budget_input in;

	budget_init(&b, 50, 2);
	for (int i = 0; i < 5; i++) {
		in = interval(&m, &b);
		budget_step(&b, &in);
	}
	assert_int_equal(in.lost, 0);
	assert_true(b.level.doublings[EVENT_FAULTS] > 0);
	assert_int_equal(b.level.halvings, 0);
	assert_false(b.level.sampled_counters);
}

/* Counters at ticks are for a storm of switches; an event beside it has the room that is left then. */
UNIT_TEST(a_storm_of_switches_leaves_room_for_events)
{
	const struct machine storm = {
		.switches = 500000, .asked_hz = 999, .faults = 3000, .major = 100
	};
	struct budget b;

	budget_init(&b, 2, 2);
	settle(&b, &storm);
	assert_true(b.level.sampled_counters);
	assert_int_equal(b.level.doublings[EVENT_FAULTS], 0);
	assert_true(b.cost_percent <= 2);
}

UNIT_TEST(the_floor_is_the_end)
{
	const struct machine hopeless = { .switches = 200000,
					  .asked_hz = 999,
					  .faults = 1000000,
					  .stacks = true,
					  .own_ns = NS_PER_S };
	struct budget b;

	budget_init(&b, 2, 2);
	settle(&b, &hopeless);
	assert_true(b.exceeded);
	assert_true(hopeless.faults >> b.level.doublings[EVENT_FAULTS] < 1000);
	assert_true(b.level.sampled_counters);
	assert_int_equal(rate_reduced(999, 60), 62);
	assert_int_equal(rate_reduced(20, 3), 20); /* less than the floor was asked */
	assert_int_equal(rate_reduced(98, 1), 49);
	assert_int_equal(rate_reduced(97, 1), 97);
	assert_int_equal(rate_halvings(UINT64_MAX) > 50, 1);
}

/* The frequency is changed while it is reduced: levels that are no more there are not missed. */
UNIT_TEST(a_lower_frequency_has_fewer_levels)
{
	struct machine m = { .asked_hz = 100000, .own_ns = NS_PER_S };
	struct budget b;

	budget_init(&b, 2, 2);
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
		cmocka_unit_test(many_switches_lower_no_frequency),
		cmocka_unit_test(short_intervals_lower_nothing_at_once),
		cmocka_unit_test(stacks_of_sums_are_in_the_budget),
		cmocka_unit_test(stacks_of_switches_are_what_costs),
		cmocka_unit_test(stacks_that_fit),
		cmocka_unit_test(plain_records_are_thinned_for_what_they_cost),
		cmocka_unit_test(plain_records_that_fill_rings_are_thinned),
		cmocka_unit_test(counters_that_must_be_exact_leave_the_frequency_alone_to_go),
		cmocka_unit_test(after_the_storm_all_is_as_asked),
		cmocka_unit_test(it_does_not_swing),
		cmocka_unit_test(what_is_lost_is_over_the_budget),
		cmocka_unit_test(what_is_left_is_spare),
		cmocka_unit_test(other_costs_lower_the_frequency_no_further),
		cmocka_unit_test(other_costs_press_with_a_part),
		cmocka_unit_test(one_loss_lowers_no_frequency),
		cmocka_unit_test(the_frequency_rises_although_rings_are_tight),
		cmocka_unit_test(patience_grows),
		cmocka_unit_test(without_a_limit_nothing_changes),
		cmocka_unit_test(what_is_not_of_records_reduces_nothing),
		cmocka_unit_test(a_burst_among_records_is_not_their_price),
		cmocka_unit_test(dear_records_are_reduced),
		cmocka_unit_test(an_event_by_period_goes_first),
		cmocka_unit_test(what_an_event_leaves_the_frequency_must_save),
		cmocka_unit_test(every_occurrence_again_when_there_are_few),
		cmocka_unit_test(bursts_are_remembered),
		cmocka_unit_test(lost_samples_thin_what_made_them),
		cmocka_unit_test(a_storm_of_switches_leaves_room_for_events),
		cmocka_unit_test(the_floor_is_the_end),
		cmocka_unit_test(a_lower_frequency_has_fewer_levels),
	};

	return unit_run(tests);
}
