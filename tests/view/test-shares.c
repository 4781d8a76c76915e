/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function, a process, an object has one share, whatever the filter and wherever it is shown; the
 * expected ones are counted here, cell by cell.
 */
#include "unit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/sample-code.h"
#include "profile/sample-snapshot.h"
#include "view/list/code-rows.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/object-list.h"
#include "view/list/calls.h"
#include "view/view.h"
#include "view/list/list.h"

#define CELLS 400
#define SNAPSHOTS 10
#define ASSERT_NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* Any process, any stack, periods that samples do not tell. */
static struct snapshot *random_snapshot(uint64_t seed)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	free(s->cells);
	snapshot_alloc_cells(s, CELLS);
	for (size_t i = 0; i < CELLS; i++) {
		uint64_t random = hash_u64(seed * CELLS + i);
		const struct snapshot_process *p = &s->processes[random % 11];
		uint32_t node = 1 + (uint32_t)((random >> 8) % (s->node_count - 1));

		s->cells[i] = (struct snapshot_cell){
			.process = p->serial,
			.pid = p->pid,
			.tid = p->pid,
			.comm = p->comm,
			.node = node,
			.frame = s->nodes[node].frame,
			.event = random >> 40 & 1,
			.samples = 1 + (double)(random >> 48 & 15),
			.period = 1000 + (double)(random >> 20 & 0xffff),
		};
	}
	sample_code(s, true);
	return s;
}

static bool is_kernel(const struct snapshot *s, const struct snapshot_cell *c)
{
	return frame_flags(s->frames, c->frame) & FRAME_KERNEL;
}

static bool is_rest(const struct snapshot *s, const struct snapshot_cell *c)
{
	return frame_flags(s->frames, c->frame) & FRAME_OTHERS;
}

static bool any(const struct snapshot *s, const struct snapshot_cell *c)
{
	(void)s;
	return c->pid;
}

static bool is_chosen(const struct snapshot *s, const struct snapshot_cell *c)
{
	(void)s;
	return c->pid == 4123 || c->pid == 812;
}

static bool is_cc1plus(const struct snapshot *s, const struct snapshot_cell *c)
{
	(void)s;
	return c->pid == 4180;
}

static bool is_build(const struct snapshot *s, const struct snapshot_cell *c)
{
	(void)s;
	return c->pid == 4180 || c->pid == 6001;
}

static bool is_user_part(const struct snapshot *s, const struct snapshot_cell *c)
{
	return is_rest(s, c) || !is_kernel(s, c);
}

static bool is_kernel_part(const struct snapshot *s, const struct snapshot_cell *c)
{
	return is_rest(s, c) || is_kernel(s, c);
}

static bool is_chosen_user_part(const struct snapshot *s, const struct snapshot_cell *c)
{
	return is_chosen(s, c) && is_user_part(s, c);
}

static bool is_of_load(const struct snapshot *s, const struct snapshot_cell *c)
{
	return !strcmp(frame_object_name(s->frames, c->frame), "load");
}

static void choose_nothing(struct view *v)
{
	(void)v;
}

static void choose_pids(struct view *v)
{
	uint32_t items[] = { 812, 4123 };

	view_set_pids(v, &(struct number_list){ .items = items, .count = 2 });
}

static void choose_user(struct view *v)
{
	view_set_user(v, "build");
}

static void choose_text(struct view *v)
{
	view_set_filter(v, "cc1plus");
}

static void zoom(struct view *v)
{
	assert_true(view_search(v, "cc1plus", 0));
	assert_true(view_enter(v));
}

static void hide_kernel(struct view *v)
{
	view_toggle_kernel(v);
}

static void hide_user(struct view *v)
{
	view_toggle_user_symbols(v);
}

static void choose_pids_and_hide_kernel(struct view *v)
{
	choose_pids(v);
	hide_kernel(v);
}

static void enter_object(struct view *v)
{
	assert_true(view_show(v, view_kind_find("objects")));
	assert_true(view_search(v, "load", 0));
	assert_true(view_enter(v));
}

static const struct {
	void (*choose)(struct view *v);
	bool (*has)(const struct snapshot *s, const struct snapshot_cell *c);
	bool some; /* the line over a list says what its shares are of */
} filters[] = {
	{ choose_nothing, any, false },
	{ choose_pids, is_chosen, true },
	{ choose_user, is_build, true },
	{ choose_text, is_cc1plus, true },
	{ zoom, is_cc1plus, true },
	{ hide_kernel, is_user_part, true },
	{ hide_user, is_kernel_part, true },
	{ choose_pids_and_hide_kernel, is_chosen_user_part, true },
	{ enter_object, is_of_load, true },
};

#define FILTERS (sizeof(filters) / sizeof(*filters))

/* The expected sums over the cells of the event that the filter lets pass. */
struct truth {
	const struct snapshot *s;
	bool (*has)(const struct snapshot *s, const struct snapshot_cell *c);
	bool of_all;
	double samples, period; /* wholes */
};

