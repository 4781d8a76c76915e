/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/view.h"

static const char *const function_bar[][2] = {
	{ "F1", "Help" },     { "F3", "Search" }, { "F4", "Filter" }, { "F6", "Sort" },
	{ "e", "Events" },    { "p", "Pid" },     { "u", "User" },    { "Enter", "Zoom" },
	{ "Space", "Pause" }, { "q", "Quit" },
};

static struct view *view_make(const struct view_options *options)
{
	struct error err = { "" };
	struct view *v = view_new(options, &err);

	assert_non_null(v);
	view_set_function_bar(v, function_bar, sizeof(function_bar) / sizeof(function_bar[0]));
	view_set_mode_text(v, "half-life 5 s");
	return v;
}

static struct view *view_of(struct snapshot *s)
{
	struct view_options options = { .full_command = true };
	struct view *v = view_make(&options);

	view_set_snapshot(v, s);
	return v;
}

static void check_size(struct view *v, int rows, int columns, const char *name)
{
	struct grid *g = grid_new(rows, columns);

	view_draw(v, g);
	golden_check(g, name);
	grid_free(g);
}

UNIT_TEST(test_sizes)
{
	struct view *v = view_of(sample_snapshot(true));

	check_size(v, 10, 40, "hardware-40x10");
	check_size(v, 24, 80, "hardware-80x24");
	check_size(v, 40, 120, "hardware-120x40");
	check_size(v, 60, 200, "hardware-200x60");
	view_free(v);
}

UNIT_TEST(test_no_hardware)
{
	struct view *v = view_of(sample_snapshot(false));

	check_size(v, 10, 40, "software-40x10");
	check_size(v, 24, 80, "software-80x24");
	check_size(v, 40, 120, "software-120x40");
	view_free(v);
}

UNIT_TEST(test_zoomed)
{
	struct view *v = view_of(sample_snapshot(true));

	view_move(v, 1);
	assert_true(view_enter(v));
	check_size(v, 10, 40, "zoomed-40x10");
	check_size(v, 24, 80, "zoomed-80x24");
	check_size(v, 60, 200, "zoomed-200x60");
	view_free(v);
}

UNIT_TEST(test_filtered)
{
	struct view *v = view_of(sample_snapshot(true));
	struct number_list pids = { 0 };

	view_set_filter(v, "POST");
	check_size(v, 24, 80, "filtered-80x24");
	view_set_filter(v, "");
	view_set_user(v, "1001");
	view_toggle_kernel(v);
	view_set_pane(v, &list_symbols);
	view_set_filter(v, "alloc");
	check_size(v, 40, 120, "filtered-120x40");
	assert_int_equal(number_list_parse(&pids, "1-9", "pid", 1, 99, NULL), 0);
	view_set_pids(v, &pids);
	check_size(v, 24, 80, "filtered-away-80x24");
	number_list_fini(&pids);
	view_free(v);
}

UNIT_TEST(test_threads)
{
	struct view_options options = { .threads = true, .full_command = true };
	struct view *v = view_make(&options);

	view_set_snapshot(v, sample_snapshot_threads(true));
	check_size(v, 24, 80, "threads-80x24");
	view_free(v);
}

UNIT_TEST(test_ascii)
{
	struct view_options options = { .ascii = true, .full_command = true };
	struct view *v = view_make(&options);
	struct grid *g = grid_new(40, 120);

	view_set_snapshot(v, sample_snapshot(false));
	view_draw(v, g);
	golden_check(g, "ascii-120x40");
	for (int i = 0; i < 40 * 120; i++)
		assert_true(grid_at(g, i / 120, i % 120)->text[0] < 0x7f);
	grid_free(g);
	view_free(v);
}

UNIT_TEST(test_bars)
{
	struct view_options options = { .bars = true, .full_command = true };
	struct view *v = view_make(&options);

	view_set_snapshot(v, sample_snapshot(true));
	check_size(v, 10, 40, "bars-40x10");
	check_size(v, 24, 80, "bars-80x24");
	check_size(v, 40, 120, "bars-120x40");
	check_size(v, 60, 200, "bars-200x60");
	view_set_sort(v, "pid", NULL);
	check_size(v, 24, 80, "bars-by-pid-80x24");
	view_free(v);
}

