/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "output/format.h"
#include "view/kind.h"
#include "view/list/list.h"
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

static void columns_title(struct buf *out, const struct view *v, const struct list_kind *list)
{
	size_t count;
	const struct column *const *columns = view_columns(v, list, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add_char(out, ',');
		field_text(out, columns[i]->name);
	}
	buf_add_char(out, '\n');
}

static void columns_values(struct buf *out, const struct view *v, const struct list_kind *list,
			   const struct column_row *row)
{
	size_t count;
	const struct column *const *columns = view_columns(v, list, &count);

	for (size_t i = 0; i < count; i++) {
		buf_add_char(out, ',');
		if (columns[i]->type == COLUMN_NUMBER)
			value_print(out, column_number(columns[i], row));
		else
			field_text(out, column_text(columns[i], row));
	}
	buf_add_char(out, '\n');
}

/* The rows of LIST; EVENT: its name, in front of each row, or NULL. */
static void write_rows(struct buf *out, struct view *v, const struct list_kind *list,
		       const char *time, const char *event)
{
	for (size_t i = 0; i < view_list_count(v, list); i++) {
		struct column_row row = view_list_row(v, list, i);

		row.full_command = true;
		buf_add_str(out, time);
		if (event) {
			buf_add_char(out, ',');
			field_text(out, event);
		}
		columns_values(out, v, list, &row);
	}
}

/* A list of samples has rows for each sampled event. */
static void write_list(struct buf *out, const struct output_request *request,
		       const struct list_kind *list, const char *time)
{
	struct view *v = request->view;
	struct event_walk walk;

	if (request->first) {
		buf_add_str(out, list->of_event ? "time,event" : "time");
		columns_title(out, v, list);
	}
	if (!list->of_event) {
		write_rows(out, v, list, time, NULL);
		return;
	}
	walk = event_walk_start(v);
	do {
		write_rows(out, v, list, time,
			   view_event(v) < 0 ? NULL : view_snapshot(v)->events[view_event(v)].name);
	} while (event_walk_next(&walk));
}

/* The list that --table names: one that the view shows, else the first one. */
static const struct list_kind *list_named(const struct view *v, const char *name)
{
	const struct view_kind *kind = view_kind(v);

	for (size_t i = 0; i < kind->pane_count; i++) {
		if (kind->panes[i]->name && !strcmp(kind->panes[i]->name, name))
			return kind->panes[i];
	}
	return list_find(name);
}

static int csv_write(struct buf *out, const struct output_request *request, struct error *err)
{
	const char *table = request->table ? request->table : view_kind(request->view)->table;
	const struct list_kind *list = list_named(request->view, table);
	char time[TIME_TEXT_SIZE];

	if (!list)
		return error_set(err, _("no table '%s'"), table);
	time_format(time, view_snapshot(request->view)->time_ns);
	write_list(out, request, list, time);
	return 0;
}

/* clang-format off */
const struct output_format format_csv = {
	.name = "csv", .extensions = ".csv", .help = N_("one table, chosen by --table"),
	.write = csv_write,
};
/* clang-format on */
