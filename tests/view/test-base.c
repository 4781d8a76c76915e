/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <limits.h>
#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/calls.h"
#include "view/list/mapping-list.h"
#include "view/view.h"

/* Before: without `hot_b`'s samples, twice as much of the first process, nothing of another. */
static struct snapshot *calm(void)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];
		double factor = c->pid == 4180 ? 0.25 : c->pid == 812 ? 4 : 1;

		if (!strcmp(frame_symbol(s->frames, c->frame), "hot_b"))
			factor = 0;
		c->samples *= factor;
		c->period *= factor;
	}
	return s;
}

/* Now: nothing of `hot_a`. */
static struct snapshot *spike(void)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];

		if (!strcmp(frame_symbol(s->frames, c->frame), "hot_a"))
			c->samples = c->period = 0;
	}
	return s;
}

static struct view *view_of(const char *kind, const char *sort, bool ascii)
{
	const struct view_options options = {
		.full_command = true, .view = kind, .sort = sort, .ascii = ascii
	};
	struct error err;

	return view_new(&options, &err);
}

static struct view *compared(const char *kind, const char *sort, bool ascii)
{
	struct view *v = view_of(kind, sort, ascii);

	view_set_snapshot(v, calm());
	assert_true(view_mark_base(v));
	view_set_snapshot(v, spike());
	return v;
}

static void check_sizes(struct view *v, const char *name)
{
	static const int sizes[][2] = { { 10, 40 }, { 24, 80 }, { 40, 120 }, { 60, 200 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct grid *g = grid_new(sizes[i][0], sizes[i][1]);
		char golden[64];

		snprintf(golden, sizeof(golden), "base-%s-%dx%d", name, sizes[i][1], sizes[i][0]);
		view_draw(v, g);
		golden_check(g, golden);
		grid_free(g);
	}
	view_free(v);
}

UNIT_TEST(screens)
{
	check_sizes(compared(NULL, NULL, false), "processes");
	check_sizes(compared(NULL, "process.delta%,symbol.delta%", false), "sorted");
	check_sizes(compared("calltree", NULL, false), "calltree");
	check_sizes(compared("flame", NULL, true), "flame");
	check_sizes(compared("objects", NULL, false), "objects");
}

static double sum_of(struct view *v, double *absolute)
{
	double sum = 0;

	*absolute = 0;
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		sum += view_list_row(v, &list_symbols, i).symbol->delta_percent;
		*absolute += fabs(view_list_row(v, &list_symbols, i).symbol->delta_percent);
	}
	return sum;
}

static const struct symbol_row *symbol_called(struct view *v, const char *name)
{
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		if (!strcmp(frame_symbol(view_snapshot(v)->frames,
					 view_list_row(v, &list_symbols, i).symbol->frame),
			    name))
			return view_list_row(v, &list_symbols, i).symbol;
	}
	return NULL;
}

/* Shares of two wholes: what is more here is less there. */
UNIT_TEST(differences_add_up)
{
	struct view *v = compared(NULL, "delta%", false);
	double absolute, before = INFINITY;

	assert_true(fabs(sum_of(v, &absolute)) < 1e-6);
	assert_true(absolute > 50);
	assert_true(symbol_called(v, "hot_a")->delta_percent < -10);
	assert_true(symbol_called(v, "hot_a")->samples == 0);
	assert_true(symbol_called(v, "hot_b")->delta_percent ==
		    symbol_called(v, "hot_b")->overhead_percent);
	view_free(v);
	v = compared(NULL, "symbol.delta%", false);
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		assert_true(fabs(view_list_row(v, &list_symbols, i).symbol->delta_percent) <
			    before + 0.01);
		before = fabs(view_list_row(v, &list_symbols, i).symbol->delta_percent);
	}
	view_free(v);
}

/* Also while what is shown is the base itself; and without one all is as it was. */
UNIT_TEST(the_same_differs_by_nothing)
{
	struct view *v = view_of(NULL, NULL, false);
	struct grid *g = grid_new(40, 120);
	struct buf before = { 0 }, after = { 0 };
	double absolute;

	assert_false(view_mark_base(v));
	assert_false(view_drop_base(v));
	view_set_snapshot(v, calm());
	view_draw(v, g);
	grid_dump(g, &before);
	assert_true(isnan(view_list_row(v, &list_symbols, 0).symbol->delta_percent));
	view_mark_base(v);
	sum_of(v, &absolute);
	assert_true(absolute == 0);
	view_set_snapshot(v, calm());
	sum_of(v, &absolute);
	assert_true(absolute == 0);
	view_mark_base(v); /* another one in its place */
	assert_true(view_drop_base(v));
	view_draw(v, g);
	grid_dump(g, &after);
	assert_string_equal(before.bytes, after.bytes);
	assert_true(isnan(view_list_row(v, &list_symbols, 0).symbol->delta_percent));
	buf_fini(&before);
	buf_fini(&after);
	grid_free(g);
	view_free(v);
}

