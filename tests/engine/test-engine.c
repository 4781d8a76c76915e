/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/rig.h"
#include "engine/engine-state.h"
#include "perf/event/event.h"
#include "symbol/kernel.h"

#define HOT "rig_hot_function"
#define S NS_PER_S

static void open_rig(struct rig *rig, enum source_tier tier)
{
	rig_init(rig, "cpu-clock,page-faults", tier);
	rig_open(rig);
}

static struct record hot(uint32_t pid, uint32_t cpu, uint64_t time_ns)
{
	return fake_sample(pid, pid, cpu, time_ns, rig_hot_address(), 0);
}

static double event_value(const struct rig *rig, size_t event)
{
	return rig->snapshot->events[event].value;
}

/* Sampling, symbols. */

UNIT_TEST(a_short_program_has_its_symbols)
{
	struct rig rig;
	const struct snapshot *s;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_fork(50, 50, 1, 2 * S));
	rig_receive(&rig, fake_comm(50, 50, 2 * S + 1, "short", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S + 2));
	rig_receive(&rig, hot(50, 0, 2 * S + 3));
	rig_receive(&rig, hot(50, 1, 2 * S + 4));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 5));
	s = rig_snapshot(&rig);
	assert_non_null(rig_row(&rig, 50, 0));
	assert_string_equal(rig_row(&rig, 50, 0)->comm, "short");
	assert_true(rig_row(&rig, 50, 0)->exited);
	assert_int_equal(rig_row(&rig, 50, 0)->state, 'X');
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 2);
	assert_true(rig_samples(&rig, 50, HOT) == 2);
	assert_true(s->sampling.unresolved_percent == 0);
	assert_int_equal(s->sampling.samples, 2);

	s = rig_snapshot(&rig); /* its row was shown; its samples stay, with its name */
	assert_null(rig_row(&rig, 50, 0));
	assert_true(rig_samples(&rig, 50, HOT) == 2);
	assert_string_equal(s->cells[0].comm, "short");
	assert_int_equal(s->sampling.samples, 0);
	assert_int_equal(s->sampling.total_samples, 2);
	rig_fini(&rig);
}

UNIT_TEST(unresolved_samples_are_one_row_of_their_object)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "strange", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x1000, "/nowhere/lib.so"));
	for (uint64_t i = 0; i < 100; i++) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S + i, 0x10000 + i, 0));
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S + i, 0x90000 + i, 0));
	}
	rig_receive(&rig, rig_mmap_self(50, 3 * S));
	for (uint64_t i = 0; i < 50; i++)
		rig_receive(&rig, hot(50, 0, 4 * S + i));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 200);
	assert_int_equal(rig.snapshot->cell_count, 3);
	assert_true(rig.snapshot->sampling.unresolved_percent == 80);
	assert_int_equal(engine_statistics(rig.engine).resolver.unmapped, 100);
	rig_fini(&rig);
}

UNIT_TEST(samples_that_came_too_early_are_named_later)
{
	struct rig rig;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "early", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (uint64_t i = 0; i < 10; i++)
		rig_receive(&rig, hot(50, 0, 2 * S + i));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 20));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) + rig_samples(&rig, 50, "[loading]") == 10);
	assert_true(rig.snapshot->sampling.unresolved_percent == 0);
	while (rig_samples(&rig, 50, HOT) < 10 && turns++ < 2000) {
		poll(NULL, 0, 10);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, HOT) == 10);
	assert_true(rig_samples(&rig, 50, "[loading]") == 0);
	rig_fini(&rig);
}

/* Rows of tasks that did not run share their values: zeros, not what another row has. */
UNIT_TEST(who_did_not_run_counted_nothing)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	for (uint32_t pid = 50; pid < 54; pid++)
		rig_receive(&rig, fake_comm(pid, pid, 1 * S, "some", false));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 1 * S), 0, 0));
	rig_snapshot(&rig);
	rig_receive(&rig, rig_with_totals(hot(51, 0, 3 * S), 100, 7));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 51, 0)->counters[1] == 7);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 0);
	assert_ptr_equal(rig_row(&rig, 50, 0)->counters, rig_row(&rig, 52, 0)->counters);
	rig_snapshot(&rig);
	assert_true(isnan(rig_row(&rig, 51, 0)->counters[1])); /* nothing was counted at all */
	rig_fini(&rig);
}

/* What is merged for room is of a process and of none of its threads, whose rows add nothing to it. */
UNIT_TEST(merged_cells_count_once)
{
	enum { THREADS = 3 * HISTOGRAM_CELLS_MIN };
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.threads = true;
	rig.options.cell_limit = HISTOGRAM_CELLS_MIN;
	rig_open(&rig);
	for (uint32_t i = 0; i < THREADS; i++)
		rig_receive(&rig, fake_sample(50, 50 + i, 0, 3 * S + i, 0x10000, 0));
	rig_snapshot(&rig);
	assert_true(rig.snapshot->sampling.merged_cells > 0);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, THREADS);
	rig_fini(&rig);
}

static double samples_so_far(const struct rig *rig, uint32_t pid, const char *symbol)
{
	return rig->snapshot ? rig_samples(rig, pid, symbol) : 0;
}

