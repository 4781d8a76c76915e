/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meters of the header, as a person arranges them. */
#include "unit.h"

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/header-meters.h"
#include "view/view.h"

static struct header_meters parsed(const char *text)
{
	struct header_meters m = { .count = 0 };
	struct error err = { "" };

	if (header_meters_parse(&m, text, &err))
		fail_msg("%s: %s", text, err.text);
	return m;
}

static void assert_text(const struct header_meters *m, const char *expected)
{
	struct buf text = { 0 };

	header_meters_format(m, &text);
	assert_string_equal(text.size ? text.bytes : "", expected);
	buf_fini(&text);
}

UNIT_TEST(what_is_written_is_read_again)
{
	static const char *const texts[] = {
		"",
		"cpu",
		"|mem",
		"cpu,load:text|mem,swap",
		"psi-cpu:graph,psi-mem,psi-io|tasks,ptop:text",
		"cpu,mem,swap,load,tasks,psi-cpu,psi-mem,psi-io,ptop",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct header_meters m = parsed(texts[i]);

		assert_text(&m, texts[i]);
	}
	assert_int_equal(parsed("cpu|mem").left, 1);
	assert_int_equal(parsed("cpu|").count, 1);
	assert_int_equal(parsed(",,cpu,,").count, 1);
	assert_int_equal(parsed("cpu:bar").items[0].style, METER_BAR);
}

UNIT_TEST(what_is_wrong_is_told)
{
	static const struct {
		const char *text, *told;
	} wrong[] = {
		{ "cpus", "'cpus'" },
		{ "cpu:heat", "'cpu:heat'" },
		{ "cpu:", "psi-cpu, psi-mem, psi-io" },
		{ "cpu,mem,cpu:text", "'cpu'" },
		{ "cpu|mem|swap", "|" },
		{ ":text", "':text'" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct header_meters m = parsed("mem");
		struct error err = { "" };

		assert_int_equal(header_meters_parse(&m, wrong[i].text, &err), -1);
		assert_non_null(strstr(err.text, wrong[i].told));
		assert_text(&m, "mem");
	}
}

/* From the first place to the last one, over the gap between the sides, and back. */
UNIT_TEST(a_meter_moves_to_any_place)
{
	static const char *const ways[] = { "cpu,mem|swap", "mem,cpu|swap", "mem|cpu,swap",
					    "mem|swap,cpu" };
	struct header_meters m = parsed(ways[0]);

	for (int i = 0; i < 3; i++) {
		assert_true(header_meters_move(&m, i < 2 ? (size_t)i : 1, 1));
		assert_text(&m, ways[i + 1]);
	}
	assert_false(header_meters_move(&m, 2, 1));
	for (int i = 2; i >= 0; i--) {
		assert_true(header_meters_move(&m, i < 2 ? (size_t)i + (i < 1) : 2, -1));
		assert_text(&m, ways[i]);
	}
	assert_false(header_meters_move(&m, 0, -1));
	assert_false(header_meters_move(&m, 3, -1));
}

UNIT_TEST(meters_come_and_go)
{
	struct header_meters m = parsed("cpu|mem");

	for (size_t kind = 0; kind < header_meter_kinds(); kind++)
		assert_int_equal(header_meters_add(&m, kind), kind >= 2);
	assert_false(header_meters_add(&m, header_meter_kinds()));
	assert_text(&m, "cpu,swap,tasks,psi-mem,ptop|mem,load,psi-cpu,psi-io");
	assert_false(header_meters_remove(&m, m.count));
	assert_true(header_meters_remove(&m, 0));
	assert_int_equal(m.left, 4);
	while (m.count)
		assert_true(header_meters_remove(&m, m.count - 1));
	assert_text(&m, "");
	assert_int_equal(m.left, 0);
}

static void assert_header(struct view *v, const char *expected)
{
	struct grid *g = grid_new(24, 80);
	struct buf text = { 0 };

	view_draw(v, g);
	grid_dump(g, &text);
	if (!strstr(text.bytes, expected))
		fail_msg("'%s' is not in\n%.600s", expected, text.bytes);
	buf_fini(&text);
	grid_free(g);
}

/* An interval is a point, the newest at the right end; one that is shown twice is one, and an unknown one is blank. */
UNIT_TEST(a_graph_has_the_last_intervals)
{
	static const double percents[] = { 12, 25, 37, NAN, 62, 75, 87, 100 };
	const struct view_options options = { .meters = "cpu:graph|mem" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		struct snapshot *s = sample_snapshot(true);

		s->time_ns += i * 1000000000;
		s->host.user_percent = percents[i] / 2;
		s->host.cpu_percent = percents[i];
		view_set_snapshot(v, s);
		view_toggle_kernel(v); /* the same snapshot once more */
	}
	assert_header(v,
		      "CPU [                \u2581\u2582\u2583 \u2585\u2586\u2587\u2588 100.0 %");
	view_set_braille(v, true);
	assert_header(v, "CPU [                    \u28c0\u2844\u28f6\u28ff 100.0 %");
	view_free(v);
}

UNIT_TEST(screens)
{
	static const struct {
		int rows, columns;
		const char *name;
	} sizes[] = { { 10, 40, "meters-40x10" },
		      { 24, 80, "meters-80x24" },
		      { 40, 120, "meters-120x40" },
		      { 60, 200, "meters-200x60" } };
	const struct view_options options = {
		.full_command = true,
		.meters = "cpu,load:text,psi-cpu,psi-io|mem,swap,tasks,ptop:text"
	};
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot(true));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct grid *g = grid_new(sizes[i].rows, sizes[i].columns);

		view_draw(v, g);
		golden_check(g, sizes[i].name);
		grid_free(g);
	}
	assert_true(view_set_meters(v, NULL, &err));
	assert_int_equal(view_meters(v)->count, 0);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(a_meter_moves_to_any_place),
		cmocka_unit_test(meters_come_and_go),
		cmocka_unit_test(a_graph_has_the_last_intervals),
		cmocka_unit_test(screens),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