UNIT_TEST(test_bars_in_ascii)
{
	struct view_options options = { .bars = true, .ascii = true, .sort = "%mem" };
	struct view *v = view_make(&options);

	view_set_snapshot(v, sample_snapshot(true));
	check_size(v, 24, 80, "bars-ascii-80x24");
	view_free(v);
}

UNIT_TEST(test_microstates)
{
	struct view_options options = {
		.columns = "pid,usr%,sys%,runq%,disk%,sleep%,stop%,states,command",
		.sort = "states",
	};
	struct view *v = view_make(&options);

	view_set_snapshot(v, sample_snapshot(true));
	check_size(v, 40, 120, "microstates-120x40");
	check_size(v, 24, 80, "microstates-80x24");
	view_free(v);
}

UNIT_TEST(test_more_columns)
{
	struct view_options options = {
		.full_command = true,
		.columns = "+cycles,+insn,+refs,+misses,+br-miss%,+mpki,+minflt,+majflt,+csw,+ppid,"
			   "+read/s,+write/s,+cancel/s,+io/s,+queue%,"
			   "+ni,+pr,+virt,+shr,+start,+time+,+cgroup,+wchan,"
			   "+symbol.pid,+comm,+symbol.ipc,+symbol.miss%,+period",
		.sort = "-ppid",
	};
	struct view *v = view_make(&options);

	view_set_snapshot(v, sample_snapshot(true));
	check_size(v, 40, 300, "columns-300x40");
	check_size(v, 24, 80, "columns-80x24");
	view_free(v);
}

UNIT_TEST(test_paused_with_message)
{
	struct view *v = view_of(sample_snapshot(true));

	view_set_paused(v, true);
	view_set_message(v, "written to ptop-1.txt");
	check_size(v, 24, 80, "paused-80x24");
	view_free(v);
}

/* One that is wider than the screen is read to its end all the same. */
UNIT_TEST(test_long_message)
{
	struct view *v = view_of(sample_snapshot(true));

	view_set_message(
		v,
		"/srv/home/somebody/with/a/deep/place/for/settings/ptop/config:2: unknown option "
		"'colour': did you mean 'no-color'?");
	check_size(v, 24, 80, "message-80x24");
	check_size(v, 10, 40, "message-40x10");
	view_free(v);
}

/* The first one of a live session: no interval yet, so nothing that needs one. */
UNIT_TEST(test_first_snapshot)
{
	struct snapshot *s = sample_snapshot(false);
	struct view *v;

	s->interval_s = 0;
	s->cell_count = 0;
	s->host.cpu_percent = s->host.user_percent = s->host.system_percent = NAN;
	s->sampling.samples = s->sampling.lost = s->sampling.total_lost = s->sampling.throttled = 0;
	s->sampling.unresolved_percent = s->sampling.own_cpu_percent = NAN;
	for (size_t i = 0; i < s->event_count; i++)
		s->events[i].samples = 0;
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].cpu_percent = NAN;
	v = view_of(s);
	check_size(v, 24, 80, "first-80x24");
	view_free(v);
}

/* Nothing may be counted, sampled or read. */
UNIT_TEST(test_nothing_known)
{
	struct snapshot *s = snapshot_new();
	struct view *v;

	s->time_ns = SAMPLE_TIME_NS;
	s->interval_s = 1;
	s->sampling.tier = "proc";
	s->sampling.tier_reason = "kernel.perf_event_paranoid is 3: run as root";
	v = view_of(s);
	check_size(v, 24, 80, "nothing-80x24");
	check_size(v, 10, 40, "nothing-40x10");
	view_free(v);
}

UNIT_TEST(test_before_any)
{
	struct view_options options = { .full_command = true };
	struct view *v = view_make(&options);

	check_size(v, 10, 40, "before-40x10");
	view_free(v);
}

UNIT_TEST(test_user_only)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	s->sampling.tier = "per-task";
	s->sampling.user_only = true;
	s->sampling.losses[LOSS_TASKS] = 1024;
	s->sampling.merged_cells = 12345;
	s->sampling.total_lost = 1203;
	s->sampling.frequency_hz = s->events[0].frequency_hz = 0;
	s->sampling.period = s->events[0].period = s->events[0].asked_period = 1000000;
	s->sampling.stacks_complete_percent = 97.25;
	s->target.mode = "pid";
	v = view_of(s);
	check_size(v, 24, 80, "user-only-80x24");
	view_free(v);
}

