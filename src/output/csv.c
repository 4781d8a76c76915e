/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "output/format.h"
#include "view/kind.h"
#include "view/widget/text.h"

/*
 * Comma-separated values by RFC 4180, except that lines end in a newline alone.  The first column
 * is the time of the snapshot (for symbols also the event).  The others are the view's, named as in
 * --columns.  Numbers are plain; an absent value is empty.
 */

static void field_text(struct buf *out, const char *text)
{
	struct buf clean = { 0 };

	if (!text || !*text)
		return;
	text_sanitize(&clean, text, strlen(text), false);
	if (!strpbrk(clean.bytes, ",\"\r\n ")) {
		buf_add(out, clean.bytes, clean.size);
		buf_fini(&clean);
		return;
	}
	buf_add_char(out, '"');
	for (size_t i = 0; i < clean.size; i++) {
		if (clean.bytes[i] == '"')
			buf_add_char(out, '"');
		buf_add_char(out, clean.bytes[i]);
	}
	buf_add_char(out, '"');
	buf_fini(&clean);
}

static void columns_title(struct buf *out, const struct view *v, enum view_pane pane)
{
	size_t count;
	const struct column *const *columns = view_columns(v, pane, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add_char(out, ',');
		field_text(out, columns[i]->name);
	}
	buf_add_char(out, '\n');
}

static void columns_values(struct buf *out, const struct view *v, enum view_pane pane,
			   const struct column_row *row)
{
	size_t count;
	const struct column *const *columns = view_columns(v, pane, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add_char(out, ',');
		if (columns[i]->type == COLUMN_NUMBER)
			value_print(out, column_number(columns[i], row));
		else
			field_text(out, columns[i]->text(row));
	}
	buf_add_char(out, '\n');
}

/* Tables with one set of rows: processes, events. */
static void write_rows(struct buf *out, const struct output_request *request, enum view_pane pane,
		       const char *time)
{
	struct view *v = request->view;

	if (request->first) {
		buf_add_str(out, "time");
		columns_title(out, v, pane);
	}
	for (size_t i = 0; i < view_list_count(v, pane); i++) {
		struct column_row row = view_list_row(v, pane, i);

		row.full_command = true;
		buf_add_str(out, time);
		columns_values(out, v, pane, &row);
	}
}

/* Tables with rows for each sampled event. */
static void write_samples(struct buf *out, const struct output_request *request,
			  enum view_pane pane, const char *time)
{
	struct view *v = request->view;
	struct event_walk walk = event_walk_start(v);

	if (request->first) {
		buf_add_str(out, "time,event");
		columns_title(out, v, pane);
	}
	do {
		for (size_t i = 0; i < view_list_count(v, pane); i++) {
			struct column_row row = view_list_row(v, pane, i);

			buf_add_str(out, time);
			buf_add_char(out, ',');
			field_text(out, row.snapshot->events[view_event(v)].name);
			columns_values(out, v, pane, &row);
		}
	} while (event_walk_next(&walk));
}

/* Each table is as in the first view that shows it. */
static const struct {
	const char *name;
	enum view_pane pane;
	void (*write)(struct buf *out, const struct output_request *request, enum view_pane pane,
		      const char *time);
} tables[] = {
	{ "processes", PANE_PROCESSES, write_rows },
	{ "symbols", PANE_SYMBOLS, write_samples },
	{ "events", PANE_EVENTS, write_rows },
	{ "objects", PANE_OBJECTS, write_samples },
	{ "mappings", PANE_MAPPINGS, write_rows },
	{ "calls", PANE_CALLTREE, write_samples },
	{ "callers", PANE_CALLERS, write_samples },
	{ "callees", PANE_CALLEES, write_samples },
	{ "instructions", PANE_CODE, write_samples },
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

bool output_table_known(const char *name)
{
	for (size_t i = 0; i < TABLES; i++) {
		if (!strcmp(tables[i].name, name))
			return true;
	}
	return false;
}

int csv_write(struct buf *out, const struct output_request *request, struct error *err)
{
	const char *table = request->table ? request->table : view_kind(request->view)->table;
	char time[TIME_TEXT_SIZE];

	time_format(time, view_snapshot(request->view)->time_ns);
	for (size_t i = 0; i < TABLES; i++) {
		if (strcmp(tables[i].name, table))
			continue;
		tables[i].write(out, request, tables[i].pane, time);
		return 0;
	}
	return error_set(err, _("no table '%s'"), table);
}
