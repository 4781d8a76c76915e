/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last figures of %CPU of each row, and the column CPU~ of them. */
#include "unit.h"

#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/cpu-past.h"
#include "view/list/list.h"
#include "view/view.h"

#define SECOND 1000000000ull

/* The sample a number of seconds later, all of whose processes had PERCENT. */
static struct snapshot *later(unsigned seconds, double percent)
{
	struct snapshot *s = sample_snapshot(true);

	s->time_ns += seconds * SECOND;
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].cpu_percent = percent;
	return s;
}

static void add(struct cpu_past *c, unsigned seconds, double percent)
{
	struct snapshot *s = later(seconds, percent);

	cpu_past_add(c, s, false);
	snapshot_free(s);
}

/* Asserts that the newest figures of process I of the sample are the COUNT EXPECTED, and that there are no older ones. */
static void assert_past(const struct cpu_past *c, size_t i, const float *expected, int count)
{
	struct snapshot *s = sample_snapshot(true);
	const float *past = cpu_past_of(c, &s->processes[i]);

	assert_non_null(past);
	for (int at = 0; at < CPU_PAST; at++) {
		int of = at - (CPU_PAST - count);

		if (of < 0 || isnan(expected[of]))
			assert_true(isnan(past[at]));
		else
			assert_true(past[at] == expected[of]);
	}
	snapshot_free(s);
}

UNIT_TEST(test_the_newest_is_last)
{
	struct cpu_past c = { 0 };

	add(&c, 1, 12);
	assert_past(&c, 0, (const float[]){ 12 }, 1);
	add(&c, 2, NAN);
	add(&c, 3, 250);
	assert_past(&c, 3, (const float[]){ 12, NAN, 250 }, 3);
	cpu_past_fini(&c);
}

UNIT_TEST(test_the_oldest_goes)
{
	struct cpu_past c = { 0 };
	float expected[CPU_PAST];

	for (unsigned i = 0; i < CPU_PAST + 7; i++)
		add(&c, i, i);
	for (int i = 0; i < CPU_PAST; i++)
		expected[i] = (float)i + 7;
	assert_past(&c, 1, expected, CPU_PAST);
	cpu_past_fini(&c);
}

UNIT_TEST(test_a_snapshot_counts_once)
{
	struct cpu_past c = { 0 };

	add(&c, 1, 10);
	add(&c, 1, 20);
	assert_past(&c, 0, (const float[]){ 10 }, 1);
	add(&c, 0, 30); /* a clock that was set back */
	assert_past(&c, 0, (const float[]){ 10, 30 }, 2);
	cpu_past_fini(&c);
}

UNIT_TEST(test_a_window_is_no_interval)
{
	struct cpu_past c = { 0 };
	struct snapshot *window = later(9, 50);

	add(&c, 1, 10);
	window->past.from_ns = 1;
	window->past.to_ns = 2;
	cpu_past_add(&c, window, false);
	snapshot_free(window);
	assert_past(&c, 0, (const float[]){ 10 }, 1);
	cpu_past_fini(&c);
}

/* A process that uses the pid of another one, and a thread, have a past of their own. */
UNIT_TEST(test_whose_past_it_is)
{
	struct cpu_past c = { 0 };
	struct snapshot *s;

	add(&c, 1, 10);
	s = later(2, 20);
	s->processes[0].serial += 1000;
	s->processes[1].tid = s->processes[1].pid;
	cpu_past_add(&c, s, false);
	assert_true(isnan(cpu_past_of(&c, &s->processes[0])[CPU_PAST - 2]));
	assert_true(isnan(cpu_past_of(&c, &s->processes[1])[CPU_PAST - 2]));
	assert_true(cpu_past_of(&c, &s->processes[2])[CPU_PAST - 2] == 10);
	s->processes[0].serial -= 1000;
	assert_null(
		cpu_past_of(&c, &s->processes[0])); /* it went with the snapshot that has it not */
	snapshot_free(s);
	cpu_past_fini(&c);
}

UNIT_TEST(test_mean)
{
	float figures[CPU_PAST];

	for (int i = 0; i < CPU_PAST; i++)
		figures[i] = NAN;
	assert_true(isnan(cpu_past_mean(figures)));
	assert_true(isnan(cpu_past_mean(NULL)));
	figures[3] = 0;
	figures[CPU_PAST - 1] = 30;
	assert_true(cpu_past_mean(figures) == 15);
}