static char *write_map(const struct rig *rig, const char *mode, const char *text)
{
	char *path = mem_printf("%s/50/root/tmp/perf-50.map", rig->proc_root);
	FILE *file;

	for (char *p = path + strlen(rig->proc_root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, mode);
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void remove_map(const struct rig *rig, char *path)
{
	unlink(path);
	for (char *slash; strlen(path) > strlen(rig->proc_root);) {
		slash = strrchr(path, '/');
		*slash = '\0';
		rmdir(path);
	}
	free(path);
}

UNIT_TEST(code_that_is_made_later_is_named_later)
{
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	free(write_map(&rig, "w", "10000 100 early_code\n"));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "jit", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x10000, "//anon"));
	while (samples_so_far(&rig, 50, "early_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10010, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "early_code") >= 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 0);
	path = write_map(&rig, "a", "10100 100 late_code\n");
	while (rig_samples(&rig, 50, "late_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10110, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "late_code") >= 1);
	remove_map(&rig, path);
	rig_fini(&rig);
}

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
		assert_int_equal(e->time, id >= EVENT_OFF_CPU);
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

UNIT_TEST(code_that_gets_no_name_is_given_up)
{
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	free(write_map(&rig, "w", "10000 100 early_code\n"));
	rig_snapshot(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "jit", true));
	rig_receive(&rig, fake_mmap(50, 2 * S, 0x10000, 0x10000, "//anon"));
	rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10010, 0));
	while (samples_so_far(&rig, 50, "early_code") < 1 && turns++ < 2000) {
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10110, 0));
	for (int i = 0; i < 6; i++)
		rig_snapshot(&rig);
	path = write_map(&rig, "a", "10100 100 late_code\n");
	while (rig_samples(&rig, 50, "late_code") < 1 && turns++ < 2000) {
		rig_receive(&rig, fake_sample(50, 50, 0, 3 * S, 0x10120, 0));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	assert_true(rig_samples(&rig, 50, "late_code") >= 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") >= 1);
	remove_map(&rig, path);
	rig_fini(&rig);
}

static void copy_file(const char *from, const char *to)
{
	char *command = mem_printf("cp '%s' '%s'", from, to);

	assert_int_equal(system(command), 0);
	free(command);
}

/* A file out of reach that another process can reach: names come to the first one as well. */
UNIT_TEST(what_fails_once_may_be_loaded_later)
{
	struct record self = rig_mmap_self(50, 2 * S);
	struct rig rig;
	char *path;
	int turns = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig_open(&rig);
	rig_snapshot(&rig);
	path = mem_printf("%s/copy", rig.proc_root);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	self.mmap.path = path;
	for (rig_receive(&rig, self); samples_so_far(&rig, 50, "[unknown]") < 2; turns++) {
		assert_true(turns < 2000);
		rig_receive(&rig, hot(50, 0, 3 * S));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	copy_file(rig_mmap_self(50, 0).mmap.path, path);
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "second", true));
	self.mmap.pid = self.mmap.tid = 60;
	for (rig_receive(&rig, self); rig_samples(&rig, 50, HOT) < 1; turns++) {
		assert_true(turns < 2000);
		rig_receive(&rig, hot(60, 0, 3 * S));
		rig_receive(&rig, hot(50, 0, 3 * S));
		poll(NULL, 0, 5);
		rig_snapshot(&rig);
	}
	unlink(path);
	free(path);
	rig_fini(&rig);
}

UNIT_TEST(each_process_has_its_own_addresses)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "one", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "two", true));
	rig_receive(&rig, fake_mmap(60, 2 * S, rig_hot_address() & ~4095ull, 4096, "/nowhere"));
	for (int i = 0; i < 3; i++) {
		rig_receive(&rig, hot(50, 0, 3 * S));
		rig_receive(&rig, hot(60, 0, 3 * S));
	}
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 3);
	assert_true(rig_samples(&rig, 60, "[unknown]") == 3);
	rig_fini(&rig);
}

UNIT_TEST(a_hot_address_is_found_in_the_cache)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "hot", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (int i = 0; i < 100; i++)
		rig_receive(&rig, hot(50, 0, 3 * S));
	assert_int_equal(engine_statistics(rig.engine).resolver.misses, 1);
	assert_int_equal(engine_statistics(rig.engine).resolver.hits, 99);
	rig_fini(&rig);
}

UNIT_TEST(a_sample_without_a_time_is_of_now)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_DECAY, 1);
	rig_receive(&rig, fake_comm(50, 50, 100 * S, "timeless", true));
	rig_receive(&rig, rig_mmap_self(50, 100 * S));
	rig_receive(&rig, hot(50, 0, 0));
	rig_snapshot(&rig);
	assert_true(fabs(rig_samples(&rig, 50, HOT) - 0.5) < 1e-9);
	rig_fini(&rig);
}

UNIT_TEST(zero_mode_shows_the_interval_only)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_ZERO, 0);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "zero", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, hot(50, 0, 3 * S));
	rig_snapshot(&rig);
	rig_receive(&rig, hot(50, 0, rig.now_ns));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 0);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 0);
	rig_fini(&rig);
}

