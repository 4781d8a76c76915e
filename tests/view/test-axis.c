/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "view/axis.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/view.h"

#define S 1000000000ull
#define LIVE_NS ((int64_t)(SAMPLE_TIME_NS - 1000 * S)) /* the newest is at 1000 s of its clock */

/* A calm, a spike in the middle, a pause; slices of WIDTH from FROM on. */
static void fill_past(struct snapshot *s, size_t slices, uint64_t from_ns, uint64_t width_ns)
{
	struct snapshot_past *p = &s->past;

	p->kept = true;
	p->slices = mem_array(slices, sizeof(*p->slices));
	p->samples = mem_array(slices * s->event_count, sizeof(*p->samples));
	for (size_t i = 0; i < slices; i++) {
		uint64_t at = from_ns + i * width_ns;
		bool spike = i > slices / 2 && i < slices / 2 + slices / 10;

		if (i > slices * 3 / 4 && i < slices * 4 / 5)
			continue;
		p->slices[p->count] = (struct snapshot_slice){ at, at + width_ns };
		p->samples[p->count++ * s->event_count] =
			spike ? 900 : 100 + (double)(i * 37 % 100);
	}
}

static struct snapshot *live_snapshot(void)
{
	struct snapshot *s = sample_snapshot(true);

	fill_past(s, 600, 400 * S, S);
	s->past.realtime_ns = LIVE_NS;
	return s;
}

static struct snapshot *file_snapshot(void)
{
	struct snapshot *s = sample_snapshot(true);

	fill_past(s, 700, 5000 * S, S / 64);
	return s;
}