static struct view *view_make(const struct view_options *options)
{
	struct error err = { "" };
	struct view *v = view_new(options, &err);

	assert_non_null(v);
	return v;
}

/* What processes of the sample do in a moment: one rises, one is steady, one has a burst, one has eight CPUs. */
static struct snapshot *moment(unsigned second)
{
	struct snapshot *s = later(second, 0);

	s->processes[0].cpu_percent = second * 2;
	s->processes[1].cpu_percent = 50;
	s->processes[2].cpu_percent = second == 35 ? 100 : 0;
	s->processes[3].cpu_percent = second % 2 ? 800 : 100;
	s->processes[4].cpu_percent = second < 42 ? NAN : 12.5;
	return s;
}

static void check(struct view *v, int rows, int columns, const char *name)
{
	struct grid *g = grid_new(rows, columns);

	view_draw(v, g);
	golden_check(g, name);
	grid_free(g);
}

/* The seconds from FIRST to before END. */
static void live(struct view *v, unsigned first, unsigned end)
{
	for (unsigned second = first; second < end; second++)
		view_set_snapshot(v, moment(second));
}

UNIT_TEST(test_column)
{
	struct view_options options = { .columns = "pid,%cpu,cpu~,command", .sort = "cpu~" };
	struct view *v = view_make(&options);

	live(v, 0, CPU_PAST + 5);
	check(v, 24, 80, "cpu-past-80x24");
	check(v, 40, 120, "cpu-past-120x40");
	check(v, 60, 200, "cpu-past-200x60");
	view_set_braille(v, true);
	check(v, 24, 80, "cpu-past-braille-80x24");
	check(v, 40, 120, "cpu-past-braille-120x40");
	view_free(v);
}

UNIT_TEST(test_column_in_ascii)
{
	struct view_options options = { .columns = "pid,%cpu,cpu~,command", .ascii = true };
	struct view *v = view_make(&options);

	live(v, 0, CPU_PAST + 5);
	check(v, 24, 80, "cpu-past-ascii-80x24");
	view_free(v);
}

/* One row does nothing and one rises; at last there are more figures than there is room. */
UNIT_TEST(test_graph)
{
	struct view_options options = { .sort = "pid" };
	struct view *v = view_make(&options);

	live(v, 0, 2);
	assert_true(view_toggle_graph(v));
	live(v, 2, 60);
	check(v, 24, 80, "cpu-graph-80x24");
	view_move(v, 5);
	live(v, 60, 250);
	check(v, 10, 40, "cpu-graph-40x10");
	check(v, 40, 120, "cpu-graph-120x40");
	check(v, 60, 200, "cpu-graph-200x60");
	view_set_braille(v, true);
	check(v, 24, 80, "cpu-graph-braille-80x24");
	check(v, 60, 200, "cpu-graph-braille-200x60");
	assert_true(view_toggle_graph(v));
	check(v, 24, 80, "cpu-graph-off-80x24");
	view_free(v);
}

UNIT_TEST(test_graph_in_ascii)
{
	struct view_options options = { .sort = "pid", .ascii = true };
	struct view *v = view_make(&options);

	assert_true(view_toggle_graph(v));
	live(v, 0, 100);
	view_move(v, 5);
	check(v, 24, 80, "cpu-graph-ascii-80x24");
	view_free(v);
}

/* A view without processes has no graph, nor can it be switched there; it is there again afterwards. */
UNIT_TEST(test_graph_in_other_views)
{
	struct view_options options = { .sort = "pid" };
	struct view *v = view_make(&options);
	struct grid *g = grid_new(24, 80);
	struct buf text = { 0 };

	assert_true(view_toggle_graph(v));
	live(v, 0, 3);
	view_show(v, view_kind_find("events"));
	assert_false(view_toggle_graph(v));
	view_draw(v, g);
	grid_dump(g, &text);
	assert_null(strstr(text.bytes, "%CPU of"));
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (!k->panes[0]->table->tasks)
			continue;
		view_show(v, k);
		view_draw(v, g);
		buf_clear(&text);
		grid_dump(g, &text);
		assert_non_null(strstr(text.bytes, "%CPU of"));
	}
	buf_fini(&text);
	grid_free(g);
	view_free(v);
}