UNIT_TEST(a_sum_begins_with_the_first_interval)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "sum", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, hot(50, 0, 3 * S));
	rig_snapshot(&rig);
	assert_true(rig.snapshot->interval_s == 0);
	for (int i = 1; i < 4; i++) {
		rig_receive(&rig, hot(50, 0, rig.now_ns));
		rig_snapshot(&rig);
		assert_true(rig_samples(&rig, 50, HOT) == i);
		assert_int_equal(rig.snapshot->sampling.samples, 1);
		assert_true(rig.snapshot->interval_s == 1);
	}
	rig_fini(&rig);
}

UNIT_TEST(decay_halves_what_is_old)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	engine_set_mode(rig.engine, HISTOGRAM_DECAY, 2);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "old", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	for (int i = 0; i < 8; i++)
		rig_receive(&rig, hot(50, 0, 3 * S));
	rig_snapshot(&rig); /* at 4 s */
	rig_snapshot(&rig); /* at 5 s */
	assert_true(fabs(rig_samples(&rig, 50, HOT) - 4) < 1e-9);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 4);
	engine_zero(rig.engine);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 0, HOT) == 0);
	rig_fini(&rig);
}

UNIT_TEST(a_new_program_forgets_the_old_one_s_addresses)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, hot(50, 0, 3 * S));
	rig_receive(&rig, fake_comm(50, 50, 4 * S, "second", true));
	rig_receive(&rig, hot(50, 0, 5 * S));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 50, HOT) == 1);
	assert_true(rig_samples(&rig, 50, "[unknown]") == 1);
	rig_fini(&rig);
}

UNIT_TEST(a_fork_inherits_the_addresses)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "parent", true));
	rig_receive(&rig, rig_mmap_self(50, 2 * S));
	rig_receive(&rig, fake_fork(51, 51, 50, 3 * S));
	rig_receive(&rig, hot(51, 0, 4 * S));
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 51, HOT) == 1);
	assert_string_equal(rig_row(&rig, 51, 0)->comm, "parent");
	rig_fini(&rig);
}

UNIT_TEST(odd_samples_are_counted_as_what_they_are)
{
	struct engine_stats stats;
	struct record r;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
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
	rig_fini(&rig);
}

UNIT_TEST(hostile_mappings_do_no_harm)
{
	struct record r = fake_mmap(50, 2 * S, UINT64_MAX - 10, 100, "/wraps");
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
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

/* Counters. */

UNIT_TEST(counts_go_to_the_task_that_ran)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 1000, 10));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1500, 17));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 61, 0, 3 * S), 1600, 20));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 0, 4 * S), 1601, 20));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 5 * S), 1700, 21));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 500);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 7);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 101);
	assert_true(rig_row(&rig, 60, 0)->counters[1] == 3);
	assert_true(event_value(&rig, 0) == 700); /* idle time too */
	assert_true(event_value(&rig, 1) == 11);
	assert_true(rig.snapshot->events[0].running_percent == 100);

	rig_snapshot(&rig); /* nothing happened: nothing was measured */
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(event_value(&rig, 0)));
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, rig.now_ns), 1800, 22));
	rig_snapshot(&rig); /* the CPU was counted, 50 did not run: a true zero */
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 0);
	rig_fini(&rig);
}

static double all_rows(const struct rig *rig, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < rig->snapshot->process_count; i++)
		sum += rig->snapshot->processes[i].counters[event];
	return sum;
}

UNIT_TEST(after_a_gap_the_counts_are_nobody_s)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 1000, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 1, 1 * S), 1000, 0));
	rig_receive(&rig, fake_lost(0, 2 * S, 99));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 3 * S), 5000, 4));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 4 * S), 5001, 4));
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 1, 4 * S), 1010, 0));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 10);
	assert_true(event_value(&rig, 0) == 4011);
	assert_true(all_rows(&rig, 0) == 11);
	assert_int_equal(rig.snapshot->sampling.lost, 99);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->sampling.lost, 0);
	assert_int_equal(rig.snapshot->sampling.total_lost, 99);
	rig_fini(&rig);
}

static struct record nameless_switch(uint64_t time_ns)
{
	return fake_switch(UINT32_MAX, UINT32_MAX, 0, time_ns);
}

UNIT_TEST(a_task_that_exits_keeps_its_last_counts)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 1000, 0));
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "ends", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 2 * S, 0x1, 0), 1100, 0));
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S + 1), 1110, 0));
	/* Its last switch: the number is taken from it already. */
	rig_receive(&rig, rig_with_totals(nameless_switch(2 * S + 2), 1115, 0));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 115);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(event_value(&rig, 0) == 115);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	rig_receive(&rig, rig_with_totals(nameless_switch(rig.now_ns), 1120, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_true(event_value(&rig, 0) == 5);
	rig_fini(&rig);
}

/* The switches of a task in its last steps come after its EXIT, and maybe after a snapshot. */
UNIT_TEST(a_task_that_is_gone_does_not_come_back)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "gone", true));
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, fake_exit(51, 51, 2 * S)); /* never seen before */
	rig_receive(&rig, rig_with_totals(fake_switch(51, 51, 0, 2 * S), 3, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, rig.now_ns), 7, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_true(event_value(&rig, 0) == 4);
	rig_receive(&rig, fake_fork(50, 50, 1, rig.now_ns));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, rig.now_ns), 9, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 2);
	rig_fini(&rig);
}

