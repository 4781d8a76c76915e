/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
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
	const struct view_options options = { .full_command = true, .view = kind, .sort = sort,
					      .ascii = ascii };
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

static void screens(void **state)
{
	(void)state;
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
	for (size_t i = 0; i < view_symbol_count(v); i++) {
		sum += view_symbol(v, i)->delta_percent;
		*absolute += fabs(view_symbol(v, i)->delta_percent);
	}
	return sum;
}

static const struct symbol_row *symbol_called(struct view *v, const char *name)
{
	for (size_t i = 0; i < view_symbol_count(v); i++) {
		if (!strcmp(frame_symbol(view_snapshot(v)->frames, view_symbol(v, i)->frame), name))
			return view_symbol(v, i);
	}
	return NULL;
}

/* Shares of two wholes: what is more here is less there. */
static void differences_add_up(void **state)
{
	struct view *v = compared(NULL, "delta%", false);
	double absolute, before = INFINITY;

	(void)state;
	assert_true(fabs(sum_of(v, &absolute)) < 1e-6);
	assert_true(absolute > 50);
	assert_true(symbol_called(v, "hot_a")->delta_percent < -10);
	assert_true(symbol_called(v, "hot_a")->samples == 0);
	assert_true(symbol_called(v, "hot_b")->delta_percent ==
		    symbol_called(v, "hot_b")->overhead_percent);
	view_free(v);
	v = compared(NULL, "symbol.delta%", false);
	for (size_t i = 0; i < view_symbol_count(v); i++) {
		assert_true(fabs(view_symbol(v, i)->delta_percent) < before + 0.01);
		before = fabs(view_symbol(v, i)->delta_percent);
	}
	view_free(v);
}

/* Also while what is shown is the base itself; and without one all is as it was. */
static void the_same_differs_by_nothing(void **state)
{
	struct view *v = view_of(NULL, NULL, false);
	struct grid *g = grid_new(40, 120);
	struct buf before = { 0 }, after = { 0 };
	double absolute;

	(void)state;
	assert_false(view_mark_base(v));
	assert_false(view_drop_base(v));
	view_set_snapshot(v, calm());
	view_draw(v, g);
	grid_dump(g, &before);
	assert_true(isnan(view_symbol(v, 0)->delta_percent));
	view_mark_base(v);
	sum_of(v, &absolute);
	assert_true(absolute == 0);
	view_set_snapshot(v, calm());
	sum_of(v, &absolute);
	assert_true(absolute == 0);
	view_mark_base(v);		/* another one in its place */
	assert_true(view_drop_base(v));
	view_draw(v, g);
	grid_dump(g, &after);
	assert_string_equal(before.bytes, after.bytes);
	assert_true(isnan(view_symbol(v, 0)->delta_percent));
	buf_fini(&before);
	buf_fini(&after);
	grid_free(g);
	view_free(v);
}

/* Filters and zooms are of both sides: a process compared with itself. */
static void filters_are_of_both(void **state)
{
	struct view *v = compared(NULL, NULL, false);
	double absolute;

	(void)state;
	assert_true(view_search(v, "cc1plus", 1));
	assert_true(view_enter(v));
	assert_true(fabs(sum_of(v, &absolute)) < 1e-6);
	assert_true(absolute < 1e-6);	/* a quarter of everything: the same shares */
	assert_true(view_symbol_count(v) > 3);
	view_free(v);
}

/* A process that only the base has. */
static void who_is_gone_has_a_row(void **state)
{
	struct view *v = view_of(NULL, NULL, false);
	struct snapshot *now = spike();
	bool found = false;

	(void)state;
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
	for (size_t i = 0; i < view_process_count(v); i++) {
		struct column_row row = view_process_row(v, i);

		if (row.process->pid != 812)
			continue;
		found = true;
		assert_true(row.delta_percent < 0);
		assert_true(row.samples == 0);
		assert_true(isnan(snapshot_counter(now, row.process, COUNTER_CYCLES)));
	}
	assert_true(found);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(differences_add_up),
		cmocka_unit_test(the_same_differs_by_nothing),
		cmocka_unit_test(filters_are_of_both),
		cmocka_unit_test(who_is_gone_has_a_row),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
