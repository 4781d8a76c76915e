/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/i18n.h"
#include "profile/snapshot.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

static const struct snapshot_event *event_of(const struct column_row *r)
{
	return r->item;
}

static const char *role_text(const struct column_row *r)
{
	return event_of(r)->sampled ? N_("sampled") : N_("counted");
}

static const char *on_text(const struct column_row *r)
{
	if (event_of(r)->error)
		return NULL;
	return event_of(r)->enabled ? N_("on") : N_("off");
}

static void role_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	grid_text(g, at->row, at->column, at->width, at->style, _(role_text(r)));
}

/* Events that are off stand out. */
static void on_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = on_text(r);
	enum grid_style style = at->style;

	if (!style)
		style = !text ? STYLE_DIM : event_of(r)->enabled ? STYLE_GOOD : STYLE_WARN;
	grid_text_cut(g, at->row, at->column, at->width, style, text ? _(text) : "-");
}

static double hz_number(const struct column_row *r)
{
	return event_of(r)->sampled && event_of(r)->frequency_hz ? (double)event_of(r)->frequency_hz
								 : NAN;
}

static double every_number(const struct column_row *r)
{
	return event_of(r)->sampled && event_of(r)->period ? (double)event_of(r)->period : NAN;
}

static double samples_number(const struct column_row *r)
{
	return event_of(r)->sampled && !event_of(r)->error ? (double)event_of(r)->samples : NAN;
}

static double rate_number(const struct column_row *r)
{
	return number_divide(event_of(r)->value, r->snapshot->interval_s);
}

static double cpu_rate_number(const struct column_row *r)
{
	return number_divide(rate_number(r), r->snapshot->host.cpus);
}

static double idle_number(const struct column_row *r)
{
	return 100 * number_divide(event_of(r)->idle, event_of(r)->value);
}

static double nobody_number(const struct column_row *r)
{
	return 100 * number_divide(event_of(r)->unattributed, event_of(r)->value);
}

static void error_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	if (event_of(r)->error)
		grid_text_cut(g, at->row, at->column, at->width,
			      event_of(r)->removed ? STYLE_DIM : STYLE_WARN, event_of(r)->error);
}

/* clang-format off */
static const struct column event_columns[] = {
	{ .name = "event", .title = "EVENT", .unit = N_("name"), .help = N_("as for -e"),
	  .width = 22, .grow = 20, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  COLUMN_TEXT_ITEM(struct snapshot_event, name) },
	{ .name = "on", .title = "ON", .unit = N_("word"), .help = N_("on, off; - cannot be counted"),
	  .width = 3, .priority = 1, .type = COLUMN_TEXT, .shown = true, .text = on_text,
	  .draw = on_draw },
	{ .name = "role", .title = "ROLE", .unit = N_("word"),
	  .help = N_("sampled, or only counted"),
	  .width = 7, .priority = 9, .type = COLUMN_TEXT, .shown = true, .text = role_text,
	  .draw = role_draw },
	{ .name = "hz", .title = "HZ", .unit = N_("per second"),
	  .help = N_("samples a second on each CPU that were asked for"),
	  .width = 5, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = hz_number, .format = number_count },
	{ .name = "every", .title = "EVERY", .unit = N_("events"),
	  .help = N_("events from one sample to the next, where that is fixed"),
	  .width = 5, .priority = 8, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = every_number, .format = number_count },
	{ .name = "samples", .title = "SAMPLES", .unit = N_("count"),
	  .help = N_("samples in the refresh interval"),
	  .width = 7, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = samples_number, .format = number_count },
	{ .name = "value", .title = "VALUE", .unit = N_("events"),
	  .help = N_("events in the refresh interval; nanoseconds for clocks"),
	  .width = 6, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_ITEM(struct snapshot_event, value), .format = number_count },
	{ .name = "rate", .title = "RATE", .unit = N_("per second"),
	  .help = N_("value / time, over the refresh interval"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = rate_number, .format = number_count },
	{ .name = "cpu-rate", .title = "CPU-RATE", .unit = N_("per second"),
	  .help = N_("value / time / number of CPUs"),
	  .width = 8, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = cpu_rate_number, .format = number_count },
	{ COLUMN_DELTA, .unit = N_("percent of the rate in the base"),
	  .help = N_("by how much its rate differs from that in the base: key =, --base"),
	  .priority = 3 },
	{ .name = "cover%", .title = "COVER%", .unit = N_("percent of time"),
	  .help = N_("time running / time enabled: less when events share a counter"),
	  .width = 6, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, COLUMN_ITEM(struct snapshot_event, running_percent),
	  COLUMN_OF_SHARES },
	{ .name = "idle%", .title = "IDLE%", .unit = N_("percent of the value"),
	  .help = N_("what idle CPUs counted"),
	  .width = 5, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .resolution = 0.1, .number = idle_number, COLUMN_OF_SHARES },
	{ .name = "nobody%", .title = "NOBODY%", .unit = N_("percent of the value"),
	  .help = N_("what no process is known to have counted: behind lost records, at its end"),
	  .width = 7, .priority = 10, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .resolution = 0.1, .number = nobody_number,
	  COLUMN_OF_SHARES },
	{ .name = "error", .title = "ERROR", .unit = N_("text"),
	  .help = N_("why it is not counted"),
	  .width = 0, .priority = 2, .type = COLUMN_TEXT, .shown = true, COLUMN_TEXT_ITEM(struct snapshot_event, error),
	  .draw = error_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static size_t events_build(struct lists *l, const struct list_kind *k)
{
	(void)k;
	return l->scene.snapshot->event_count;
}

/* The number of occurrences of event I a second; NAN: not counted. */
static double event_rate(const struct snapshot *s, size_t i)
{
	return i < s->event_count ? number_divide(s->events[i].value, s->interval_s) : NAN;
}

static void event_fill(const struct lists *l, const struct list_kind *k, size_t i,
		       struct column_row *row)
{
	double base = l->scene.base ? event_rate(l->scene.base, i) : NAN;

	(void)k;
	row->item = &l->scene.snapshot->events[i];
	row->delta_percent = 100 * number_divide(event_rate(l->scene.snapshot, i) - base, base);
}

/* An event keeps its number. */
static uint64_t event_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	(void)l;
	(void)k;
	return i;
}

static bool event_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	(void)l;
	return text_contains(event_of(row)->name, text);
}

static const char *events_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	(void)l;
	(void)k;
	(void)note;
	return "";
}

static const char *events_empty(const struct lists *l)
{
	(void)l;
	return _("no event is measured; {event-add} adds one");
}

/* clang-format off */
static const struct column_table event_table = {
	.name = "events", .prefix = "event.", .title = N_("Columns of events"),
	.filter = N_("events"), .columns = event_columns, .sort = "",
};

const struct list_kind list_events = {
	.table = &event_table, .name = "events", .arranged = true, .build = events_build,
	.fill = event_fill, .key = event_key, .matches = event_matches, .note = events_note,
	.unmatched = N_("no event passes the filter; {filter} changes it"), .empty = events_empty,
};
/* clang-format on */