UNIT_TEST(what_is_gone_leaves_no_memory_behind)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	for (uint32_t i = 100; i < 1100; i++) {
		rig_receive(&rig, fake_fork(i, i, 1, rig.now_ns));
		rig_receive(&rig, rig_with_totals(hot(i, 0, rig.now_ns), i, i));
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

UNIT_TEST(threads_that_ended_count_for_their_process)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig.options.threads = true;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "many", true));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	for (uint32_t i = 1; i <= 100; i++) {
		uint64_t now = S + i * 1000;

		rig_receive(&rig, fake_fork(50, 50 + i, 50, now));
		rig_receive(&rig, rig_with_totals(fake_sample(50, 50 + i, 0, now + 1, 0x1, 0),
						  i * 10, i));
		rig_receive(&rig, fake_exit(50, 50 + i, now + 2));
	}
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 1007, 100));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1007);
	assert_true(rig_row(&rig, 50, 50)->counters[0] == 7);
	assert_true(rig_row(&rig, 50, 77)->counters[0] == 10);
	assert_int_equal(rig_row(&rig, 50, 77)->samples, 1);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 100);
	assert_int_equal(rig.snapshot->process_count, 102);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 2);
	engine_set_threads(rig.engine, false);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	rig_fini(&rig);
}

UNIT_TEST(a_pid_that_comes_back_is_another_process)
{
	const struct snapshot_process *first, *second;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_fork(50, 50, 1, 2 * S));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "first", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 2 * S + 1, 0x1, 0), 5, 0));
	rig_receive(&rig, fake_exit(50, 50, 2 * S + 2));
	rig_receive(&rig, fake_fork(50, 50, 1, 3 * S));
	rig_receive(&rig, fake_comm(50, 50, 3 * S, "second", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S + 1, 0x1, 0), 12, 0));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S + 2, 0x1, 0), 13, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 2);
	first = &rig.snapshot->processes[0];
	second = &rig.snapshot->processes[1];
	assert_string_equal(first->comm, "first");
	assert_string_equal(second->comm, "second");
	assert_int_not_equal(first->serial, second->serial);
	assert_true(first->counters[0] == 5 && second->counters[0] == 8);
	assert_true(first->samples == 1 && second->samples == 2);
	assert_true(first->exited && !second->exited);
	rig_fini(&rig);
}

/* Its whole life lies between two looks at /proc: who its parent was the fork told. */
UNIT_TEST(who_was_never_read_has_a_parent)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_fork(51, 51, 50, 2 * S));
	rig_receive(&rig, rig_with_totals(fake_sample(51, 51, 0, 2 * S + 1, 0x1, 0), 5, 0));
	rig_receive(&rig, fake_exit(51, 51, 2 * S + 2));
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 51, 0)->exited);
	assert_int_equal(rig_row(&rig, 51, 0)->ppid, 50);
	rig_fini(&rig);
}

UNIT_TEST(increases_of_tasks_need_no_cpu)
{
	struct record r = fake_read(50, 50, 2 * S);
	struct rig rig;

	open_rig(&rig, TIER_PER_TASK);
	rig_receive(&rig, fake_comm(40, 40, 1 * S, "another", true));
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "mine", true));
	fake_value(&r, 1, 7);
	r.read.enabled_ns = 400;
	r.read.running_ns = 100;
	rig_receive(&rig, r);
	rig_receive(&rig, fake_exit(50, 50, 2 * S));
	rig_receive(&rig, r); /* the last one follows its exit */
	rig_snapshot(&rig);
	assert_true(rig_row(&rig, 50, 0)->counters[1] == 14 * 4);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(rig_row(&rig, 40, 0)->counters[1])); /* nobody counts it: no zero */
	assert_false(rig_row(&rig, 40, 0)->sampled);
	assert_true(rig_row(&rig, 50, 0)->sampled);
	assert_true(rig.snapshot->events[1].running_percent == 25);
	assert_string_equal(rig.snapshot->sampling.tier, "per-task");
	rig_fini(&rig);
}

static void write_stat(const struct rig *rig, unsigned ticks)
{
	char *path = mem_printf("%s/50", rig->proc_root);
	FILE *file;

	mkdir(path, 0700);
	free(path);
	path = mem_printf("%s/50/stat", rig->proc_root);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "50 (busy) R 1 50 50 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 7 4096 1 0\n", ticks);
	fclose(file);
	free(path);
}

static void remove_stat(const struct rig *rig)
{
	char *path = mem_printf("%s/50/stat", rig->proc_root);

	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
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

/* A snapshot that comes a second after its drain has counts of what was until the drain. */
UNIT_TEST(cpu_use_is_of_the_time_between_drains)
{
	struct rig rig;

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
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 6 * S), 0, 0));
	engine_drained(rig.engine, 7 * S);
	rig.now_ns = 9 * S;
	rig_snapshot(&rig);
	assert_true(rig.snapshot->interval_s == 4);
	assert_true(rig_row(&rig, 50, 0)->cpu_percent == 50);
	rig_fini(&rig);
}

/* What was counted before an interval and told in it is no reason for more than there are threads. */
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

