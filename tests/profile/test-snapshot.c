/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "profile/sample-snapshot.h"

UNIT_TEST(a_new_one_knows_nothing)
{
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 2);
	sample_event(&s->events[0], "cycles:u");
	sample_event(&s->events[1], "page-faults");
	snapshot_alloc_processes(s, 3);
	snapshot_link_counters(s);
	assert_int_equal(s->counter_event[EVENT_CYCLES], 0);
	assert_int_equal(s->counter_event[EVENT_PAGE_FAULTS], 1);
	assert_int_equal(s->counter_event[EVENT_INSTRUCTIONS], -1);
	assert_true(isnan(s->host.cpu_percent) && isnan(s->sampling.own_cpu_percent));
	assert_true(isnan(s->processes[2].cpu_percent));
	assert_int_equal(s->processes[2].minor_faults, -1);
	assert_true(isnan(snapshot_counter(s, &s->processes[2], EVENT_CYCLES)));
	assert_ptr_equal(s->processes[0].counters, s->processes[2].counters);
	snapshot_values(s, 2)[1] = 12;
	assert_ptr_equal(snapshot_values(s, 2), s->processes[2].counters);
	assert_true(snapshot_counter(s, &s->processes[2], EVENT_PAGE_FAULTS) == 12);
	assert_true(isnan(snapshot_counter(s, &s->processes[1], EVENT_PAGE_FAULTS)));
	assert_true(isnan(snapshot_counter(s, &s->processes[2], EVENT_INSTRUCTIONS)));
	snapshot_free(s);
	snapshot_free(NULL);
}

/* Ticks credit who runs with what others did; the kernel's own count of a process does not. */
UNIT_TEST(told_counts_are_no_estimates)
{
	static const enum event_id ids[] = { EVENT_PAGE_FAULTS, EVENT_MINOR_FAULTS,
					     EVENT_MAJOR_FAULTS, EVENT_CONTEXT_SWITCHES };
	static const char *const names[] = { "page-faults", "minor-faults", "major-faults",
					     "context-switches" };
	static const double told[] = { 7, 4, 3, 11 };
	struct snapshot *s = snapshot_new();
	struct snapshot_process *p;

	snapshot_alloc_events(s, 4);
	snapshot_alloc_processes(s, 1);
	p = &s->processes[0];
	for (size_t i = 0; i < 4; i++) {
		sample_event(&s->events[i], names[i]);
		snapshot_values(s, 0)[i] = 1000;
	}
	snapshot_link_counters(s);
	for (int round = 0; round < 4; round++) {
		s->sampling.sampled_counters =
			round > 0; /* exact; of one that ended; told; of user code alone */
		p->minor_faults = round > 1 ? 4 : -1;
		p->major_faults = round > 1 ? 3 : -1;
		p->voluntary_switches = round > 1 ? 9 : -1;
		p->involuntary_switches = round > 1 ? 2 : -1;
		for (size_t i = 0; i < 4; i++) {
			s->events[i].exclude_kernel = round > 2;
			assert_true(snapshot_counter(s, p, ids[i]) ==
				    (round == 2 ? told[i] : 1000));
		}
	}
	for (size_t i = 0; i < 4; i++) {
		s->events[i].exclude_kernel = false;
		snapshot_values(s, 0)[i] = NAN;
		assert_true(isnan(snapshot_counter(s, p, ids[i])));
	}
	snapshot_free(s);
}

/* Through several blocks of rows. */
UNIT_TEST(values_do_not_move)
{
	enum { MANY = 1000 };
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 3);
	snapshot_alloc_processes(s, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_true(isnan(snapshot_values(s, i)[2]));
		snapshot_values(s, i)[0] = snapshot_values(s, i)[2] = (double)i;
	}
	for (size_t i = 0; i < MANY; i++) {
		assert_true(s->processes[i].counters[0] == (double)i);
		assert_true(isnan(s->processes[i].counters[1]));
		assert_true(s->processes[i].counters[2] == (double)i);
	}
	snapshot_free(s);
}

UNIT_TEST(groups_share_what_is_unknown)
{
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 2);
	snapshot_alloc_groups(s, 3);
	assert_int_equal(s->groups[2].parent, 2);
	assert_ptr_equal(s->groups[0].counters, s->groups[2].counters);
	assert_true(isnan(s->groups[2].counters[1]));
	assert_int_equal(s->groups[1].facts->memory_bytes, -1);
	snapshot_group_values(s, 1)[1] = 5;
	snapshot_group_facts(s, 1)->pids = 7;
	snapshot_group_facts(s, 2)->pids = 8;
	assert_true(s->groups[1].counters[1] == 5 && isnan(s->groups[1].counters[0]));
	assert_true(isnan(s->groups[0].counters[1]));
	assert_int_equal(s->groups[1].facts->pids, 7);
	assert_int_equal(s->groups[0].facts->pids, -1);
	assert_ptr_equal(snapshot_group_facts(s, 2), s->groups[2].facts);
	assert_int_equal(s->group_fact_count, 2);
	snapshot_free(s);
}

UNIT_TEST(a_counter_is_not_found_by_a_longer_name)
{
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 1);
	sample_event(&s->events[0], "branches-of-another-kind");
	snapshot_link_counters(s);
	assert_int_equal(s->counter_event[EVENT_BRANCHES], -1);
	snapshot_free(s);
}

static void check_sample(struct snapshot *s)
{
	double samples = 0, by_process = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		assert_true(s->cells[i].frame < frame_table_count(s->frames));
		if (s->cells[i].event == 0)
			samples += s->cells[i].samples;
	}
	for (size_t i = 0; i < s->process_count; i++)
		by_process += s->processes[i].tid ? 0 : s->processes[i].samples;
	assert_true(samples == 2000 && by_process == 2000);
	assert_int_equal(s->sampling.samples, 2000);
}

UNIT_TEST(the_sample_adds_up)
{
	struct snapshot *s = sample_snapshot(true), *threads = sample_snapshot_threads(false);

	check_sample(s);
	check_sample(threads);
	assert_int_equal(s->process_count, 12);
	assert_int_equal(threads->process_count, 17);
	assert_true(snapshot_counter(s, &s->processes[0], EVENT_CYCLES) > 0);
	assert_true(isnan(snapshot_counter(threads, &threads->processes[0], EVENT_CYCLES)));
	assert_ptr_equal(s->frames, threads->frames);
	snapshot_free(s);
	snapshot_free(threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_one_knows_nothing),
		cmocka_unit_test(told_counts_are_no_estimates),
		cmocka_unit_test(values_do_not_move),
		cmocka_unit_test(groups_share_what_is_unknown),
		cmocka_unit_test(a_counter_is_not_found_by_a_longer_name),
		cmocka_unit_test(the_sample_adds_up),
	};

	return unit_run(tests);
}
