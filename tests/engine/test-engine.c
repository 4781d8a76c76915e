/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "engine/engine-state.h"
#include "engine/rig.h"
#include "perf/event/event.h"
#include "proc/tree.h"

#define HOT "rig_hot_function"
#define S NS_PER_S

/* All events of the table, as -e has them; with ALIASES called e1, e2, ... */
static void events_text(struct buf *text, bool aliases)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		buf_printf(text, "%s%s", text->size ? "," : "", event_at(id)->name);
		if (aliases)
			buf_printf(text, "/name=e%d/", (int)id);
		buf_add_str(text, id == EVENT_PAGE_FAULTS ? ":u" : "");
	}
}

static void check_identities(const struct snapshot *s, bool aliases)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		const struct snapshot_event *e = &s->events[id - 1];

		assert_int_equal(e->id, id);
		assert_int_equal(s->counter_event[id], id - 1);
		assert_string_equal(e->canonical, event_at(id)->name);
		assert_int_equal(!strncmp(e->name, event_at(id)->name, strlen(event_at(id)->name)),
				 !aliases);
		assert_int_equal(e->exclude_kernel, id == EVENT_PAGE_FAULTS);
		assert_int_equal(e->time, id >= EVENT_OFF_CPU && id <= EVENT_SYSCALLS);
	}
	assert_int_equal(s->counter_event[EVENT_OTHER], -1);
	assert_int_equal(s->events[EVENT_IDS - 1].id, EVENT_OTHER);
}

/* The last one is called as another event is. */
UNIT_TEST(an_event_is_what_it_is_whatever_its_name)
{
	for (int aliases = 0; aliases < 2; aliases++) {
		struct buf text = { 0 };
		struct rig rig;

		events_text(&text, aliases);
		buf_add_str(&text, ",LLC-loads/name=cycles/");
		rig_init(&rig, text.bytes, TIER_CPU_GROUP);
		rig_open(&rig);
		check_identities(rig_snapshot(&rig), aliases);
		rig_fini(&rig);
		buf_fini(&text);
	}
}

UNIT_TEST(a_hot_address_is_found_in_the_cache)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "hot", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (int i = 0; i < 100; i++)
		rig_receive(&rig, rig_hot_sample(50, 0, 3 * S));
	assert_int_equal(engine_statistics(rig.engine).resolver.misses, 1);
	assert_int_equal(engine_statistics(rig.engine).resolver.hits, 99);
	rig_fini(&rig);
}

UNIT_TEST(a_sample_without_a_time_is_of_now)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_DECAY, 1);
	rig_receive(&rig, fake_comm(50, 50, 100 * S, "timeless", true));
	rig_receive(&rig, rig_mmap_self(50, 100 * S));
	rig_receive(&rig, rig_hot_sample(50, 0, 0));
	rig_snapshot(&rig);
	assert_true(fabs(rig_samples(&rig, 50, HOT) - 0.5) < 1e-9);
	rig_fini(&rig);
}

UNIT_TEST(odd_samples_are_counted_as_what_they_are)
{
	struct engine_stats stats;
	struct record r;
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_sample(0, 0, 0, 2 * S, 0x1000, 0));    /* idle */
	rig_receive(&rig, fake_sample(50, 50, 0, 2 * S, 0x1000, -1)); /* no event of ours */
	rig_receive(&rig, fake_sample(50, 50, 0, 2 * S, 0x1000, 2));
	rig_receive(&rig, fake_switch(50, 50, 0, 2 * S));
	rig_receive(&rig, fake_sample(UINT32_MAX, UINT32_MAX, 0, 2 * S, 0x1000, 0));
	r = fake_sample(50, 50, 0, 2 * S, 0x1000, 0);
	r.cpumode = CPUMODE_GUEST_USER;
	rig_receive(&rig, r);
	r.cpumode = CPUMODE_KERNEL;
	rig_receive(&rig, r);
	r.type = 77;
	rig_receive(&rig, r);
	r.type = RECORD_AUX;
	rig_receive(&rig, r);
	stats = engine_statistics(rig.engine);
	assert_int_equal(stats.records, 9);
	assert_int_equal(stats.idle, 1);
	assert_int_equal(stats.eventless, 2);
	assert_int_equal(stats.counts_only, 1);
	assert_int_equal(stats.exiting, 1);
	assert_int_equal(stats.samples, 2);
	assert_int_equal(stats.ignored, 2);
	assert_int_equal(stats.resolver.guests, 1);
	rig_snapshot(&rig);
	assert_null(rig_row(&rig, 0, 0));
	assert_null(rig_row(&rig, UINT32_MAX, 0));
	assert_int_equal(rig.snapshot->sampling.samples, 2);
	assert_int_equal(rig.snapshot->sampling.losses[LOSS_EVENTS], 2);
	assert_int_equal(rig.snapshot->sampling.losses[LOSS_TASKS], 0);
	rig_receive(&rig, fake_sample(50, 0, 0, 3 * S, 0x1000, 0)); /* of no thread */
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->sampling.losses[LOSS_EVENTS], 0);
	assert_int_equal(rig.snapshot->sampling.losses[LOSS_TASKS], 1);
	rig_fini(&rig);
}

