/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The view of control groups: its rows, what they sum, what is folded, and what Enter shows. */
#include "unit.h"

#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/list.h"
#include "view/view.h"

static struct view *view_make(struct snapshot *s)
{
	struct view_options options = { .view = "groups" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, s);
	return v;
}

static struct snapshot *machine(size_t more)
{
	struct snapshot *s = sample_snapshot(true);

	sample_groups(s, more);
	return s;
}

static const struct group_row *row_at(struct view *v, size_t i)
{
	return view_list_row(v, &list_groups, i).group;
}

static const struct group_row *row_of(struct view *v, uint32_t id)
{
	for (size_t i = 0; i < view_list_count(v, &list_groups); i++) {
		if (row_at(v, i)->group->id == id)
			return row_at(v, i);
	}
	return NULL;
}

static void select_row(struct view *v, uint32_t id)
{
	view_move(v, -1000);
	while (view_selected_key(v) != row_of(v, id)->branch.key && view_move(v, 1))
		;
	assert_true(view_selected_key(v) == row_of(v, id)->branch.key);
}

static double sum(const struct snapshot *s, size_t event)
{
	double all = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		if (!p->tid && !isnan(p->counters[event]))
			all += p->counters[event];
	}
	return all;
}

UNIT_TEST(a_row_has_what_is_below_it)
{
	struct snapshot *s = machine(0);
	struct view *v = view_make(s);
	uint32_t processes = 0;

	assert_int_equal(view_list_count(v, &list_groups), s->group_count);
	assert_int_equal(row_at(v, 0)->group->id, 1); /* the root */
	for (size_t i = 0; i < s->event_count; i++) {
		if (!isnan(row_of(v, 1)->counters[i]))
			assert_true(fabs(row_of(v, 1)->counters[i] - sum(s, i)) < 0.001);
	}
	for (size_t i = 0; i < s->process_count; i++)
		processes += !s->processes[i].tid && !s->processes[i].exited;
	assert_int_equal(row_of(v, 1)->processes, processes);
	assert_int_equal(row_of(v, 6)->processes,
			 row_of(v, 7)->processes + row_of(v, 8)->processes);
	assert_true(row_of(v, 6)->group->facts->memory_bytes > 0); /* its own */
	assert_true(row_of(v, 1)->branch.shown > 0 && row_of(v, 1)->branch.shown_percent == 100);
	assert_true(row_of(v, 6)->branch.shown ==
		    row_of(v, 7)->branch.shown + row_of(v, 8)->branch.shown);
	view_free(v);
}

UNIT_TEST(siblings_are_in_order)
{
	struct view *v = view_make(machine(0));

	for (size_t i = 0; i < view_list_count(v, &list_groups); i++) {
		const struct group_row *row = row_at(v, i);

		for (size_t j = i + 1; j < view_list_count(v, &list_groups); j++) {
			const struct group_row *other = row_at(v, j);

			if (other->branch.parent == row->branch.parent &&
			    !isnan(other->cpu_percent))
				assert_true(row->cpu_percent + 0.1 >= other->cpu_percent);
		}
	}
	view_free(v);
}

UNIT_TEST(many_groups_are_closed_below_the_second_level)
{
	struct snapshot *s = machine(10000);
	struct view *v = view_make(s);
	size_t closed;

	/* The root, and two levels: 100 of "more" and as many below them. */
	assert_null(row_of(v, 7));
	assert_non_null(row_of(v, 6));
	closed = view_list_count(v, &list_groups);
	assert_true(closed < 300 && closed > 200);
	select_row(v, 6);
	assert_true(view_fold(v, FOLD_OPEN));
	assert_int_equal(view_list_count(v, &list_groups), closed + 2);
	assert_non_null(row_of(v, 7));
	view_set_snapshot(v, machine(10000));
	assert_non_null(row_of(v, 7)); /* it stays open */
	select_row(v, 5);
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_int_equal(view_list_count(v, &list_groups), closed - 1);
	view_free(v);
}

UNIT_TEST(a_filter_keeps_those_above)
{
	struct view *v = view_make(machine(0));

	assert_true(view_set_filter(v, "4f1c2a90b3de"));
	assert_int_equal(view_list_count(v, &list_groups), 4);
	assert_non_null(row_of(v, 1));
	assert_non_null(row_of(v, 8));
	assert_true(view_set_filter(v, "/docker-4f1c")); /* a part of the path */
	assert_int_equal(view_list_count(v, &list_groups), 3);
	assert_true(view_set_filter(v, "no such group"));
	assert_int_equal(view_list_count(v, &list_groups), 0);
	view_free(v);
}

static void check_zoom(struct view *v, const uint32_t *ids, size_t count)
{
	const struct snapshot *s = view_snapshot(v);
	size_t want = 0;
	double samples = 0, symbols = 0;

	for (size_t i = 0; i < s->process_count; i++)
		for (size_t j = 0; j < count; j++)
			want += !s->processes[i].tid && s->processes[i].group == ids[j];
	for (size_t i = 0; i < s->cell_count; i++)
		for (size_t j = 0; j < count; j++)
			if (s->cells[i].event == view_event(v) && s->cells[i].group == ids[j])
				samples += s->cells[i].samples;
	assert_int_equal(view_list_count(v, &list_processes), want);
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
		symbols += view_list_row(v, &list_symbols, i).symbol->samples;
	assert_true(want > 0 && samples > 0);
	assert_true(fabs(symbols - samples) < 0.001);
}

UNIT_TEST(enter_shows_the_processes_of_a_group)
{
	struct view *v = view_make(machine(0));

	assert_true(view_extras(v) & EXTRA_GROUPS);
	select_row(v, 6);
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "processes");
	check_zoom(v, (const uint32_t[]){ 6, 7, 8 }, 3);
	assert_true(view_extras(v) & EXTRA_GROUPS);
	view_set_snapshot(v, machine(50));
	check_zoom(v, (const uint32_t[]){ 6, 7, 8 }, 3);
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "groups");
	select_row(v, 0); /* those whose group is not known */
	assert_true(view_enter(v));
	check_zoom(v, (const uint32_t[]){ 0 }, 1);
	assert_true(view_back(v));
	view_free(v);
}

UNIT_TEST(files_are_read_for_rows_on_the_screen)
{
	struct view *v = view_make(machine(10000));
	struct grid *g = grid_new(24, 80);
	struct error err = { "" };
	uint32_t ids[100];
	bool all;
	size_t count;

	view_draw(v, g);
	count = view_group_ids(v, ids, 100, &all);
	assert_true(count > 5 && count < 24 && !all);
	assert_int_equal(ids[0], 1);
	assert_int_equal(view_group_ids(v, ids, 3, &all), 3);
	assert_true(view_set_sort(v, "memory", &err));
	view_group_ids(v, ids, 100, &all);
	assert_true(all); /* their order comes from the files */
	view_show(v, view_kinds);
	assert_int_equal(view_group_ids(v, ids, 100, &all), 0);
	assert_false(all);
	grid_free(g);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_has_what_is_below_it),
		cmocka_unit_test(siblings_are_in_order),
		cmocka_unit_test(many_groups_are_closed_below_the_second_level),
		cmocka_unit_test(a_filter_keeps_those_above),
		cmocka_unit_test(enter_shows_the_processes_of_a_group),
		cmocka_unit_test(files_are_read_for_rows_on_the_screen),
	};

	return unit_run(tests);
}