static void check_sizes(struct view *v, const char *name)
{
	static const int sizes[][2] = { { 10, 40 }, { 24, 80 }, { 40, 120 }, { 60, 200 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct grid *g = grid_new(sizes[i][0], sizes[i][1]);
		char golden[64];

		snprintf(golden, sizeof(golden), "%s-%dx%d", name, sizes[i][1], sizes[i][0]);
		view_draw(v, g);
		golden_check(g, golden);
		grid_free(g);
	}
}

static struct view *view_of(struct snapshot *s, bool ascii)
{
	const struct view_options options = { .full_command = true, .ascii = ascii };
	struct error err;
	struct view *v = view_new(&options, &err);

	view_set_mode_text(v, "half-life 5 s");
	view_set_snapshot(v, s);
	return v;
}

/* V shows a live snapshot, then a window of it. */
static void check_live(struct view *v, const char *live, const char *window)
{
	struct snapshot *s = live_snapshot();

	check_sizes(v, live);
	s->past.from_ns = 700 * S;
	s->past.to_ns = 705 * S;
	view_set_snapshot(v, s);
	check_sizes(v, window);
}

/* Without a window it takes no line of a small screen. */
UNIT_TEST(screens)
{
	struct view *v = view_of(live_snapshot(), false);
	struct snapshot *s;

	check_live(v, "axis-live", "axis-window");
	view_free(v);
	v = view_of(file_snapshot(), true);
	s = file_snapshot();
	s->past.from_ns = s->past.slices[350].from_ns;
	s->past.to_ns = s->past.slices[420].to_ns;
	check_sizes(v, "axis-file");
	view_set_snapshot(v, s);
	check_sizes(v, "axis-file-window");
	view_free(v);
}

UNIT_TEST(nothing_yet)
{
	struct snapshot *s = sample_snapshot(true);
	struct grid *g = grid_new(24, 80);
	struct view *v;

	s->past.kept = true;
	s->past.realtime_ns = LIVE_NS;
	v = view_of(s, false);
	view_draw(v, g);
	golden_check(g, "axis-nothing-80x24");
	assert_false(view_step_window(v, -1));
	assert_false(view_resize_window(v, 1));
	view_free(v);
	grid_free(g);
}

static void assert_window(struct axis_window w, uint64_t from_ns, uint64_t to_ns)
{
	assert_int_equal(w.from_ns, from_ns);
	assert_int_equal(w.to_ns, to_ns);
}

/* The newest slice, which still grows, is in no window. */
UNIT_TEST(live_windows)
{
	const struct axis_window none = { 0, 0 };
	struct snapshot *s = live_snapshot();
	const struct snapshot_past *p = &s->past;
	struct axis_window w = axis_step(p, none, -1);

	assert_window(w, 994 * S, 999 * S);
	assert_window(axis_step(p, none, 1), 0, 0);
	assert_window(axis_step(p, w, 1), 0, 0);
	w = axis_step(p, w, -1);
	assert_window(w, 989 * S, 994 * S);
	assert_window(axis_step(p, w, 1), 994 * S, 999 * S);
	w = axis_resize(p, w, 1);
	assert_window(w, 987 * S, 997 * S);
	assert_window(axis_step(p, w, 1), 989 * S, 999 * S);
	w = axis_resize(p, axis_resize(p, axis_resize(p, w, -1), -1), -1);
	assert_int_equal(w.to_ns - w.from_ns, S);
	assert_window(axis_resize(p, w, -1), w.from_ns, w.to_ns);
	assert_window(axis_step(p, w, -1), w.from_ns - S, w.from_ns);
	for (int i = 0; i < 1000; i++)
		w = axis_step(p, w, -1);
	assert_window(w, 400 * S, 401 * S);
	for (int i = 0; i < 20; i++)
		w = axis_resize(p, w, 1);
	assert_window(w, 400 * S, 999 * S);
	assert_window(axis_resize(p, none, 1), 400 * S, 999 * S);
	snapshot_free(s);
}

UNIT_TEST(windows_of_a_recording)
{
	const struct axis_window none = { 0, 0 };
	struct snapshot *s = file_snapshot();
	const struct snapshot_past *p = &s->past;
	uint64_t begin = 5000 * S, end = begin + 700 * (S / 64), width = 35 * (S / 64);
	struct axis_window w = axis_step(p, none, 1);

	assert_window(w, begin, begin + width);
	assert_window(axis_step(p, w, -1), begin, begin + width);
	for (int i = 0; i < 19; i++)
		w = axis_step(p, w, 1);
	assert_window(w, end - width, end);
	assert_window(w, axis_step(p, none, -1).from_ns, end);
	assert_window(axis_step(p, w, 1), 0, 0);
	snapshot_free(s);
}

UNIT_TEST(two_points_a_column)
{
	struct view *v = view_of(live_snapshot(), false);

	view_set_braille(v, true);
	check_live(v, "axis-braille-live", "axis-braille-window");
	view_free(v);
	v = view_of(file_snapshot(), true); /* not in ASCII */
	check_sizes(v, "axis-file");
	view_set_braille(v, true);
	check_sizes(v, "axis-file");
	view_free(v);
}

static void show_window(struct view *v, struct grid *g, uint64_t from_ns, uint64_t to_ns)
{
	struct snapshot *s = live_snapshot();

	s->past.from_ns = from_ns;
	s->past.to_ns = to_ns;
	view_set_snapshot(v, s);
	view_draw(v, g);
}

/* Where a person clicks, there is the window; left of the past it is the oldest one. */
UNIT_TEST(a_click_is_in_its_window)
{
	for (int braille = 0; braille < 2; braille++) {
		struct view *v = view_of(live_snapshot(), false);
		struct grid *g = grid_new(24, 80);
		int clicks = 0;
		uint64_t from_ns, to_ns;

		view_set_braille(v, braille);
		show_window(v, g, 500 * S, 505 * S); /* the axis of a window is shorter */
		for (int column = 0; column < 80; column++) {
			if (view_click(v, 4, column) != CLICK_WINDOW)
				continue;
			view_window(v, &from_ns, &to_ns);
			show_window(v, g, from_ns, to_ns);
			assert_true(grid_at(g, 4, column)->style == STYLE_MATCH ||
				    from_ns == 400 * S);
			clicks++;
		}
		assert_in_range(clicks, 20, 60);
		view_free(v);
		grid_free(g);
	}
}

/* A click on the bars wants the window around it; what the screen shows is the snapshot's. */
UNIT_TEST(a_click_chooses)
{
	struct view *v = view_of(live_snapshot(), false);
	struct grid *g = grid_new(24, 80);
	uint64_t from_ns, to_ns;

	view_draw(v, g);
	assert_int_equal(view_click(v, 4, 2), CLICK_NOTHING);
	assert_int_equal(view_click(v, 4, 40), CLICK_WINDOW);
	view_window(v, &from_ns, &to_ns);
	assert_int_equal(to_ns - from_ns, 5 * S);
	assert_in_range(from_ns, 600 * S, 800 * S);
	assert_true(view_leave_window(v));
	assert_false(view_leave_window(v));
	view_free(v);
	grid_free(g);
}

/* Slices that are as odd as can be draw something, within the line. */
UNIT_TEST(odd_slices)
{
	static const struct snapshot_slice odd[][2] = {
		{ { 0, 1 }, { UINT64_MAX / 2 - 1, UINT64_MAX / 2 } },
		{ { 5, 5 }, { 5, 5 } },
		{ { 7, 8 }, { 8, 9 } },
	};

	for (size_t i = 0; i < 2 * sizeof(odd) / sizeof(*odd); i++) {
		struct snapshot *s = sample_snapshot(true);
		struct grid *g = grid_new(1, 40);

		fill_past(s, 2, 0, 1);
		s->past.count = 2;
		memcpy(s->past.slices, odd[i / 2], sizeof(odd[0]));
		s->past.realtime_ns = i % 2 ? LIVE_NS : 0;
		axis_draw(g, 0, s, 0);
		axis_draw(g, 0, s, -1);
		s->past.to_ns = odd[i / 2][1].to_ns;
		axis_draw(g, 0, s, 0);
		grid_set_braille(g, true);
		axis_draw(g, 0, s, 0);
		for (int at = 0; at < 2 * 63; at++)
			axis_at(&s->past, axis_step(&s->past, (struct axis_window){ 0, 0 }, -1),
				&(struct axis_place){ at / 2 - 3, 40, 1 + at % 2 });
		snapshot_free(s);
		grid_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_points_a_column),
		cmocka_unit_test(a_click_is_in_its_window),
		cmocka_unit_test(screens),
		cmocka_unit_test(nothing_yet),
		cmocka_unit_test(live_windows),
		cmocka_unit_test(windows_of_a_recording),
		cmocka_unit_test(a_click_chooses),
		cmocka_unit_test(odd_slices),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