/* Of three seconds the group had one and a half; the waiting is not held against who comes next. */
UNIT_TEST(counters_that_take_turns_are_scaled_alike)
{
	struct record r[3] = {
		rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0),
		rig_with_totals(fake_switch(50, 50, 0, 2 * S), 800, 80),
		rig_with_totals(fake_switch(60, 60, 0, 4 * S), 1200, 120),
	};
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	r[1].sample.read.running_ns = 2 * S;
	r[2].sample.read.running_ns = 2 * S + S / 2;
	for (size_t i = 0; i < 3; i++)
		rig_receive(&rig, r[i]);
	rig_snapshot(&rig);
	assert_true(rig.snapshot->events[0].running_percent == 50);
	assert_true(event_value(&rig, 0) == 2400);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 1600);
	assert_true(rig_row(&rig, 60, 0)->counters[0] == 800);
	assert_true(rig_row(&rig, 60, 0)->counters[1] == 80);
	rig_fini(&rig);
}

/* Energy of a socket, told in steps of a quarter of a joule. */
UNIT_TEST(what_a_socket_counts_is_no_process_s)
{
	struct evsel *energy;
	struct rig rig;

	rig_init(&rig, "cpu-clock,r1", TIER_CPU_GROUP);
	energy = rig.evlist->items[1];
	energy->per_cpu_only = true;
	energy->scale = 0.25;
	energy->unit = strdup("Joules");
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 100));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 7, 113));
	rig_snapshot(&rig);
	assert_true(event_value(&rig, 1) == 3.25);
	assert_string_equal(rig.snapshot->events[1].unit, "Joules");
	assert_null(rig.snapshot->events[0].unit);
	assert_true(isnan(rig.snapshot->events[1].idle));
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 7);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[1]));
	rig_fini(&rig);
}

UNIT_TEST(what_was_never_scheduled_has_no_value)
{
	struct record base = rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0);
	struct record next = rig_with_totals(fake_switch(50, 50, 0, 2 * S), 0, 0);
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	base.sample.read.running_ns = next.sample.read.running_ns = 0;
	rig_receive(&rig, base);
	rig_receive(&rig, next);
	rig_snapshot(&rig);
	assert_true(isnan(rig_row(&rig, 50, 0)->counters[0]));
	assert_true(isnan(event_value(&rig, 0)));
	assert_true(rig.snapshot->events[0].running_percent == 0);
	rig_fini(&rig);
}

UNIT_TEST(a_refused_event_says_why_and_has_no_value)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,instructions", TIER_CPU_GROUP);
	rig.evlist->items[1]->open_error = ENOENT;
	rig.evlist->items[1]->why = mem_strdup("no such counter here");
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 9, 9));
	rig_snapshot(&rig);
	assert_string_equal(rig.snapshot->events[1].error, "no such counter here");
	assert_false(rig.snapshot->events[1].enabled);
	assert_true(isnan(event_value(&rig, 1)));
	assert_null(rig.snapshot->events[0].error);
	assert_true(event_value(&rig, 0) == 9);
	rig_fini(&rig);
}

/* The group's time goes on, so that the kernel tells of 0 in all of it: nobody counted that. */
UNIT_TEST(an_event_that_is_off_has_no_value)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig_open(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 1 * S), 0, 0));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 2 * S), 9, 5));
	rig.evlist->items[1]->enabled = false;
	rig_snapshot(&rig);
	assert_true(event_value(&rig, 1) == 5);
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 3 * S), 18, 5));
	rig_snapshot(&rig);
	assert_true(event_value(&rig, 0) == 9);
	assert_true(isnan(event_value(&rig, 1)));
	assert_true(isnan(rig.snapshot->events[1].running_percent));
	assert_true(isnan(rig.snapshot->events[1].unattributed));
	rig_fini(&rig);
}

/* Targets. */

static void open_target(struct rig *rig, enum target_mode mode, struct list *tasks,
			const char *text)
{
	struct error err = { "" };

	rig_init(rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	if (list_parse(tasks, text, "pid", 1, UINT32_MAX - 1, &err))
		fail_msg("%s", err.text);
	rig->options.target.mode = mode;
	rig->options.target.tasks = tasks;
	rig_open(rig);
}

UNIT_TEST(only_the_asked_for_and_their_children_are_shown)
{
	struct list tasks = { 0 };
	struct rig rig;

	open_target(&rig, TARGET_PID, &tasks, "50");
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "asked", true));
	rig_receive(&rig, fake_comm(60, 60, 2 * S, "other", true));
	rig_receive(&rig, fake_fork(51, 51, 50, 2 * S));
	rig_receive(&rig, fake_fork(52, 52, 51, 2 * S));
	rig_receive(&rig, fake_comm(52, 52, 2 * S, "grandchild", true));
	rig_receive(&rig, fake_fork(61, 61, 60, 2 * S));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 3 * S), 1, 0));
	rig_receive(&rig, rig_with_totals(hot(60, 0, 4 * S), 11, 0));
	rig_receive(&rig, rig_with_totals(hot(52, 0, 5 * S), 111, 0));
	rig_receive(&rig, rig_with_totals(hot(61, 0, 6 * S), 1111, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 3);
	assert_non_null(rig_row(&rig, 50, 0));
	assert_non_null(rig_row(&rig, 51, 0));
	assert_int_equal(rig_row(&rig, 52, 0)->samples, 1);
	assert_int_equal(rig.snapshot->sampling.samples, 2);
	assert_int_equal(rig.snapshot->cell_count, 2);
	assert_true(event_value(&rig, 0) == 101);
	assert_int_equal(engine_statistics(rig.engine).filtered, 2);
	assert_string_equal(rig.snapshot->target.mode, "pid");
	assert_int_equal(rig.snapshot->target.pid_count, 1);
	assert_int_equal(rig.snapshot->target.pids[0], 50);
	rig_fini(&rig);
	list_fini(&tasks);
}