static struct truth truth_of(struct view *v, size_t filter)
{
	struct truth t = { .s = view_snapshot(v),
			   .has = filters[filter].has,
			   .of_all = view_of_all(v) };

	for (size_t i = 0; i < t.s->cell_count; i++) {
		const struct snapshot_cell *c = &t.s->cells[i];

		if (c->event != view_event(v) || !(t.of_all || t.has(t.s, c)))
			continue;
		t.samples += c->samples;
		t.period += c->period;
	}
	return t;
}

/* The share of FRAME, or of PROCESS (a serial), of what is shown; both 0: of all that is shown. */
static double share_of(const struct truth *t, int event, uint32_t frame, uint32_t process)
{
	double samples = 0, period = 0;

	for (size_t i = 0; i < t->s->cell_count; i++) {
		const struct snapshot_cell *c = &t->s->cells[i];

		if (c->event != event || !t->has(t->s, c) || (frame && c->frame != frame) ||
		    (process && c->process != process))
			continue;
		samples += c->samples;
		period += c->period;
	}
	return process ? 100 * samples / t->samples : 100 * period / t->period;
}

static void assert_processes(struct view *v, const struct truth *t)
{
	const struct column *c = column_find(list_processes.table->columns, "samples%");
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);

		ASSERT_NEAR(column_number(c, &row),
			    share_of(t, view_event(v), 0, row.process->serial));
		sum += column_number(c, &row);
	}
	assert_true(t->of_all ? sum < 100.001 : fabs(sum - 100) < 1e-6);
}

static void assert_symbols(struct view *v, const struct truth *t)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		const struct symbol_row *row = view_list_row(v, &list_symbols, i).symbol;

		ASSERT_NEAR(row->overhead_percent, share_of(t, view_event(v), row->frame, 0));
		sum += row->overhead_percent;
	}
	ASSERT_NEAR(sum, share_of(t, view_event(v), 0, 0));
	assert_true(t->of_all || fabs(sum - 100) < 1e-6);
}

/* The roots of a tree; of a bottom-up one they are functions. */
static void assert_tree(struct view *v, const struct truth *t, const char *kind,
			const struct list_kind *pane)
{
	double sum = 0;

	view_show(v, view_kind_find(kind));
	for (size_t i = 0; i < view_list_count(v, pane); i++) {
		const struct call_row *row = view_list_row(v, pane, i).call;

		if (row->place.depth)
			continue;
		if (pane == &list_bottomup)
			ASSERT_NEAR(row->total_percent, share_of(t, view_event(v), row->frame, 0));
		sum += row->total_percent;
	}
	ASSERT_NEAR(sum, share_of(t, view_event(v), 0, 0));
}

/* Each box of the lowest level has the share that the tree's root has. */
static void assert_flame(struct view *v)
{
	size_t roots = 0;

	view_show(v, view_kind_find("calltree"));
	for (size_t i = 0; i < view_list_count(v, &list_calltree); i++) {
		const struct call_row *row = view_list_row(v, &list_calltree, i).call;

		for (size_t b = 0; !row->place.depth && b < view_list_count(v, &list_flame); b++) {
			const struct call_row *box = view_list_row(v, &list_flame, b).call;

			if (box->place.depth || box->frame != row->frame)
				continue;
			ASSERT_NEAR(box->total_percent, row->total_percent);
			roots++;
		}
	}
	assert_true(roots);
}

static void assert_objects(struct view *v, const struct truth *t)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_objects); i++)
		sum += view_list_row(v, &list_objects, i).object->overhead_percent;
	ASSERT_NEAR(sum, share_of(t, view_event(v), 0, 0));
}

/* The sum of a function and all that it calls: its callees, among them itself. */
static void assert_callees(struct view *v, const struct truth *t)
{
	uint32_t frame = view_list_row(v, &list_symbols, 0).symbol->frame;
	double sum = 0, expected = 0;

	view_show(v, view_kinds);
	view_set_pane(v, &list_symbols);
	view_move(v, LONG_MIN);
	assert_true(view_show(v, view_kind_find("callers")));
	for (size_t i = 0; i < view_list_count(v, &list_callees); i++) {
		const struct call_row *row = view_list_row(v, &list_callees, i).call;

		sum += row->place.depth ? 0 : row->total_percent;
	}
	for (size_t i = 0; i < t->s->cell_count; i++) {
		const struct snapshot_cell *c = &t->s->cells[i];
		uint32_t node = c->node;

		while (node && t->s->nodes[node].frame != frame)
			node = t->s->nodes[node].parent;
		if (node && c->event == view_event(v) && t->has(t->s, c))
			expected += 100 * c->period / t->period;
	}
	ASSERT_NEAR(sum, expected);
}

/* The instructions of hot_a sum up to the share that it has as a function. */
static void assert_code(struct view *v)
{
	uint32_t frame = view_snapshot(v)->function.frame;
	double sum = 0, expected = 0;

	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		if (view_list_row(v, &list_symbols, i).symbol->frame == frame)
			expected = view_list_row(v, &list_symbols, i).symbol->overhead_percent;
	}
	view_show(v, view_kinds);
	view_set_pane(v, &list_symbols);
	if (!view_search(v, "hot_a", 0))
		return;
	assert_true(view_show(v, view_kind_find("annotate")));
	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		const struct code_row *row = view_list_row(v, &list_code, i).code;

		sum += row->is_line ? 0 : row->overhead_percent;
	}
	assert_true(expected > 0);
	ASSERT_NEAR(sum, expected);
}

