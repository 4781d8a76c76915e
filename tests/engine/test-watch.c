/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function that is looked at: where in it samples are, and its code. */
#include "unit.h"

#include <math.h>
#include <poll.h>

#include "base/alloc.h"
#include "engine/rig.h"
#include "engine/engine-state.h"

#define HOT "rig_hot_function"
#define S NS_PER_S
#define DEADLINE_MS 30000

static void open_rig(struct rig *rig, bool addresses, bool at_once)
{
	rig_init(rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig->options.mode = HISTOGRAM_CUMULATIVE; /* weights are numbers of samples */
	rig->options.addresses = addresses;
	rig->options.read_code_at_once = at_once;
	rig_open(rig);
	rig_snapshot(rig);
	for (uint32_t pid = 50; pid < 52; pid++) {
		rig_receive(rig, fake_comm(pid, pid, 2 * S, "hot", true));
		rig_receive(rig, rig_mmap_self(pid, 2 * S));
	}
}

static void sample(struct rig *rig, uint32_t pid, uint64_t offset)
{
	rig_receive(rig, fake_sample(pid, pid, 0, 3 * S, rig_hot_address() + offset, 0));
}

static uint32_t hot_frame(const struct rig *rig)
{
	const struct snapshot *s = rig->snapshot;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (!strcmp(frame_symbol(s->frames, s->cells[i].frame), HOT))
			return s->cells[i].frame;
	}
	return FRAME_NONE;
}

static void look(struct rig *rig, uint32_t frame, bool hottest)
{
	const struct engine_look l = { .frame = frame, .hottest = hottest };

	engine_look(rig->engine, &l);
}

/* Samples of PID (0: all) at OFFSET behind the first one, in the newest snapshot. */
static double samples_at(const struct rig *rig, uint32_t pid, uint64_t offset)
{
	const struct snapshot_function *f = &rig->snapshot->function;
	uint64_t first = UINT64_MAX;
	double sum = 0;

	for (size_t i = 0; i < f->address_count; i++) {
		if (f->addresses[i].address < first)
			first = f->addresses[i].address;
	}
	for (size_t i = 0; i < f->address_count; i++) {
		const struct snapshot_address *a = &f->addresses[i];
		const struct snapshot_process *p = pid ? rig_row(rig, pid, 0) : NULL;

		if (a->address - first == offset && (!p || a->cell.process == p->serial))
			sum += a->cell.samples;
	}
	return sum;
}