UNIT_TEST(a_reused_pid_is_no_target)
{
	struct list tasks = { 0 };
	struct rig rig;

	open_target(&rig, TARGET_COMMAND, &tasks, "50");
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "asked", true));
	rig_receive(&rig, fake_exit(50, 50, 3 * S));
	rig_receive(&rig, fake_fork(50, 50, 1, 4 * S));
	rig_receive(&rig, hot(50, 0, 5 * S));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_row(&rig, 50, 0)->exited);
	assert_int_equal(rig.snapshot->sampling.samples, 0);
	rig_fini(&rig);
	list_fini(&tasks);
}

UNIT_TEST(a_thread_target_leaves_out_the_other_threads)
{
	struct list tasks = { 0 };
	struct record r;
	struct rig rig;

	open_target(&rig, TARGET_TID, &tasks, "51");
	rig_receive(&rig, rig_with_totals(fake_switch(0, 0, 0, 1 * S), 0, 0));
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "two", true));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 3 * S, 1, 0), 1, 0));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 51, 0, 4 * S, 1, 0), 11, 0));
	rig_receive(&rig, fake_sample(60, 60, 0, 4 * S, 1, 0));
	rig_receive(&rig, fake_fork(50, 52, 50, 5 * S));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 52, 0, 6 * S, 1, 0), 111, 0));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_int_equal(rig_row(&rig, 50, 0)->samples, 1);
	assert_true(rig_row(&rig, 50, 0)->counters[0] == 10);
	assert_int_equal(engine_statistics(rig.engine).filtered, 3);
	rig_receive(&rig, fake_fork(50, 53, 50, 7 * S));
	r = fake_fork(50, 54, 50, 7 * S);
	r.task.ptid = 51; /* by the one that was asked for */
	rig_receive(&rig, r);
	rig_receive(&rig, fake_sample(50, 53, 0, 8 * S, 1, 0));
	rig_receive(&rig, fake_sample(50, 54, 0, 8 * S, 1, 0));
	rig_snapshot(&rig);
	assert_int_equal(engine_statistics(rig.engine).filtered, 4);
	assert_int_equal(rig.snapshot->sampling.samples, 1);
	rig_fini(&rig);
	list_fini(&tasks);
}

UNIT_TEST(a_user_target_shows_nobody_unknown)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.target.mode = TARGET_USER;
	rig.options.target.uid = 1000;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 2 * S, "whose", true));
	rig_receive(&rig, hot(50, 0, 3 * S));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->process_count, 0);
	assert_int_equal(rig.snapshot->sampling.samples, 0);
	rig_fini(&rig);
}

/* A recording. */

UNIT_TEST(a_recording_shows_what_it_says_and_no_more)
{
	const struct snapshot *s;
	struct rig rig;

	open_rig(&rig, TIER_FILE);
	rig_receive(&rig, fake_comm(50, 50, 0, "recorded", true));
	rig_receive(&rig, rig_mmap_self(50, 0));
	rig_receive(&rig, hot(50, 0, 5));
	rig_receive(&rig, fake_fork(51, 51, 50, 10));
	rig_receive(&rig, hot(51, 0, 3 * S + 5));
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

	open_rig(&rig, TIER_FILE);
	rig_receive(&rig, fake_comm(50, 50, 0, "recorded", true));
	rig_receive(&rig, rig_mmap_self(50, 0));
	rig_receive(&rig, hot(50, 0, 5));
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

/* Counters of functions. */

static const double *cell_counters(const struct rig *rig, const char *symbol)
{
	const struct snapshot *s = rig->snapshot;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (!strcmp(frame_symbol(s->frames, s->cells[i].frame), symbol))
			return s->cells[i].counters;
	}
	return NULL;
}

