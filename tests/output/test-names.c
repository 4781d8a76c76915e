/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A name is for people.  `name=` changes no number, unit, column or colour.  Each event of the
 * event table has the same picture in all formats, views and columns, under any name.
 */
#include "unit.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "output/output.h"
#include "perf/event/event.h"
#include "profile/sample-snapshot.h"
#include "view/list/list.h"
#include "view/widget/grid.h"
#include "view/kind.h"
#include "view/view-state.h"
#include "view/view.h"

/* As long as the event's own name, so that columns are as wide, and no other event's. */
static char *alias_of(const char *name)
{
	char *alias = mem_strdup(name);

	*alias = '_';
	return alias;
}

#define ALIAS_BYTES 8 /* tell an alias: a cell may have cut the rest off */

/* The alias of NAME becomes NAME wherever it begins. */
static void replace_alias(struct buf *text, const char *name)
{
	char *alias = alias_of(name);

	if (strlen(alias) > ALIAS_BYTES)
		alias[ALIAS_BYTES] = '\0';
	for (char *at = text->bytes; (at = strstr(at, alias)); at++)
		*at = *name;
	free(alias);
}

/* The first event, of which most samples are, becomes ID; the third one goes where that was. */
static struct snapshot *snapshot_of(enum event_id id, bool second)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	for (size_t i = 2; i < s->event_count; i++) {
		if (s->events[i].id == id)
			sample_event(&s->events[i], s->events[0].name);
	}
	if (second)
		sample_event(&s->events[0], "off-cpu");
	sample_event(&s->events[second], event_at(id)->name);
	for (size_t i = 0; i < 2; i++) {
		s->events[i].time = event_at(s->events[i].id)->type == EVENT_TYPE_TIME;
		s->events[i].unit = NULL;
	}
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].data = s->cells[i].frame;
	snapshot_link_counters(s);
	return s;
}

static void rename_events(struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++) {
		char *alias = alias_of(s->events[i].name);

		s->events[i].name = strtab_add(s->arena, alias);
		free(alias);
	}
	snapshot_link_counters(s);
}

static void add_columns(struct buf *out, const struct column *table)
{
	for (const struct column *c = table; c->name; c++)
		buf_printf(out, "%s%s", out->size ? "," : "", c->name);
}

/*
 * pprof is compressed: its sample types are the columns that speedscope has (output/stacks.h).  Tables of
 * all views are csv; other formats are written of the first one alone, which saves most of the time.
 */
static bool is_written(const struct output_format *f, struct view *v)
{
	return f->write && strcmp(f->name, "pprof") &&
	       (view_kind(v) == view_kinds || view_kind(v)->event || !strcmp(f->name, "csv"));
}

static void write_all(struct buf *out, struct view *v)
{
	struct grid *g = grid_new(40, 120);
	struct error err;

	for (size_t i = 0; output_formats[i]; i++) {
		const struct output_format *f = output_formats[i];
		const struct output_request request = { .view = v, .first = true };

		buf_printf(out, "\n== %s %s\n", view_kind(v)->name, f->name);
		if (is_written(f, v))
			assert_int_equal(f->write(out, &request, &err), 0);
	}
	for (size_t pane = 0; pane < view_kind(v)->pane_count; pane++) {
		size_t count;
		const struct column *const *shown =
			view_columns(v, view_kind(v)->panes[pane], &count);

		for (size_t i = 0; i < count; i++)
			buf_printf(out, "%s ", shown[i]->name);
	}
	view_draw(v, g);
	grid_dump(g, out);
	grid_free(g);
}

/* The picture of S in the view KIND, with all columns of processes, and one that a person wrote. */
static void add_picture(struct buf *out, const struct view_kind *kind, struct snapshot *s,
			const char *expression)
{
	struct view_options options = { .view = kind->name, .full_command = true, .batch = true };
	struct buf columns = { 0 };
	struct error err = { "" };
	struct view *v;

	add_columns(&columns, kind->panes[0]->table->columns);
	if (kind->panes[0]->table->extended)
		buf_printf(&columns, ",own=%s", expression);
	options.columns = columns.bytes;
	v = view_new(&options, &err);
	assert_string_equal(err.text, "");
	assert_non_null(v);
	view_set_snapshot(v, s);
	write_all(out, v);
	view_free(v);
	buf_fini(&columns);
}

static struct buf pictures_of(enum event_id id, bool second, bool renamed, const char *expression)
{
	struct buf out = { 0 };

	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct snapshot *s = snapshot_of(id, second);

		if (renamed)
			rename_events(s);
		add_picture(&out, k, s, expression);
	}
	return out;
}

static void assert_same_line(const char *a, const char *b)
{
	size_t same = 0, line = 0;

	while (a[same] && a[same] == b[same]) {
		same++;
		if (a[same - 1] == '\n')
			line = same;
	}
	if (a[same] || b[same])
		fail_msg("expected: %.*s\nrenamed:  %.*s", (int)strcspn(a + line, "\n"), a + line,
			 (int)strcspn(b + line, "\n"), b + line);
}

static void check_event(enum event_id id, bool second)
{
	const char *name = event_at(id)->name;
	char *alias = alias_of(name);
	char *by_name = mem_printf("\"%s\"/2", name), *by_alias = mem_printf("\"%s\"/2", alias);
	struct buf expected = pictures_of(id, second, false, by_name);
	struct buf canonical = pictures_of(id, second, true, by_name);
	struct buf renamed = pictures_of(id, second, true, by_alias);

	for (enum event_id other = EVENT_OTHER + 1; other < EVENT_IDS; other++) {
		replace_alias(&canonical, event_at(other)->name);
		replace_alias(&renamed, event_at(other)->name);
	}
	assert_true(expected.size > 100000);
	assert_same_line(expected.bytes, canonical.bytes);
	assert_same_line(expected.bytes, renamed.bytes);
	buf_fini(&expected);
	buf_fini(&canonical);
	buf_fini(&renamed);
	free(alias);
	free(by_name);
	free(by_alias);
}

UNIT_TEST(a_name_changes_nothing_but_itself)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++)
		check_event(id, false);
}

/* Beside off-cpu: its columns WAKE and LONGEST are of run-delay. */
UNIT_TEST(the_second_event_keeps_its_meaning)
{
	check_event(EVENT_RUN_DELAY, true);
	check_event(EVENT_CYCLES, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_changes_nothing_but_itself),
		cmocka_unit_test(the_second_event_keeps_its_meaning),
	};

	return unit_run(tests);
}