UNIT_TEST(samples_are_told_by_address)
{
	struct rig rig;
	const struct snapshot *s;

	open_rig(&rig, true, true);
	sample(&rig, 50, 0);
	sample(&rig, 50, 1);
	sample(&rig, 50, 1);
	sample(&rig, 51, 1);
	s = rig_snapshot(&rig);
	assert_int_equal(s->function.frame, FRAME_NONE); /* nobody looks */
	assert_int_equal(s->function.address_count, 0);
	look(&rig, hot_frame(&rig), false);
	s = rig_snapshot(&rig);
	assert_string_equal(frame_symbol(s->frames, s->function.frame), HOT);
	assert_int_equal(s->function.address_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_in_range(s->function.addresses[i].address, s->function.start,
				s->function.end - 1);
	assert_true(samples_at(&rig, 0, 0) == 1);
	assert_true(samples_at(&rig, 0, 1) == 3);
	assert_true(samples_at(&rig, 50, 1) == 2);
	assert_true(samples_at(&rig, 51, 1) == 1);
	look(&rig, FRAME_NONE, false);
	s = rig_snapshot(&rig);
	assert_int_equal(s->function.address_count, 0);
	rig_fini(&rig);
}

/* In its only address; NULL: none are summed. */
static const double *counters_of_address(struct rig *rig)
{
	const struct snapshot_function *f = &rig_snapshot(rig)->function;

	assert_int_equal(f->address_count, 1);
	return f->addresses[0].cell.counters;
}

static void hot_with_totals(struct rig *rig, uint64_t time_ns, uint64_t cycles,
			    uint64_t instructions)
{
	const struct record r = fake_sample(50, 50, 0, time_ns, rig_hot_address(), 0);

	rig_receive(rig, rig_with_totals(r, cycles, instructions));
}

/* Counts up to a sample belong to its address, from the moment that a person looks. */
UNIT_TEST(counters_are_summed_while_one_looks)
{
	struct rig rig;
	const double *counters;

	rig_init(&rig, "cycles,instructions", TIER_CPU_GROUP);
	rig.options.mode = HISTOGRAM_CUMULATIVE;
	rig.options.addresses = rig.options.read_code_at_once = true;
	rig.options.symbol_counters = true;
	rig_open(&rig);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "hot", true));
	rig_receive(&rig, rig_mmap_self(50, 1 * S));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 0, 2 * S), 1000, 100));
	hot_with_totals(&rig, 3 * S, 1500, 300);
	rig_snapshot(&rig);
	look(&rig, hot_frame(&rig), false);
	hot_with_totals(&rig, 4 * S, 2500, 550);
	counters = counters_of_address(&rig);
	assert_non_null(counters);
	assert_true(counters[0] == 1000 && counters[1] == 250);
	assert_true(samples_at(&rig, 50, 0) == 2);
	look(&rig, FRAME_NONE, false);
	hot_with_totals(&rig, 5 * S, 3500, 900);
	look(&rig, hot_frame(&rig), false);
	counters = counters_of_address(&rig);
	assert_true(isnan(counters[0]) && isnan(counters[1])); /* nothing was summed meanwhile */
	rig_fini(&rig);
}

/* The two histograms forget together. */
UNIT_TEST(a_zero_forgets_addresses)
{
	struct rig rig;

	open_rig(&rig, true, true);
	sample(&rig, 50, 0);
	rig_snapshot(&rig);
	look(&rig, hot_frame(&rig), false);
	rig_snapshot(&rig);
	assert_true(samples_at(&rig, 0, 0) == 1);
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_true(samples_at(&rig, 0, 0) == 0);
	rig_fini(&rig);
}

static void sample_at(struct rig *rig, uint32_t pid, uint64_t offset, uint64_t time_ns)
{
	rig_receive(rig, fake_sample(pid, pid, 0, time_ns, rig_hot_address() + offset, 0));
}

/* A window has the addresses of its slices, also when now has none any more. */
UNIT_TEST(a_window_has_its_addresses)
{
	struct rig rig;
	uint32_t hot;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.addresses = rig.options.read_code_at_once = rig.options.past = true;
	rig_open(&rig);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "hot", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	sample_at(&rig, 50, 0, 2 * S);
	sample_at(&rig, 50, 1, 2 * S + 1);
	sample_at(&rig, 50, 1, 3 * S);
	sample_at(&rig, 50, 0, 5 * S);
	rig_snapshot(&rig);
	hot = hot_frame(&rig);
	assert_int_not_equal(hot, FRAME_NONE);
	engine_set_window(rig.engine, 2 * S, 4 * S);
	look(&rig, hot, false);
	rig_snapshot(&rig);
	assert_true(samples_at(&rig, 50, 0) == 1);
	assert_true(samples_at(&rig, 50, 1) == 2);
	engine_set_window(rig.engine, 3 * S, 4 * S);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->function.address_count, 1);
	assert_true(samples_at(&rig, 50, 0) == 1); /* the first that there is */
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->function.address_count, 0);
	rig_fini(&rig);
}

/*
 * A function that nobody looked at then is as it was, whatever came since; also in that snapshot.
 */