static void open_counting_rig(struct rig *rig)
{
	rig_init(rig, "cycles,instructions", TIER_CPU_GROUP);
	rig->options.symbol_counters = true;
	rig_open(rig);
	rig_receive(rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(rig, fake_mmap(50, 1 * S, 0x10000, 0x1000, "/nowhere/lib.so"));
	rig_receive(rig, rig_mmap_self(50, 1 * S));
}

/* What grew up to a sample is its function's; what grew up to a switch is no function's. */
UNIT_TEST(counters_are_credited_to_functions)
{
	struct rig rig;
	const double *counters;

	open_counting_rig(&rig);
	rig_receive(&rig, rig_with_totals(fake_switch(60, 60, 0, 2 * S), 1000, 100));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 3 * S), 1500, 300));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 4 * S), 2500, 400));
	rig_receive(&rig, rig_with_totals(fake_sample(50, 50, 0, 5 * S, 0x10000, 0), 2600, 1400));
	rig_receive(&rig, rig_with_totals(fake_switch(50, 50, 0, 6 * S), 9000, 9000));
	rig_receive(&rig, fake_lost(0, 6 * S, 1));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 7 * S), 10000, 10000));
	rig_snapshot(&rig);
	counters = cell_counters(&rig, HOT);
	assert_non_null(counters);
	assert_true(counters[0] == 1500 && counters[1] == 300);
	counters = cell_counters(&rig, "[unknown]");
	assert_true(counters[0] == 100 && counters[1] == 1000);
	assert_true(rig_samples(&rig, 50, HOT) == 3);
	rig_fini(&rig);
}

/* A counter of another group is not in the sample's record. */
UNIT_TEST(what_a_record_lacks_is_absent)
{
	struct rig rig;
	const double *counters;

	open_counting_rig(&rig);
	for (uint64_t i = 1; i < 4; i++) {
		struct record sample = hot(50, 0, i * S);

		fake_value(&sample, 0, 100 * i);
		sample.sample.read.enabled_ns = sample.time_ns;
		sample.sample.read.running_ns = sample.time_ns / 2;
		rig_receive(&rig, sample);
	}
	rig_snapshot(&rig);
	counters = cell_counters(&rig, HOT);
	assert_true(counters[0] == 400); /* 200 counted in half of the time */
	assert_true(isnan(counters[1]));
	rig_fini(&rig);
}

UNIT_TEST(without_being_asked_functions_have_no_counters)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, rig_with_totals(hot(50, 0, 2 * S), 1, 1));
	rig_receive(&rig, rig_with_totals(hot(50, 0, 3 * S), 2, 2));
	rig_snapshot(&rig);
	assert_null(rig.snapshot->cells[0].counters);
	assert_null(rig.snapshot->cell_values);
	rig_fini(&rig);
}

/* What has no row. */

UNIT_TEST(idle_time_and_what_is_nobodys_are_told)
{
	const struct snapshot_event *e;
	struct record missed;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
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
	open_rig(&rig, TIER_CPU_GROUP);
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

/* Addresses of data. */

static double data_samples(const struct rig *rig, const char *name)
{
	const struct snapshot *s = rig->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].data &&
		    !strcmp(frame_object_name(s->frames, s->cells[i].data), name))
			sum += s->cells[i].samples;
	}
	return sum;
}

static struct record touching(uint64_t time_ns, uint64_t address)
{
	struct record r = hot(50, 0, time_ns);

	r.sample.address = address;
	return r;
}

static struct record data_mmap(uint64_t time_ns, uint64_t start, const char *path)
{
	struct record r = fake_mmap(50, time_ns, start, 0x1000, path);

	r.mmap.executable = false;
	return r;
}

UNIT_TEST(data_is_told_by_its_mapping)
{
	struct rig rig;

	rig_init(&rig, "page-faults,cpu-clock", TIER_CPU_GROUP);
	rig.evlist->items[0]->addresses = true;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(&rig, rig_mmap_self(50, 1 * S));
	rig_receive(&rig, data_mmap(1 * S, 0x10000, "[heap]"));
	rig_receive(&rig, data_mmap(1 * S, 0x20000, "/dev/shm/x"));
	rig_receive(&rig, data_mmap(1 * S, 0x30000, "/usr/lib/libc.so.6"));
	rig_receive(&rig, data_mmap(1 * S, 0x40000, "//anon"));
	rig_receive(&rig, touching(2 * S, 0x10fff));
	rig_receive(&rig, touching(2 * S, 0x10000));
	rig_receive(&rig, touching(2 * S, 0x20000));
	rig_receive(&rig, touching(2 * S, 0x30000));
	rig_receive(&rig, touching(2 * S, 0x40000));
	rig_receive(&rig, touching(2 * S, rig_hot_address()));
	rig_receive(&rig, touching(2 * S, 0x50000));
	rig_receive(&rig, touching(2 * S, 0));
	rig_snapshot(&rig);
	assert_true(data_samples(&rig, "[heap]") == 2);
	assert_true(data_samples(&rig, "/dev/shm/x") == 1);
	assert_true(data_samples(&rig, "libc.so.6") == 1);
	assert_true(data_samples(&rig, "//anon") == 1);
	assert_true(data_samples(&rig, "[unknown]") == 1);
	assert_true(data_samples(&rig, "test-engine") == 1);
	assert_true(rig_samples(&rig, 50, HOT) == 8);
	rig_fini(&rig);
}

/* Another event's samples have an address as well, which means nothing. */
UNIT_TEST(only_some_events_tell_of_data)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(&rig, rig_mmap_self(50, 1 * S));
	rig_receive(&rig, data_mmap(1 * S, 0x10000, "[heap]"));
	rig_receive(&rig, touching(2 * S, 0x10000));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->cells[0].data, 0);
	rig_fini(&rig);
}