/* One sample stands for several occurrences, of what is shown and of another event; and it is not enough. */
UNIT_TEST(test_thinned)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	for (int i = 0; i < 2; i++) {
		s->events[i].frequency_hz = 0;
		s->events[i].asked_period = 1;
		s->events[i].period = i ? 2048 : 64;
	}
	s->sampling.frequency_hz = s->sampling.asked_hz = 0;
	s->sampling.over_budget = true;
	s->sampling.cost_percent = 3.41;
	v = view_of(s);
	check_size(v, 24, 80, "thinned-80x24");
	check_size(v, 40, 120, "thinned-120x40");
	view_free(v);
}

/* A reduction by the budget is shown, and columns that are estimates then are marked. */
UNIT_TEST(test_reduced)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	s->sampling.frequency_hz = s->events[0].frequency_hz = 249;
	s->sampling.foreign_times = 41;
	s->sampling.sampled_counters = true;
	s->sampling.stack_period = 16;
	s->sampling.stack_threads = UINT32_MAX;
	v = view_of(s);
	check_size(v, 40, 120, "reduced-120x40");
	check_size(v, 24, 80, "reduced-80x24");
	view_free(v);
	s = sample_snapshot(true);
	s->sampling.sampled_counters = true;
	s->sampling.stack_period = 64;
	s->sampling.stack_threads = 2;
	v = view_of(s);
	check_size(v, 24, 120, "reduced-busy-120x24");
	view_free(v);
	s = sample_snapshot(true);
	s->sampling.calls_without_stacks = true;
	s->sampling.call_threads = 3;
	s->sampling.call_part = 8;
	v = view_of(s);
	check_size(v, 24, 120, "reduced-calls-120x24");
	view_free(v);
	s = sample_snapshot(true);
	s->sampling.thinned_user = "nobody";
	s->sampling.thinned_users = 2;
	s->sampling.thinned_part = 8;
	v = view_of(s);
	check_size(v, 24, 120, "reduced-user-120x24");
	view_free(v);
}

/* Impossible figures are named by their number, and by name where the events are. */
UNIT_TEST(test_violations)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	s->violations = mem_array(2, sizeof(*s->violations));
	s->violations[0] = (struct snapshot_violation){ "process-cpu", "", 1, 1203 };
	s->violations[1] = (struct snapshot_violation){ "past", "", 0, 4 };
	s->violation_count = 2;
	v = view_of(s);
	view_show(v, view_kind_find("events"));
	check_size(v, 24, 120, "violations-120x24");
	check_size(v, 24, 80, "violations-80x24");
	view_free(v);
}

/* Pressure stands in the first line, where the kernel measures it. */
UNIT_TEST(test_pressure)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	s->host.pressure = (struct pressure){ 12.34, 0.5, 0.2, 61, 40.25 };
	v = view_of(s);
	check_size(v, 24, 120, "pressure-120x24");
	check_size(v, 24, 200, "pressure-200x24");
	view_free(v);
}

static struct view *view_of_cpus(uint32_t cpus)
{
	struct snapshot *s = sample_snapshot(true);

	sample_cpus(s, cpus, 2);
	s->host.cpus = cpus - 1; /* the last one is offline */
	return view_of(s);
}

/* The header has all CPUs, a bar for each as long as there is room, and its lists come below. */
UNIT_TEST(test_meter)
{
	static const char *const meters[] = { "one", "each", "heat", "none" };
	static const struct {
		uint32_t cpus;
		const char *name;
	} machines[] = { { 16, "16" }, { 256, "256" } };

	for (size_t i = 0; i < 2; i++) {
		struct view *v = view_of_cpus(machines[i].cpus);

		for (int meter = 0; meter < 4; meter++, view_next_meter(v)) {
			char name[64];

			assert_string_equal(view_meter(v), meters[meter]);
			assert_int_equal(!!(view_extras(v) & EXTRA_CPU_TIMES),
					 meter == 1 || meter == 2);
			assert_false(view_extras(v) & EXTRA_CPUS); /* cells are not parted */
			snprintf(name, sizeof(name), "meter-%s-%s-80x24", meters[meter],
				 machines[i].name);
			check_size(v, 24, 80, name);
			snprintf(name, sizeof(name), "meter-%s-%s-120x40", meters[meter],
				 machines[i].name);
			check_size(v, 40, 120, name);
		}
		assert_string_equal(view_meter(v), "one");
		view_free(v);
	}
}