UNIT_TEST(a_moment_is_kept)
{
	struct rig rig;
	struct snapshot *then, *other;
	struct engine_look l = { 0 };

	open_rig(&rig, true, true);
	sample(&rig, 50, 0);
	sample(&rig, 51, 1);
	rig_snapshot(&rig);
	l.frame = hot_frame(&rig);
	then = rig.snapshot;
	rig.snapshot = NULL;
	assert_int_equal(then->function.frame, FRAME_NONE);
	engine_zero(rig.engine);
	sample(&rig, 50, 2);
	engine_look(rig.engine, &l);
	other = (struct snapshot *)rig_snapshot(&rig);
	assert_false(snapshot_take_function(then, other)); /* it is of its own time */
	l.held = then->addresses;
	engine_look(rig.engine, &l);
	other = (struct snapshot *)rig_snapshot(&rig);
	assert_true(samples_at(&rig, 50, 0) == 1);
	assert_true(samples_at(&rig, 51, 1) == 1);
	assert_int_equal(other->function.address_count, 2);
	assert_true(snapshot_take_function(then, other));
	assert_int_equal(then->function.frame, l.frame);
	assert_int_equal(then->function.address_count, 2);
	assert_int_equal(other->function.address_count, 0);
	snapshot_free(then); /* the engine has its own reference */
	rig_snapshot(&rig);
	assert_true(samples_at(&rig, 51, 1) == 1);
	l.held = NULL;
	engine_look(rig.engine, &l);
	assert_int_equal(rig_snapshot(&rig)->function.address_count, 1);
	assert_true(samples_at(&rig, 50, 0) == 1); /* the first that there is */
	rig_fini(&rig);
}

/* Without capstone it is said that there is none. */
UNIT_TEST(code_comes_when_it_was_read)
{
	struct pollfd fd = { .events = POLLIN };
	struct rig rig;
	const struct snapshot_function *f;

	open_rig(&rig, true, false);
	sample(&rig, 50, 0);
	look(&rig, FRAME_NONE, true);
	f = &rig_snapshot(&rig)->function;
	assert_string_equal(frame_symbol(rig.snapshot->frames, f->frame), HOT);
	assert_true(f->loading || f->code || *f->missing);
	fd.fd = engine_code_fd(rig.engine);
	assert_true(fd.fd >= 0);
	while (engine_waits_for_code(rig.engine) && !engine_take_code(rig.engine))
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	f = &rig_snapshot(&rig)->function;
	assert_false(f->loading);
	if (f->code) {
		assert_int_equal(f->code->start, f->start);
		assert_int_equal(f->code->instructions[0].address, f->start);
		assert_true(f->code->size == f->end - f->start);
	} else {
		assert_non_null(strstr(f->missing, "capstone"));
	}
	rig_fini(&rig);
}

UNIT_TEST(nothing_is_kept_unless_asked_for)
{
	struct rig rig;

	open_rig(&rig, false, true);
	sample(&rig, 50, 0);
	look(&rig, FRAME_NONE, true);
	assert_int_equal(rig_snapshot(&rig)->function.frame, FRAME_NONE);
	assert_false(engine_waits_for_code(rig.engine));
	assert_int_equal(engine_code_fd(rig.engine), -1);
	rig_fini(&rig);
}

/* Memory stays bounded, and what is merged is nobody's. */
UNIT_TEST(addresses_are_bounded)
{
	struct rig rig;

	open_rig(&rig, true, true);
	for (uint64_t i = 0; i < 200000; i++)
		sample(&rig, 50, i * 4096);
	assert_in_range(histogram_count(watch_addresses(rig.engine->watch)), 1, 65536);
	rig_snapshot(&rig);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_told_by_address),
		cmocka_unit_test(counters_are_summed_while_one_looks),
		cmocka_unit_test(a_zero_forgets_addresses),
		cmocka_unit_test(a_window_has_its_addresses),
		cmocka_unit_test(a_moment_is_kept),
		cmocka_unit_test(code_comes_when_it_was_read),
		cmocka_unit_test(nothing_is_kept_unless_asked_for),
		cmocka_unit_test(addresses_are_bounded),
	};

	return unit_run(tests);
}
