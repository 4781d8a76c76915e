/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of CPUs: its rows, what they sum, what is folded, and what Enter shows. */
#include "unit.h"

#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/list.h"
#include "view/view.h"

static struct view *view_make(const char *level, struct snapshot *s)
{
	struct view_options options = { .view = "cpus", .cpu_level = level };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, s);
	return v;
}

static struct snapshot *machine(uint32_t cpus, uint32_t nodes)
{
	struct snapshot *s = sample_snapshot(true);

	sample_cpus(s, cpus, nodes);
	return s;
}

static const struct cpu_row *row_at(struct view *v, size_t i)
{
	return view_list_row(v, &list_cpus, i).cpu;
}

static const struct cpu_row *row_named(struct view *v, const char *name)
{
	for (size_t i = 0; i < view_list_count(v, &list_cpus); i++) {
		if (!strcmp(row_at(v, i)->name, name))
			return row_at(v, i);
	}
	return NULL;
}

static void check_names(struct view *v, const char *const *names, size_t count)
{
	assert_int_equal(view_list_count(v, &list_cpus), count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(row_at(v, i)->name, names[i]);
}

static void select_row(struct view *v, const char *name)
{
	view_move(v, -1000);
	while (strcmp(view_list_row(v, &list_cpus, 0).cpu->name, name) &&
	       view_selected_key(v) != row_named(v, name)->branch.key)
		assert_true(view_move(v, 1));
}

UNIT_TEST(many_cpus_are_folded_to_nodes)
{
	static const char *const nodes[] = { "machine", "node0", "node1", "node2", "node3" };
	struct view *v = view_make(NULL, machine(256, 4));
	const struct cpu_row *all = row_at(v, 0);
	double sum = 0, samples = 0;

	check_names(v, nodes, 5); /* each is a package, too: packages have no rows */
	assert_int_equal(all->cpus, 256);
	assert_int_equal(all->online, 255);
	for (size_t i = 1; i < 5; i++) {
		sum += row_at(v, i)->counters[0];
		samples += row_at(v, i)->samples;
	}
	assert_true(all->counters[0] == sum && sum == 255 * 1000 + 254 * 255 / 2);
	assert_true(all->samples == samples && samples == 254 * 255 / 2);
	view_free(v);
	v = view_make("cpu", machine(256, 4));
	assert_int_equal(view_list_count(v, &list_cpus), 1 + 4 + 32 + 128 + 256);
	view_free(v);
}

/* Every level, the shares are means, the parts of a time add up. */
UNIT_TEST(groups_are_sums_and_means)
{
	struct view *v = view_make(NULL, machine(16, 2));
	const struct cpu_row *core;
	double shown = 0;

	assert_int_equal(view_list_count(v, &list_cpus), 1 + 2 + 8 + 16);
	core = row_named(v, "core2");
	assert_non_null(core);
	assert_int_equal(core->online, 2);
	assert_true(fabs(core->facts.idle_percent - 90.0 * 2.5 / 16) < 1e-9);
	assert_true(core->counters[0] == 2005 && core->samples == 5);
	assert_true(fabs(core->facts.user_percent + core->facts.system_percent +
			 core->facts.irq_percent + core->facts.softirq_percent +
			 core->facts.steal_percent + core->facts.iowait_percent +
			 core->facts.idle_percent - 100) < 1e-9);
	assert_int_equal(core->facts.place.type, 'P');
	assert_int_equal(row_at(v, 0)->facts.place.type, 0);
	for (size_t i = 0; i < view_list_count(v, &list_cpus); i++) {
		const struct cpu_row *row = row_at(v, i);

		if (row->level == CPU_LEVEL_CPU)
			shown += row->branch.shown;
		assert_true(!row->branch.top == !(row->branch.shown > 0));
		assert_false(row->branch.top_percent > 100.001);
	}
	assert_true(fabs(row_at(v, 0)->branch.shown - shown) < 1e-6 && shown > 0);
	core = row_named(v, "cpu15"); /* it is offline */
	assert_true(isnan(core->busy_percent) && isnan(core->samples) && !core->online);
	view_free(v);
}

UNIT_TEST(rows_open_and_close)
{
	struct view *v = view_make("node", machine(16, 2));

	assert_int_equal(view_list_count(v, &list_cpus), 3);
	select_row(v, "node1");
	assert_true(view_fold(v, FOLD_OPEN));
	assert_int_equal(view_list_count(v, &list_cpus), 3 + 4); /* closed cores */
	view_set_snapshot(v, machine(16, 2));
	assert_int_equal(view_list_count(v, &list_cpus), 3 + 4);
	select_row(v, "core8");
	assert_true(view_fold(v, FOLD_OPEN));
	assert_non_null(row_named(v, "cpu9"));
	select_row(v, "cpu9");
	assert_true(view_fold(v, FOLD_CLOSE)); /* to the row above */
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_null(row_named(v, "cpu9"));
	select_row(v, "machine");
	assert_true(view_fold(v, FOLD_CLOSE_ALL));
	assert_int_equal(view_list_count(v, &list_cpus), 1);
	assert_true(view_fold(v, FOLD_OPEN));
	assert_int_equal(view_list_count(v, &list_cpus), 3);
	view_free(v);
}

UNIT_TEST(a_filter_keeps_what_is_above)
{
	static const char *const names[] = { "machine", "node0", "core6", "cpu7" };
	struct view *v = view_make(NULL, machine(16, 2));

	view_set_filter(v, "cpu7");
	check_names(v, names, 4);
	view_set_filter(v, "nosuch");
	assert_int_equal(view_list_count(v, &list_cpus), 0);
	view_free(v);
}

static double samples_of(const struct snapshot *s, int event, const char *cpus)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event == event && c->cpu && strchr(cpus, 'a' + c->cpu - 1))
			sum += c->samples;
	}
	return sum;
}

