/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every view of the table: nothing of another filter stays behind, the selection stays on its row
 * through snapshots, filters, views and sizes, and it is always on the screen.
 */
#include "unit.h"

#include <limits.h>

#include "base/alloc.h"
#include "perf/event/event.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/view.h"

static const struct {
	int rows, columns;
} sizes[] = { { 24, 80 }, { 10, 40 }, { 60, 200 }, { 40, 120 } };

static struct snapshot *snapshot_make(const struct view_kind *kind)
{
	struct snapshot *s =
		kind->threads ? sample_snapshot_threads(true) : sample_snapshot_stacks(true);

	if (kind->event)
		sample_event(&s->events[0], event_at(kind->event)->name);
	sample_cpus(s, 16, 2);
	sample_groups(s, 0);
	return s;
}

/* The same, but what is in no order comes in another one. */
static struct snapshot *snapshot_turned(const struct view_kind *kind)
{
	struct snapshot *s = snapshot_make(kind);

	for (size_t i = 0; i < s->cell_count / 2; i++) {
		struct snapshot_cell cell = s->cells[i];

		s->cells[i] = s->cells[s->cell_count - 1 - i];
		s->cells[s->cell_count - 1 - i] = cell;
	}
	return s;
}

static struct view *view_make(const struct view_kind *kind)
{
	struct view_options options = { .full_command = true, .view = kind->name };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, snapshot_make(kind));
	return v;
}

/* All changes of what is shown, back and forth. */
static void change_pids(struct view *v, bool back)
{
	struct number_list pids = { 0 };
	struct error err;

	number_list_parse(&pids, "4123,4180", "pid", 0, INT32_MAX, &err);
	view_set_pids(v, back ? NULL : &pids);
	number_list_fini(&pids);
}

static void change_user(struct view *v, bool back)
{
	view_set_user(v, back ? "" : "build");
}

static void change_filter(struct view *v, bool back)
{
	view_set_filter(v, back ? "" : "a");
}

static void change_kernel(struct view *v, bool back)
{
	(void)back;
	view_toggle_kernel(v);
}

static void change_user_symbols(struct view *v, bool back)
{
	(void)back;
	view_toggle_user_symbols(v);
}

static void change_event(struct view *v, bool back)
{
	view_set_event(v, !back);
}

static void change_order(struct view *v, bool back)
{
	(void)back;
	view_reverse(v);
}

static void (*const changes[])(struct view *v, bool back) = {
	change_pids,         change_user,  change_filter, change_kernel,
	change_user_symbols, change_event, change_order,
};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

/* A row that is closed would hide what it has. */
static void open_all(struct view *v)
{
	if (!view_kind(v)->foldable)
		return;
	for (size_t i = 0; i < view_kind(v)->pane_count; i++) {
		view_set_pane(v, view_kind(v)->panes[i]);
		view_move(v, LONG_MIN);
		do
			view_fold(v, FOLD_OPEN_ALL);
		while (view_move(v, 1));
		view_move(v, LONG_MIN);
	}
	view_set_pane(v, view_kind(v)->panes[0]);
}

static char *screen_of(struct view *v)
{
	struct grid *g = grid_new(100, 150);
	struct buf text = { 0 };

	open_all(v);
	view_draw(v, g);
	grid_dump(g, &text);
	grid_free(g);
	return text.bytes;
}

/* After any two changes, with one of them taken back, the screen is that of the other one alone. */
UNIT_TEST(test_nothing_stays_behind)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		for (size_t i = 0; i < CHANGES * CHANGES; i++) {
			size_t kept = i % CHANGES, gone = i / CHANGES;
			struct view *fresh = view_make(k), *v = view_make(k);
			char *expected, *found;

			if (kept != gone) {
				free(screen_of(v));
				changes[gone](v, false);
				free(screen_of(v));
				changes[kept](v, false);
				changes[gone](v, true);
				changes[kept](fresh, false);
				expected = screen_of(fresh);
				found = screen_of(v);
				assert_string_equal(found, expected);
				free(expected);
				free(found);
			}
			view_free(fresh);
			view_free(v);
		}
	}
}

static bool is_marked_at(const struct grid *g)
{
	for (int row = 0; row < grid_rows(g); row++) {
		for (int column = 0; column < grid_columns(g); column++) {
			if (grid_at(g, row, column)->style == STYLE_SELECTED)
				return true;
		}
	}
	return false;
}

/* Whatever the size, the selected row is there; back at the first one it is the one that it was. */
static void check_sizes(struct view *v)
{
	uint64_t key = view_selected_key(v);
	struct grid *g = grid_new(sizes[0].rows, sizes[0].columns);

	for (size_t i = 0; i <= 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = i % (sizeof(sizes) / sizeof(sizes[0]));

		grid_resize(g, sizes[size].rows, sizes[size].columns);
		view_draw(v, g);
		assert_true(is_marked_at(g));
		if (!size || !view_kind(v)->flame)
			assert_true(view_selected_key(v) == key);
	}
	grid_free(g);
}

/* Somewhere in the middle of PANE. */
static bool select_a_row(struct view *v, const struct list_kind *pane)
{
	struct grid *g = grid_new(sizes[0].rows, sizes[0].columns);

	view_set_pane(v, pane);
	view_draw(v, g);
	grid_free(g);
	view_move(v, view_kind(v)->flame ? -2 : (long)view_list_count(v, pane) / 2);
	return view_selected_key(v);
}

/* Undoing a change that hides the row brings the row back. */
static void check_changes(struct view *v)
{
	uint64_t key = view_selected_key(v);

	for (size_t i = 0; i < CHANGES; i++) {
		changes[i](v, false);
		changes[i](v, true);
		if (view_selected_key(v) != key)
			fail_msg("%s: change %zu lost the selection", view_kind(v)->name, i);
	}
}

static void check_views(struct view *v, const struct list_kind *pane)
{
	const struct view_kind *kind = view_kind(v);
	uint64_t key = view_selected_key(v);

	if (kind->of_function || kind->threads)
		return; /* of the function or the process that is selected elsewhere */
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (k->of_process || k->of_function || k->table != kind->table || k->event)
			continue;
		view_show(v, k);
		view_show(v, kind);
		view_set_pane(v, pane);
		if (view_selected_key(v) != key)
			fail_msg("%s: %s lost the selection", kind->name, k->name);
	}
}

UNIT_TEST(test_selection_stays)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(k);

		for (size_t i = 0; i < k->pane_count; i++) {
			uint64_t key;

			if (!select_a_row(v, k->panes[i]))
				continue;
			key = view_selected_key(v);
			view_set_snapshot(v, snapshot_turned(k));
			assert_true(view_selected_key(v) == key);
			check_sizes(v);
			check_changes(v);
			check_views(v, k->panes[i]);
			check_sizes(v);
		}
		view_free(v);
	}
}

/* Drawn twice, a screen is the same: nothing in it depends on what was drawn before. */
UNIT_TEST(test_drawn_twice)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(k);
		struct buf one = { 0 }, other = { 0 };
		struct grid *g = grid_new(24, 80);

		view_draw(v, g);
		grid_dump(g, &one);
		grid_resize(g, 60, 200);
		view_draw(v, g);
		grid_resize(g, 24, 80);
		view_draw(v, g);
		grid_dump(g, &other);
		assert_string_equal(one.bytes, other.bytes);
		buf_fini(&one);
		buf_fini(&other);
		grid_free(g);
		view_free(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_stays_behind),
		cmocka_unit_test(test_selection_stays),
		cmocka_unit_test(test_drawn_twice),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
