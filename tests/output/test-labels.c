/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels of metrics: what must be escaped, what is cut, and that no series comes twice.
 */
#include "unit.h"

#include "base/alloc.h"
#include "output/format.h"
#include "profile/sample-snapshot.h"

/* The metrics of S, which is freed; owned. */
static struct buf metrics_by(struct snapshot *s, const char *view)
{
	struct view_options options = { .view = view, .batch = true };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);
	struct output_request request = { .view = v, .first = true };
	struct buf out = { 0 };

	assert_non_null(v);
	view_set_snapshot(v, s);
	assert_int_equal(format_openmetrics.write(&out, &request, &err), 0);
	view_free(v);
	return out;
}

static struct buf metrics_of(struct snapshot *s)
{
	return metrics_by(s, NULL);
}

static size_t count_of(const struct buf *text, const char *word)
{
	size_t count = 0;

	for (const char *at = text->bytes; (at = strstr(at, word)); at++)
		count++;
	return count;
}

UNIT_TEST(quotes_and_backslashes_are_escaped)
{
	struct snapshot *s = sample_snapshot(true);
	struct buf out;

	s->processes[0].comm = "a\"b\\c\nd";
	out = metrics_of(s);
	assert_int_equal(count_of(&out, "ptop_process_threads{pid=\"4123\","
					"comm=\"a\\\"b\\\\c\xef\xbf\xbd"
					"d\",user=\"root\"} 3\n"),
			 1);
	buf_fini(&out);
}

/* 66 characters of three bytes are 198: the 67th would end at 201. */
UNIT_TEST(a_long_value_is_cut_between_characters)
{
	struct snapshot *s = sample_snapshot(true);
	struct buf name = { 0 }, out;

	for (int i = 0; i < 100; i++)
		buf_add_str(&name, "\xe6\xbc\xa2");
	s->processes[0].comm = name.bytes;
	out = metrics_of(s);
	assert_int_equal(count_of(&out, "\xe6\xbc\xa2\",user=\"root\"} 3\n"), 1);
	name.bytes[66 * 3] = '\0';
	assert_true(count_of(&out, name.bytes) > 0);
	name.bytes[66 * 3] = '\xe6';
	name.bytes[67 * 3] = '\0';
	assert_int_equal(count_of(&out, name.bytes), 0);
	buf_fini(&name);
	buf_fini(&out);
}

UNIT_TEST(an_event_that_came_twice_is_one_series)
{
	struct snapshot *s = sample_snapshot(true);
	struct buf out;

	s->events[1].name = s->events[0].name;
	s->events[4].name = s->events[2].name;
	out = metrics_of(s);
	assert_int_equal(count_of(&out, "\nptop_event_rate{event=\"cycles\"}"), 1);
	assert_int_equal(count_of(&out, "\nptop_event_rate{event=\"instructions\"}"), 1);
	assert_int_equal(count_of(&out, "ptop_process_event_rate{pid=\"812\",comm=\"postgres\","
					"user=\"postgres\",event=\"cycles\"}"),
			 1);
	assert_int_equal(count_of(&out, "ptop_symbol_samples{event=\"cycles\",symbol=\"hot_a\","
					"object=\"/tmp/load\"} 861\n"),
			 1);
	buf_fini(&out);
}

UNIT_TEST(nothing_measured_gives_no_rates)
{
	struct snapshot *s = snapshot_new();
	struct buf out;

	out = metrics_of(s);
	assert_int_equal(count_of(&out, "_rate"), 0);
	assert_int_equal(count_of(&out, "ptop_build_info{"), 1);
	assert_string_equal(out.bytes + out.size - 6, "# EOF\n");
	buf_fini(&out);
}

/* Whoever makes control groups chooses how many, and their names. */
UNIT_TEST(series_of_groups_are_bounded)
{
	struct snapshot *s = sample_snapshot(true);
	char *paths[20000] = { NULL };
	struct buf out;

	sample_groups(s, 10000);
	assert_in_range(s->group_count, 10000, 20000);
	for (size_t i = 1; i < s->group_count; i++)
		s->groups[i].path = paths[i] = mem_printf("/%zu", i);
	s->groups[0].name = "a\"b\nc";
	out = metrics_by(s, "groups");
	assert_int_equal(count_of(&out, "\nptop_group_processes{"), 500);
	assert_int_equal(count_of(&out,
				  "\nptop_group_processes{group=\"/\",name=\"a\\\"b\xef\xbf\xbd"
				  "c\""),
			 1);
	assert_in_range(out.size, 1, 1 << 20);
	buf_fini(&out);
	for (size_t i = 0; i < 20000; i++)
		free(paths[i]);
	out = metrics_of(sample_snapshot(true));
	assert_int_equal(count_of(&out, "ptop_group_"), 0);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_and_backslashes_are_escaped),
		cmocka_unit_test(a_long_value_is_cut_between_characters),
		cmocka_unit_test(an_event_that_came_twice_is_one_series),
		cmocka_unit_test(nothing_measured_gives_no_rates),
		cmocka_unit_test(series_of_groups_are_bounded),
	};

	return unit_run(tests);
}