static void check_zoom(struct view *v, const char *cpus)
{
	double want = samples_of(view_snapshot(v), view_event(v), cpus), processes = 0, symbols = 0;

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);

		assert_true(row.shown > 0 || strlen(cpus) == 16); /* others have no row */
		processes += row.shown;
	}
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
		symbols += view_list_row(v, &list_symbols, i).symbol->samples;
	assert_true(want > 0 && fabs(processes - want) < 1e-6 && fabs(symbols - want) < 1e-6);
}

UNIT_TEST(enter_shows_what_ran_there)
{
	struct view *v = view_make(NULL, machine(16, 2));

	select_row(v, "cpu0");
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "processes");
	assert_true(view_extras(v) & EXTRA_CPUS);
	check_zoom(v, "a");
	view_set_snapshot(v, machine(16, 2));
	check_zoom(v, "a");
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "cpus");
	select_row(v, "core2");
	assert_true(view_enter(v));
	check_zoom(v, "cd");
	assert_true(view_back(v));
	select_row(v, "machine");
	assert_true(view_enter(v));
	check_zoom(v, "abcdefghijklmnop");
	assert_true(view_back(v));
	view_show(v, view_kinds);
	assert_false(view_extras(v) & EXTRA_CPUS); /* nobody looks */
	view_free(v);
}

/* A machine that tells nothing of its parts has a row for each CPU, in their order. */
UNIT_TEST(places_may_be_unknown)
{
	static const char *const names[] = { "machine", "cpu0", "cpu1", "cpu2" };
	struct snapshot *s = machine(3, 1);
	struct view *v;

	for (size_t i = 0; i < s->cpu_count; i++)
		s->cpus[i].facts.place = cpu_unknown.place;
	v = view_make(NULL, s);
	check_names(v, names, 4);
	view_free(v);
}

/* The figure of a cache that two nodes share belongs to neither of them. */
UNIT_TEST(figures_of_caches_are_sums_over_whole_ones)
{
	struct snapshot *s = machine(16, 2);
	struct view *v;

	s->cpus[0].facts.memory_rate = 100;
	s->cpus[8].facts.memory_rate = 20;
	s->cpus[0].facts.local_rate = 7;
	v = view_make("cpu", s);
	assert_true(row_at(v, 0)->facts.memory_rate == 120);
	assert_true(row_named(v, "node0")->facts.memory_rate == 100);
	assert_true(row_named(v, "node1")->facts.memory_rate == 20);
	assert_true(isnan(row_named(v, "core0")->facts.memory_rate));
	assert_true(isnan(row_named(v, "cpu0")->facts.memory_rate));
	assert_true(isnan(row_at(v, 0)->facts.local_rate)); /* that of one is unknown */
	assert_true(row_named(v, "node0")->facts.local_rate == 7);
	view_free(v);
	s = machine(16, 4);
	s->cpus[0].facts.memory_rate = 100;
	s->cpus[8].facts.memory_rate = 20;
	v = view_make("cpu", s);
	assert_true(row_at(v, 0)->facts.memory_rate == 120);
	assert_true(isnan(row_named(v, "node0")->facts.memory_rate));
	view_free(v);
}

UNIT_TEST(sorts_among_siblings)
{
	struct snapshot *s = machine(16, 2);
	struct view *v = view_make(NULL, s);
	struct error err = { "" };

	assert_true(view_set_sort(v, "idle%", &err));
	assert_string_equal(view_sort_column(v)->name, "idle%");
	assert_string_equal(row_at(v, 1)->name, "node1");
	assert_true(row_named(v, "cpu9") < row_named(v, "cpu8") ||
		    row_named(v, "cpu9")->facts.idle_percent >
			    row_named(v, "cpu8")->facts.idle_percent);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_cpus_are_folded_to_nodes),
		cmocka_unit_test(groups_are_sums_and_means),
		cmocka_unit_test(rows_open_and_close),
		cmocka_unit_test(a_filter_keeps_what_is_above),
		cmocka_unit_test(enter_shows_what_ran_there),
		cmocka_unit_test(places_may_be_unknown),
		cmocka_unit_test(figures_of_caches_are_sums_over_whole_ones),
		cmocka_unit_test(sorts_among_siblings),
	};

	return unit_run(tests);
}