/* Filters and zooms are of both sides: a process compared with itself. */
UNIT_TEST(filters_are_of_both)
{
	struct view *v = compared(NULL, NULL, false);
	double absolute;

	assert_true(view_search(v, "cc1plus", 1));
	assert_true(view_enter(v));
	assert_true(fabs(sum_of(v, &absolute)) < 1e-6);
	assert_true(absolute < 1e-6); /* a quarter of everything: the same shares */
	assert_true(view_list_count(v, &list_symbols) > 3);
	view_free(v);
}

/* A process that only the base has. */
UNIT_TEST(who_is_gone_has_a_row)
{
	struct view *v = view_of(NULL, NULL, false);
	struct snapshot *now = spike();
	bool found = false;

	view_set_snapshot(v, calm());
	view_mark_base(v);
	for (size_t i = 0; i < now->process_count; i++) {
		if (now->processes[i].pid == 812)
			now->processes[i] = now->processes[--now->process_count];
	}
	for (size_t i = 0; i < now->cell_count; i++) {
		if (now->cells[i].pid == 812)
			now->cells[i].samples = now->cells[i].period = 0;
	}
	view_set_snapshot(v, now);
	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);

		if (row.process->pid != 812)
			continue;
		found = true;
		assert_true(row.delta_percent < 0);
		assert_true(row.samples == 0);
		assert_true(isnan(snapshot_counter(now, row.process, EVENT_CYCLES)));
		assert_true(row.process->swap_bytes < 0 && isnan(row.process->memory_age_s));
	}
	assert_true(found);
	view_free(v);
}

static const struct call_row *call_at(struct view *v, const struct list_kind *pane, size_t i)
{
	return view_list_row(v, pane, i).call;
}

static bool is_called(struct view *v, const struct call_row *row, const char *name)
{
	return !strcmp(frame_symbol(view_snapshot(v)->frames, row->frame), name);
}

static void open_all(struct view *v)
{
	view_move(v, LONG_MIN);
	do
		view_fold(v, FOLD_OPEN_ALL);
	while (view_move(v, 1));
}

/* Every path of the base has a row: what begins a tree adds up to nothing, like the symbols. */
UNIT_TEST(trees_have_what_is_gone)
{
	static const struct {
		const char *view;
		const struct list_kind *pane;
	} trees[] = { { "calltree", &list_calltree }, { "bottomup", &list_bottomup } };

	for (size_t t = 0; t < 2; t++) {
		struct view *v = compared(trees[t].view, NULL, false);
		double roots = 0, gone = 0;

		open_all(v);
		for (size_t i = 0; i < view_list_count(v, trees[t].pane); i++) {
			const struct call_row *row = call_at(v, trees[t].pane, i);

			roots += row->place.depth ? 0 : row->delta_percent;
			if (!is_called(v, row, "hot_a"))
				continue;
			assert_true(row->total == 0 && row->self == 0);
			gone += row->delta_percent;
		}
		assert_true(fabs(roots) < 1e-6);
		assert_true(fabs(gone - symbol_called(v, "hot_a")->delta_percent) < 1e-6);
		view_free(v);
	}
}

/* Around a function that has nothing any more: who called it, and what it spent itself. */
UNIT_TEST(sides_have_what_is_gone)
{
	struct view *v = compared(NULL, "delta%", false);
	double callers = 0, delta;

	view_set_pane(v, &list_symbols);
	delta = symbol_called(v, "hot_a")->delta_percent;
	assert_true(view_search(v, "hot_a", 0));
	assert_true(view_show(v, view_kind_find("callers")));
	assert_int_equal(view_list_count(v, &list_callers), 2);
	for (size_t i = 0; i < 2; i++)
		callers += call_at(v, &list_callers, i)->delta_percent;
	assert_true(fabs(callers - delta) < 1e-6);
	assert_int_equal(view_list_count(v, &list_callees), 1);
	assert_true(is_called(v, call_at(v, &list_callees, 0), "hot_a"));
	assert_true(fabs(call_at(v, &list_callees, 0)->delta_percent - delta) < 1e-6);
	view_free(v);
}