UNIT_TEST(hostile_mappings_do_no_harm)
{
	struct record r = fake_mmap(50, 2 * S, UINT64_MAX - 10, 100, "/wraps");
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, r);
	r = fake_mmap(50, 2 * S, 0, UINT64_MAX, "");
	r.mmap.pgoff = UINT64_MAX;
	r.mmap.build_id.size = 255;
	rig_receive(&rig, r);
	rig_receive(&rig, fake_mmap(UINT32_MAX, 2 * S, 0, 100, "/dead"));
	rig_receive(&rig, fake_mmap(0, 2 * S, 0, 100, "/idle"));
	rig_receive(&rig, fake_sample(50, 50, UINT32_MAX, 3 * S, 0x1000, 0));
	rig_receive(&rig, fake_sample(50, 51, 65536, 3 * S, UINT64_MAX - 5, 0));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 2);
	rig_fini(&rig);
}

UNIT_TEST(what_is_gone_leaves_no_memory_behind)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	for (uint32_t i = 100; i < 1100; i++) {
		rig_receive(&rig, fake_fork(i, i, 1, rig.now_ns));
		rig_receive(&rig, rig_with_totals(rig_hot_sample(i, 0, rig.now_ns), i, i));
		rig_receive(&rig, fake_exit(i, i, rig.now_ns));
		if (i % 100 == 0)
			rig_snapshot(&rig);
	}
	for (int i = 0; i < 4; i++)
		rig_snapshot(&rig);
	assert_int_equal(rig.engine->past.count, 1000); /* each has a cell */
	assert_int_equal(counters_slots(rig.engine->counters), 1);
	assert_int_equal(rig.engine->departed[0].count + rig.engine->departed[1].count, 0);
	assert_int_equal(rig.snapshot->cell_count, 1000);
	assert_int_equal(rig.snapshot->cells[500].pid, 600);
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_int_equal(rig.engine->past.count, 0);
	rig_fini(&rig);
}

UNIT_TEST(a_recording_shows_what_it_says_and_no_more)
{
	const struct snapshot *s;
	struct rig rig;

	rig_start(&rig, TIER_FILE);
	rig_receive(&rig, fake_comm(50, 50, 0, "recorded", true));
	rig_receive(&rig, rig_mmap_self(50, 0));
	rig_receive(&rig, rig_hot_sample(50, 0, 5));
	rig_receive(&rig, fake_fork(51, 51, 50, 10));
	rig_receive(&rig, rig_hot_sample(51, 0, 3 * S + 5));
	rig_receive(&rig, fake_exit(51, 51, 3 * S + 5));
	s = rig_snapshot(&rig);
	assert_true(s->interval_s == 3);
	assert_string_equal(s->sampling.tier, "file");
	assert_int_equal(s->process_count, 2);
	assert_true(rig_samples(&rig, 51, HOT) == 1);
	assert_true(isnan(rig_row(&rig, 50, 0)->cpu_percent));
	assert_int_equal(rig_row(&rig, 50, 0)->resident_bytes, -1);
	assert_int_equal(rig_row(&rig, 50, 0)->state, '-');
	assert_int_equal(s->host.tasks, -1);
	rig_fini(&rig);
}

UNIT_TEST(a_recording_is_shown_again_as_it_was)
{
	const struct snapshot *s;
	struct rig rig;

	rig_start(&rig, TIER_FILE);
	rig_receive(&rig, fake_comm(50, 50, 0, "recorded", true));
	rig_receive(&rig, rig_mmap_self(50, 0));
	rig_receive(&rig, rig_hot_sample(50, 0, 5));
	rig_receive(&rig, fake_sample(0, 0, 1, 6, 0, 0));
	rig_receive(&rig, fake_exit(50, 50, 7));
	rig_snapshot(&rig);
	engine_set_threads(rig.engine, true);
	s = rig_snapshot(&rig);
	assert_int_equal(s->iteration, 2);
	assert_int_equal(s->sampling.samples, 2);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	assert_true(rig_row(&rig, 50, 50)->counters[0] == 1);
	assert_string_equal(rig_row(&rig, 0, 0)->comm, "swapper");
	rig_fini(&rig);
}