/* perf record --tail-synthesize: what is recorded first has no names, what follows has. */
UNIT_TEST(the_kernel_may_be_described_late)
{
	struct source_machine machine = {
		.hostname = "", .release = "", .arch = "", .command = ""
	};
	struct record sample = fake_sample(7, 7, 0, 2, 0xffffffff81000040, 0), mmap;
	char kallsyms[] = "/tmp/ptop-kallsyms-XXXXXX";
	const char *symbols = "ffffffff81000000 T _text\nffffffff81000040 T named\n"
			      "ffffffff82000000 T _etext\n";
	struct rig rig;
	int fd;

	machine.kernel_build_id = kernel_build_id("/sys/kernel/notes");
	if (!machine.kernel_build_id.size)
		skip();
	fd = mkstemp(kallsyms);
	assert_int_equal(write(fd, symbols, strlen(symbols)), strlen(symbols));
	close(fd);
	rig_init(&rig, "cpu-clock", TIER_FILE);
	rig.options.machine = &machine;
	rig.options.kallsyms = kallsyms;
	rig_open(&rig);
	sample.cpumode = CPUMODE_KERNEL;
	rig_receive(&rig, sample);
	mmap = fake_mmap(UINT32_MAX, 3, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	mmap.cpumode = CPUMODE_KERNEL;
	mmap.mmap.pgoff = 0xffffffff81000000;
	rig_receive(&rig, mmap);
	sample.time_ns = 4;
	rig_receive(&rig, sample);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 0, "named") == 1);
	rig_fini(&rig);
	unlink(kallsyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_what_it_is_whatever_its_name),
		cmocka_unit_test(a_short_program_has_its_symbols),
		cmocka_unit_test(unresolved_samples_are_one_row_of_their_object),
		cmocka_unit_test(who_did_not_run_counted_nothing),
		cmocka_unit_test(merged_cells_count_once),
		cmocka_unit_test(samples_that_came_too_early_are_named_later),
		cmocka_unit_test(code_that_is_made_later_is_named_later),
		cmocka_unit_test(code_that_gets_no_name_is_given_up),
		cmocka_unit_test(what_fails_once_may_be_loaded_later),
		cmocka_unit_test(each_process_has_its_own_addresses),
		cmocka_unit_test(a_hot_address_is_found_in_the_cache),
		cmocka_unit_test(a_sample_without_a_time_is_of_now),
		cmocka_unit_test(zero_mode_shows_the_interval_only),
		cmocka_unit_test(a_sum_begins_with_the_first_interval),
		cmocka_unit_test(decay_halves_what_is_old),
		cmocka_unit_test(a_new_program_forgets_the_old_one_s_addresses),
		cmocka_unit_test(a_fork_inherits_the_addresses),
		cmocka_unit_test(odd_samples_are_counted_as_what_they_are),
		cmocka_unit_test(hostile_mappings_do_no_harm),
		cmocka_unit_test(counts_go_to_the_task_that_ran),
		cmocka_unit_test(after_a_gap_the_counts_are_nobody_s),
		cmocka_unit_test(a_task_that_exits_keeps_its_last_counts),
		cmocka_unit_test(a_task_that_is_gone_does_not_come_back),
		cmocka_unit_test(what_is_gone_leaves_no_memory_behind),
		cmocka_unit_test(threads_that_ended_count_for_their_process),
		cmocka_unit_test(a_pid_that_comes_back_is_another_process),
		cmocka_unit_test(who_was_never_read_has_a_parent),
		cmocka_unit_test(increases_of_tasks_need_no_cpu),
		cmocka_unit_test(cpu_use_is_exact_where_both_agree),
		cmocka_unit_test(cpu_use_of_the_ended_is_their_own),
		cmocka_unit_test(cpu_use_is_of_the_time_between_drains),
		cmocka_unit_test(cpu_use_has_a_bound),
		cmocka_unit_test(groups_told_apart_are_one_time),
		cmocka_unit_test(zero_forgets_what_no_slice_has_yet),
		cmocka_unit_test(counters_that_take_turns_are_scaled_alike),
		cmocka_unit_test(what_a_socket_counts_is_no_process_s),
		cmocka_unit_test(what_was_never_scheduled_has_no_value),
		cmocka_unit_test(a_refused_event_says_why_and_has_no_value),
		cmocka_unit_test(an_event_that_is_off_has_no_value),
		cmocka_unit_test(only_the_asked_for_and_their_children_are_shown),
		cmocka_unit_test(a_reused_pid_is_no_target),
		cmocka_unit_test(a_thread_target_leaves_out_the_other_threads),
		cmocka_unit_test(a_user_target_shows_nobody_unknown),
		cmocka_unit_test(a_recording_shows_what_it_says_and_no_more),
		cmocka_unit_test(a_recording_is_shown_again_as_it_was),
		cmocka_unit_test(counters_are_credited_to_functions),
		cmocka_unit_test(what_a_record_lacks_is_absent),
		cmocka_unit_test(without_being_asked_functions_have_no_counters),
		cmocka_unit_test(data_is_told_by_its_mapping),
		cmocka_unit_test(only_some_events_tell_of_data),
		cmocka_unit_test(idle_time_and_what_is_nobodys_are_told),
		cmocka_unit_test(the_kernel_may_be_described_late),
	};

	engine_free(NULL);
	return unit_run(tests);
}