/* The place of the text on the screen, in *ROW too, or -1. */
static int column_of(const struct grid *g, const char *text, int *row)
{
	struct buf all = { 0 };
	const char *found, *line;

	grid_dump(g, &all);
	found = strstr(all.bytes, text);
	*row = 0;
	for (line = all.bytes; found && strchr(line, '\n') < found; ++*row)
		line = strchr(line, '\n') + 1;
	buf_fini(&all);
	return found ? (int)(found - line) : -1;
}

/* A function that only the base has, in the colour of what is less, and as wide as it was there. */
UNIT_TEST(flame_graph_has_what_is_gone)
{
	struct view *v = compared("flame", NULL, true);
	struct grid *g = grid_new(40, 200);
	double all = 0, gone = 0;
	int row, column, width = 0;

	view_draw(v, g);
	for (size_t i = 0; i < view_list_count(v, &list_flame); i++) {
		const struct call_row *box = call_at(v, &list_flame, i);

		if (is_called(v, box, "hot_a"))
			gone = -box->delta_percent; /* the last one is the uppermost */
	}
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		const struct symbol_row *symbol = view_list_row(v, &list_symbols, i).symbol;

		all += symbol->samples > 0 ? symbol->overhead_percent : -symbol->delta_percent;
	}
	column = column_of(g, "-hot_a", &row);
	assert_true(column > 0);
	while (grid_at(g, row, column + width)->style == STYLE_FLAME_LESS)
		width++;
	assert_true(fabs(width - 198 * gone / all) < 2);
	grid_free(g);
	view_free(v);
}

/* By how much more often events count, and of which mapping the faults are. */
UNIT_TEST(events_differ_by_their_rates)
{
	struct view *v = view_of("events", NULL, false);
	struct snapshot *before = calm(), *now = spike();

	assert_true(before->events[0].value > 0);
	now->events[0].value = before->events[0].value * 3;
	now->interval_s = before->interval_s * 2;
	before->events[1].value = NAN;
	view_set_snapshot(v, before);
	assert_true(isnan(view_list_row(v, &list_events, 0).delta_percent));
	view_mark_base(v);
	view_set_snapshot(v, now);
	assert_true(fabs(view_list_row(v, &list_events, 0).delta_percent - 50) < 1e-6);
	assert_true(isnan(view_list_row(v, &list_events, 1).delta_percent));
	check_sizes(v, "events");
}

/* Faults of a snapshot, half of them of DATA, the rest of the frame before it. */
static struct snapshot *faults_at(uint32_t data)
{
	struct snapshot *s = sample_snapshot(false);

	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].data = s->cells[i].pid == 4180 ? data : data - 1;
		if (s->cells[i].event == 1)
			s->cells[i].period = s->cells[i].pid == 4180 ? 3 : s->cells[i].pid == 4123;
	}
	return s;
}

static double share_of(const struct snapshot *s, const struct mapping_row *row)
{
	double part = 0, all = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event != 1)
			continue;
		all += c->period;
		if (!strcmp(frame_object_path(s->frames, c->data), row->path))
			part += c->period;
	}
	return 100 * part / all;
}

UNIT_TEST(mappings_differ_by_their_shares)
{
	struct view *v = view_of("memory", NULL, false);
	struct snapshot *before = faults_at(2), *copy = faults_at(2), *now = faults_at(12);
	double least = 0;

	view_set_snapshot(v, before);
	view_mark_base(v);
	view_set_snapshot(v, now);
	assert_true(view_list_count(v, &list_mappings) > 1);
	for (size_t i = 0; i < view_list_count(v, &list_mappings); i++) {
		const struct mapping_row *row = view_list_row(v, &list_mappings, i).mapping;
		double delta = share_of(now, row) - share_of(copy, row);

		assert_true(fabs(row->delta_percent - delta) < 1e-6);
		least = fmin(least, delta);
	}
	assert_true(least < -10);
	snapshot_free(copy);
	check_sizes(v, "memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(differences_add_up),
		cmocka_unit_test(the_same_differs_by_nothing),
		cmocka_unit_test(filters_are_of_both),
		cmocka_unit_test(who_is_gone_has_a_row),
		cmocka_unit_test(trees_have_what_is_gone),
		cmocka_unit_test(sides_have_what_is_gone),
		cmocka_unit_test(flame_graph_has_what_is_gone),
		cmocka_unit_test(events_differ_by_their_rates),
		cmocka_unit_test(mappings_differ_by_their_shares),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
