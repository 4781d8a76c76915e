/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "base/i18n.h"
#include "profile/distribution.h"
#include "view/list/call-list.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/*
 * How long the waits of a row of stacks lasted, or those of all rows: a row for each bucket from the first that
 * has waits to the last, so that gaps are seen.
 */
struct wait_row {
	double from_ms, to_ms;
	double waits, waits_percent; /* percent of all of them */
	double bar_percent;          /* percent of the bucket that has most */
};

struct wait_rows {
	struct wait_row rows[DISTRIBUTION_BUCKETS];
	size_t count;
};

#define NS_PER_MS 1e6

static const struct wait_row *wait_of(const struct column_row *r)
{
	return r->item;
}

static double from_number(const struct column_row *r)
{
	return wait_of(r)->from_ms;
}

static double to_number(const struct column_row *r)
{
	return wait_of(r)->to_ms;
}

static double waits_number(const struct column_row *r)
{
	return wait_of(r)->waits;
}

static double share_number(const struct column_row *r)
{
	return wait_of(r)->waits_percent;
}

/* For outputs of a fixed width. */
static const char *bar_text(const struct column_row *r)
{
	static const char bar[] = "########################################";
	double length = sizeof(bar) - 1;

	return bar + lround(length * (1 - wait_of(r)->bar_percent / 100));
}

/* Any wait is seen. */
static void bar_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	double percent = wait_of(r)->bar_percent;
	int width = (int)lround(percent * at->width / 100);

	if (percent > 0 && !width)
		width = 1;
	grid_fill(g, at->row, at->column, width, at->style, grid_ascii(g) ? "#" : "█");
}

/* clang-format off */
static const struct column wait_columns[] = {
	{ .name = "from", .title = "FROM", .unit = N_("milliseconds"),
	  .help = N_("waits that lasted at least so long ..."),
	  .width = 6, .priority = 1, COLUMN_OF_NUMBERS, .shown = true, .number = from_number,
	  .format = number_span },
	{ .name = "to", .title = "TO", .unit = N_("milliseconds"),
	  .help = N_("... and less than twice that"),
	  .width = 6, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, .number = to_number,
	  .format = number_span },
	{ COLUMN_WAITS, .number = waits_number, .priority = 1, .shown = true },
	{ .name = "waits%", .title = "WAITS%", .unit = N_("percent of waits"),
	  .help = N_("of all waits of the row above, or of all that are shown"),
	  .width = 6, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.1, .number = share_number, .format = number_percent },
	{ .name = "bar", .title = "BAR", .unit = N_("text"),
	  .help = N_("as long as the row has waits; the row with most has all of the width"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true, .text = bar_text,
	  .draw = bar_draw },
	{ .name = NULL }
};
/* clang-format on */

static struct wait_row wait_row(const struct distribution *w, unsigned bucket, double count,
				double most)
{
	return (struct wait_row){
		.from_ms = distribution_from_ns(bucket) / NS_PER_MS,
		.to_ms = distribution_to_ns(bucket) / NS_PER_MS,
		.waits = w->counts[bucket],
		.waits_percent = 100 * w->counts[bucket] / count,
		.bar_percent = 100 * w->counts[bucket] / most,
	};
}

static void rows_make(struct wait_rows *rows, const struct distribution *w)
{
	int last = distribution_last(w), first = 0;
	double count = distribution_count(w), most = 0;

	rows->count = 0;
	while (first < last && !(w->counts[first] > 0))
		first++;
	for (int i = first; i <= last; i++)
		most = fmax(most, w->counts[i]);
	for (int i = first; i <= last; i++)
		rows->rows[rows->count++] = wait_row(w, (unsigned)i, count, most);
}

static size_t waits_build(struct lists *l, const struct list_kind *k)
{
	const struct list_kind *list = l->scene.calls ? l->scene.calls : &list_bottomup;
	struct wait_rows *rows = list_data(l, k);
	const struct calls *calls = call_list_calls(l, list);
	struct distribution w;

	lists_make(l, list);
	calls_lengths(calls,
		      l->scene.call_key ? calls_row_of(calls, l->scene.call_key, 0) : SIZE_MAX, &w);
	rows_make(rows, &w);
	return rows->count;
}

static void wait_fill(const struct lists *l, const struct list_kind *k, size_t i,
		      struct column_row *row)
{
	row->item = &((const struct wait_rows *)list_data(l, k))->rows[i];
}

/* A bucket has its row in any snapshot. */
static uint64_t wait_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	return (uint64_t)(((const struct wait_rows *)list_data(l, k))->rows[i].to_ms * NS_PER_MS);
}

static bool wait_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	char from[32], to[32];

	(void)l;
	number_span(from, wait_of(row)->from_ms);
	number_span(to, wait_of(row)->to_ms);
	return text_contains(from, text) || text_contains(to, text);
}

static const char *waits_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	(void)k;
	(void)note;
	return l->scene.call_key ? _("how long the waits of the row above lasted")
				 : _("how long waits lasted");
}

static const char *waits_empty(const struct lists *l)
{
	return list_filter(l, &list_waits) ? _("no row passes the filter")
					   : _("no wait has ended there");
}

static const struct column_table wait_table = {
	.name = "waits",
	.prefix = "wait.",
	.title = N_("Columns of how long waits lasted"),
	.filter = N_("waits"),
	.columns = wait_columns,
	.sort = "",
};

const struct list_kind list_waits = {
	.table = &wait_table,
	.name = "waits",
	.of_event = true,
	.brief = true,
	.data_size = sizeof(struct wait_rows),
	.arranged = true,
	.build = waits_build,
	.fill = wait_fill,
	.key = wait_key,
	.matches = wait_matches,
	.note = waits_note,
	.empty = waits_empty,
};