UNIT_TEST(idle_time_and_what_is_nobodys_are_told)
{
	const struct snapshot_event *e;
	struct record missed;
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 1000, 10));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 2 * S), 1700, 11));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 3 * S), 1710, 20));
	rig_receive(&rig, fake_lost(0, 3 * S, 1));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 4 * S), 1715, 20));
	rig_receive(&rig, rig_with_totals(fake_switch(UINT32_MAX, UINT32_MAX, 0, 5 * S), 1718, 24));
	rig_snapshot(&rig);
	e = rig.snapshot->events;
	assert_true(e[0].value == 718 && e[0].idle == 700 && e[0].unattributed == 8);
	assert_true(e[1].value == 14 && e[1].idle == 1 && e[1].unattributed == 4);
	rig_fini(&rig);

	/* Values that the source knows to be nobody's, in the midst of somebody's. */
	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 1000, 10));
	missed = rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1030, 10);
	missed.unattributed = true;
	missed.sample.read.count = 1;
	missed.sample.read.enabled_ns = missed.sample.read.running_ns = 1 * S;
	rig_receive(&rig, missed);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1031, 15));
	rig_snapshot(&rig);
	e = rig.snapshot->events;
	assert_true(e[0].value == 31 && e[0].unattributed == 30);
	assert_true(e[1].value == 5 && e[1].unattributed == 0);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1);
	rig_fini(&rig);

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.target.mode = TARGET_USER;
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 1000, 10));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 2 * S), 1700, 11));
	rig_snapshot(&rig);
	assert_true(isnan(rig.snapshot->events[0].idle));
	assert_true(isnan(rig.snapshot->events[0].unattributed));
	rig_fini(&rig);
}

/* Each look at the clock takes long, so a round of /proc does. */
static uint64_t slow_now(void *context)
{
	struct rig *rig = context;

	return rig->now_ns += REFRESH_PIECE_NS;
}

struct meanwhile {
	struct rig *rig;
	unsigned calls, ends;
};

static void drain_meanwhile(void *context, bool end)
{
	struct meanwhile *m = context;

	m->calls++;
	m->ends += end;
	if (m->calls == 1) {
		rig_receive(m->rig, fake_sample(70, 70, 0, m->rig->now_ns, 0, 0));
		rig_receive(m->rig, fake_lost(0, m->rig->now_ns, 3));
	}
	if (m->calls == 2) { /* its files have been looked for before */
		uint64_t now_ns = m->rig->now_ns;

		rig_receive(m->rig, rig_with_totals(fake_switch(100, 100, 0, now_ns), 1000, 1000));
		rig_receive(m->rig,
			    rig_with_totals(fake_switch(100, 100, 0, now_ns + 9), 3000, 3000));
	}
	engine_drained(m->rig->engine, m->rig->now_ns);
}

static const struct snapshot *slow_snapshot(struct rig *rig, struct meanwhile *m)
{
	const struct engine_request request = { .source = rig->source,
						.drain = m ? drain_meanwhile : NULL,
						.context = m };

	snapshot_free(rig->snapshot);
	rig->snapshot = engine_snapshot(rig->engine, &request);
	rig_check(rig);
	return rig->snapshot;
}

/* What they tell is of this interval, and what was lost meanwhile puts the next one in doubt. */
UNIT_TEST(records_are_taken_in_a_long_round_of_proc)
{
	struct meanwhile m = { 0 };
	const struct snapshot *s;
	struct tree tree;
	struct rig rig;

	tree_init(&tree);
	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.clock = (struct clock){ slow_now, slow_now, &rig };
	rig.options.proc_root = tree.root;
	rig_open(&rig);
	m.rig = &rig;
	for (uint32_t pid = 100; pid < 140; pid++)
		rig_receive(&rig, fake_sample(pid, pid, 0, rig.now_ns, 0, 0));
	slow_snapshot(&rig, NULL);
	tree_task(&tree, &(struct tree_task){ .pid = 90 });
	s = slow_snapshot(&rig, &m);
	assert_true(m.calls > 2);
	assert_int_equal(m.ends, 1);
	assert_int_equal(s->sampling.samples, 1);
	assert_int_equal(s->sampling.lost, 3);
	assert_non_null(rig_row(&rig, 70, 0));
	assert_true(rig_row(&rig, 100, 0)->counters[1] == 2000);
	assert_null(rig_row(&rig, 90, 0));
	slow_snapshot(&rig, NULL);
	assert_non_null(rig_row(&rig, 90, 0));
	rig_fini(&rig);
	tree_fini(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_taken_in_a_long_round_of_proc),
		cmocka_unit_test(an_event_is_what_it_is_whatever_its_name),
		cmocka_unit_test(a_hot_address_is_found_in_the_cache),
		cmocka_unit_test(a_sample_without_a_time_is_of_now),
		cmocka_unit_test(odd_samples_are_counted_as_what_they_are),
		cmocka_unit_test(hostile_mappings_do_no_harm),
		cmocka_unit_test(what_is_gone_leaves_no_memory_behind),
		cmocka_unit_test(idle_time_and_what_is_nobodys_are_told),
		cmocka_unit_test(a_recording_shows_what_it_says_and_no_more),
		cmocka_unit_test(a_recording_is_shown_again_as_it_was),
	};

	engine_free(NULL);
	return unit_run(tests);
}