/* What the graph keeps is no loss of the column's, in both directions. */
UNIT_TEST(test_the_graph_keeps_more)
{
	struct cpu_past c = { 0 };
	struct snapshot *s = sample_snapshot(true);
	const float *all;

	for (unsigned i = 1; i <= 300; i++) {
		struct snapshot *now = later(i, i);

		cpu_past_add(&c, now, i > 10 && i <= 200);
		snapshot_free(now);
		if (i != 200)
			continue;
		assert_int_equal(c.kept, CPU_PAST_LONG);
		all = cpu_past_all(&c, cpu_past_of(&c, &s->processes[0]));
		for (int at = 0; at < CPU_PAST_LONG; at++) {
			int of = at - (CPU_PAST_LONG - 200);

			assert_true(of < 0 ? isnan(all[at]) : all[at] == (float)(of + 1));
		}
	}
	assert_int_equal(c.kept, CPU_PAST);
	all = cpu_past_of(&c, &s->processes[0]);
	for (int at = 0; at < CPU_PAST; at++)
		assert_true(all[at] == (float)(300 - CPU_PAST + 1 + at));
	snapshot_free(s);
	cpu_past_fini(&c);
}

/* However many processes there are, the graph's figures take no more than their bytes. */
UNIT_TEST(test_the_graph_has_a_budget)
{
	enum { MANY = 20000, TOO_MANY = 100000 };
	static const size_t counts[] = { MANY, TOO_MANY };

	for (size_t i = 0; i < 2; i++) {
		struct snapshot *s = snapshot_new();
		struct cpu_past c = { 0 };

		s->processes = calloc(counts[i], sizeof(*s->processes));
		s->process_count = counts[i];
		for (size_t n = 0; n < counts[i]; n++)
			s->processes[n].serial = (uint32_t)n + 1;
		cpu_past_add(&c, s, true);
		assert_true(counts[i] * (size_t)c.kept * sizeof(float) <= CPU_PAST_BYTES ||
			    c.kept == CPU_PAST);
		assert_in_range(c.kept, CPU_PAST, CPU_PAST_LONG - 1);
		cpu_past_fini(&c);
		snapshot_free(s);
	}
}

/* The mean of the first row of processes. */
static double mean_of_first(struct view *v)
{
	return cpu_past_mean(view_list_row(v, &list_processes, 0).cpu_past);
}

/* From the snapshot on that is shown when a person chooses it, and while other views are shown. */
UNIT_TEST(test_it_is_kept_while_it_is_chosen)
{
	struct view_options options = { .sort = "pid" };
	struct view *v = view_make(&options);

	view_set_snapshot(v, later(1, 10));
	assert_true(isnan(mean_of_first(v)));
	view_set_columns(v, "pid,cpu~,command", NULL);
	assert_true(mean_of_first(v) == 10);
	view_move(v, 1);
	assert_true(mean_of_first(v) == 10);
	view_show(v, view_kind_find("events"));
	view_set_snapshot(v, later(2, 20));
	view_show(v, view_kind_find("memory"));
	view_set_snapshot(v, later(3, 60));
	view_show(v, view_kind_find("processes"));
	assert_true(mean_of_first(v) == 30);
	view_set_columns(v, "pid,command", NULL);
	assert_true(isnan(mean_of_first(v)));
	view_set_sort(v, "cpu~", NULL); /* what is sorted by it needs it, too */
	assert_true(mean_of_first(v) == 60);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_newest_is_last),
		cmocka_unit_test(test_the_oldest_goes),
		cmocka_unit_test(test_a_snapshot_counts_once),
		cmocka_unit_test(test_a_window_is_no_interval),
		cmocka_unit_test(test_whose_past_it_is),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_column),
		cmocka_unit_test(test_column_in_ascii),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_graph_in_ascii),
		cmocka_unit_test(test_graph_in_other_views),
		cmocka_unit_test(test_the_graph_keeps_more),
		cmocka_unit_test(test_the_graph_has_a_budget),
		cmocka_unit_test(test_it_is_kept_while_it_is_chosen),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