static void assert_shares(struct view *v, size_t filter)
{
	const struct truth t = truth_of(v, filter);

	assert_processes(v, &t);
	assert_symbols(v, &t);
	assert_objects(v, &t);
	assert_tree(v, &t, "calltree", &list_calltree);
	assert_tree(v, &t, "bottomup", &list_bottomup);
	assert_flame(v);
	assert_callees(v, &t);
	assert_code(v);
}

static struct view *view_make(uint64_t seed)
{
	const struct view_options options = { .full_command = true };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, random_snapshot(seed));
	return v;
}

UNIT_TEST(one_share_everywhere)
{
	for (size_t filter = 0; filter < FILTERS; filter++) {
		for (uint64_t seed = 1; seed <= SNAPSHOTS; seed++) {
			struct view *v = view_make(seed);

			filters[filter].choose(v);
			assert_shares(v, filter);
			view_toggle_of_all(v);
			assert_shares(v, filter);
			view_free(v);
		}
	}
}

/* Sums of differences are nothing, for both wholes are of what is shown. */
UNIT_TEST(differences_sum_up_to_nothing)
{
	for (size_t filter = 0; filter < FILTERS; filter++) {
		struct view *v = view_make(1);
		double symbols = 0, processes = 0, objects = 0;

		view_mark_base(v);
		view_set_snapshot(v, random_snapshot(2));
		filters[filter].choose(v);
		for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
			symbols += view_list_row(v, &list_symbols, i).symbol->delta_percent;
		for (size_t i = 0; i < view_list_count(v, &list_processes); i++)
			processes += view_list_row(v, &list_processes, i).delta_percent;
		for (size_t i = 0; i < view_list_count(v, &list_objects); i++)
			objects += view_list_row(v, &list_objects, i).object->delta_percent;
		ASSERT_NEAR(symbols, 0);
		ASSERT_NEAR(processes, 0);
		ASSERT_NEAR(objects, 0);
		view_free(v);
	}
}

/* Searching rows out changes no share: a function has the same share in the other lists. */
UNIT_TEST(text_chooses_rows)
{
	struct view *v = view_make(3);
	double before;

	view_set_pane(v, &list_symbols);
	assert_true(view_search(v, "hot_a", 0));
	before = view_selected_symbol(v)->overhead_percent;
	assert_true(before > 0 && before < 99);
	view_set_filter(v, "hot_a");
	assert_int_equal(view_list_count(v, &list_symbols), 1);
	assert_true(view_list_row(v, &list_symbols, 0).symbol->overhead_percent == before);
	view_free(v);
}

/* In a tree what is above the chosen processes has a row, and no share: none of it is shown. */
UNIT_TEST(a_tree_has_the_same_shares)
{
	const struct column *c = column_find(list_processes.table->columns, "samples%");
	struct view *v = view_make(4);
	double sum = 0;
	size_t without = 0;

	view_set_user(v, "postgres");
	view_show(v, view_kind_find("tree"));
	for (size_t i = 0; i < view_list_count(v, &list_tree); i++) {
		struct column_row row = view_list_row(v, &list_tree, i);
		double share = column_number(c, &row);

		without += isnan(share);
		sum += isnan(share) ? 0 : share;
	}
	ASSERT_NEAR(sum, 100);
	assert_int_equal(without, 1); /* pid 1 */
	view_free(v);
}

static bool is_on_screen(struct view *v, const char *text)
{
	struct grid *g = grid_new(40, 160);
	struct buf screen = { 0 };
	bool found;

	view_draw(v, g);
	grid_dump(g, &screen);
	found = strstr(screen.bytes, text);
	buf_fini(&screen);
	grid_free(g);
	return found;
}

/* Where some samples are hidden, the line over each list says what its shares are of. */
UNIT_TEST(the_line_says_so)
{
	static const char *const kinds[] = { "processes", "tree", "calltree", "flame", "objects" };

	for (size_t i = 0; i < FILTERS * 5; i++) {
		struct view *v = view_make(1);
		size_t filter = i / 5;

		filters[filter].choose(v);
		view_show(v, view_kind_find(kinds[i % 5]));
		assert_int_equal(is_on_screen(v, ": % of shown") || is_on_screen(v, " % of shown"),
				 filters[filter].some);
		assert_false(is_on_screen(v, "% of all"));
		view_toggle_of_all(v);
		assert_int_equal(is_on_screen(v, "% of all"), filters[filter].some);
		view_free(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_share_everywhere),
		cmocka_unit_test(differences_sum_up_to_nothing),
		cmocka_unit_test(text_chooses_rows),
		cmocka_unit_test(a_tree_has_the_same_shares),
		cmocka_unit_test(the_line_says_so),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