/* A screen without room, and CPUs of which nothing is known yet. */
UNIT_TEST(test_meter_is_never_in_the_way)
{
	struct view *v = view_of(sample_snapshot(true));

	for (int meter = 0; meter < 4; meter++, view_next_meter(v)) {
		for (int rows = 1; rows < 70; rows++) {
			struct grid *g = grid_new(rows, 1 + rows * 2);

			view_draw(v, g);
			grid_free(g);
		}
	}
	view_free(v);
}

/* Events that take turns on the counters: the least of what they had is told. */
UNIT_TEST(test_coverage)
{
	struct snapshot *s = sample_snapshot(true);
	struct view *v;

	s->events[1].running_percent = 49.6;
	s->events[2].running_percent = 62;
	s->events[3].running_percent = 10;
	s->events[3].enabled = false;
	v = view_of(s);
	check_size(v, 24, 120, "coverage-120x24");
	view_free(v);
}

UNIT_TEST(test_batch)
{
	struct view_options options = { .full_command = true,
					.limit_processes = 5,
					.limit_symbols = 10 };
	struct view *v = view_make(&options);
	struct grid *g = grid_new(1, 1);

	view_draw_batch(v, g); /* nothing to show: left alone */
	assert_int_equal(grid_rows(g), 1);
	view_set_snapshot(v, sample_snapshot(true));
	view_draw_batch(v, g);
	golden_check(g, "batch");
	assert_int_equal(view_list_count(v, &list_processes), 5);
	assert_int_equal(view_list_count(v, &list_symbols), 10);
	grid_free(g);
	view_free(v);
}

/* Nothing but what was sanitised is on the grid, and wide characters are whole. */
static void assert_sane(const struct grid *g)
{
	for (int row = 0; row < grid_rows(g); row++) {
		for (int column = 0; column < grid_columns(g); column++) {
			const struct grid_cell *c = grid_at(g, row, column);

			assert_true(c->style < GRID_STYLES);
			assert_true(c->width != 2 || column + 1 < grid_columns(g));
			if (c->width)
				assert_true(c->text[0] >= 0x20 && c->text[0] != 0x7f);
			else
				assert_true(column > 0 && grid_at(g, row, column - 1)->width == 2);
		}
	}
}

static void sweep(struct view *v, int step)
{
	struct grid *g = grid_new(1, 1);

	for (int rows = 1; rows <= 70; rows++) {
		for (int columns = 1 + rows % step; columns <= 250; columns += step) {
			grid_resize(g, rows, columns);
			view_draw(v, g);
			assert_sane(g);
		}
	}
	grid_free(g);
}

UNIT_TEST(test_every_size)
{
	struct view *v = view_of(sample_snapshot(true));

	view_move(v, 9);
	sweep(v, 1);
	view_set_pane(v, &list_symbols);
	view_move(v, 30);
	sweep(v, 7);
	view_set_pane(v, &list_processes);
	view_enter(v);
	sweep(v, 7);
	view_set_message(v, "\033[2Jmessage \xff");
	view_set_snapshot(v, snapshot_new());
	sweep(v, 7);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_no_hardware),
		cmocka_unit_test(test_zoomed),
		cmocka_unit_test(test_long_message),
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_bars_in_ascii),
		cmocka_unit_test(test_microstates),
		cmocka_unit_test(test_more_columns),
		cmocka_unit_test(test_paused_with_message),
		cmocka_unit_test(test_first_snapshot),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_before_any),
		cmocka_unit_test(test_user_only),
		cmocka_unit_test(test_thinned),
		cmocka_unit_test(test_reduced),
		cmocka_unit_test(test_violations),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_meter),
		cmocka_unit_test(test_meter_is_never_in_the_way),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_every_size),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
