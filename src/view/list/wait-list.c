/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "profile/distribution.h"
#include "view/list/call-list.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/*
 * The lengths of waits of a row of stacks, or of all rows.  There is a row for each bucket from the
 * first that has waits to the last, so that gaps are seen.
 */
struct wait_row {
	double from_ms, to_ms;
	double waits, waits_percent; /* percent of all of them */
	double bar_percent;          /* percent of the bucket that has most */
};

/* Who ended waits, and how many. */
struct waker {
	uint32_t frame; /* 0: not known */
	double waits;
};

struct wait_rows {
	struct wait_row rows[DISTRIBUTION_BUCKETS];
	size_t count;
	struct waker *wakers; /* while they are summed up */
	size_t waker_count, waker_capacity;
	struct map waker_of; /* by frame: number + 1 */
	struct buf note;     /* "woken by make 80 %, [interrupt] 20 %"; raw bytes */
};

#define NS_PER_MS 1e6

static const struct wait_row *wait_of(const struct column_row *r)
{
	return r->item;
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
	double part = wait_of(r)->bar_percent / 100;

	grid_bar(g, at->row, at->column, at->width, at->style,
		 part > 0 ? fmax(part, 1.0 / at->width) : 0);
}

/* clang-format off */
static const struct column wait_columns[] = {
	{ .name = "from", .title = "FROM", .unit = N_("milliseconds"),
	  .help = N_("waits that lasted at least so long ..."),
	  .width = 6, .priority = 1, COLUMN_OF_NUMBERS, .shown = true, COLUMN_ITEM(struct wait_row, from_ms),
	  .format = number_span },
	{ .name = "to", .title = "TO", .unit = N_("milliseconds"),
	  .help = N_("... and less than twice that"),
	  .width = 6, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, COLUMN_ITEM(struct wait_row, to_ms),
	  .format = number_span },
	{ COLUMN_WAITS, COLUMN_ITEM(struct wait_row, waits), .priority = 1, .shown = true },
	{ .name = "waits%", .title = "WAITS%", .unit = N_("percent of waits"),
	  .help = N_("of all waits of the row above, or of all that are shown"),
	  .width = 6, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.1, COLUMN_ITEM(struct wait_row, waits_percent), .format = number_percent },
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

/* Wakers. */

static void waker_add(void *rows, uint32_t frame, double waits)
{
	struct wait_rows *r = rows;
	size_t number = map_enter(&r->waker_of, frame);

	if (number == r->waker_count) {
		mem_grow((void **)&r->wakers, &r->waker_capacity, number + 1, sizeof(*r->wakers));
		r->wakers[r->waker_count++] = (struct waker){ .frame = frame };
	}
	r->wakers[number].waits += waits;
}

static int by_waits(const void *a, const void *b)
{
	const struct waker *x = a, *y = b;

	if (x->waits != y->waits)
		return x->waits < y->waits ? 1 : -1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

#define WAKERS_NAMED 4

/* Nobody wakes whoever was preempted, and without run-delay wake-ups are not measured. */
static void note_make(struct wait_rows *r, const struct snapshot *s, const char *intro)
{
	double all = 0;

	r->note.size = 0;
	if (r->waker_count)
		qsort(r->wakers, r->waker_count, sizeof(*r->wakers), by_waits);
	for (size_t i = 0; i < r->waker_count; i++)
		all += r->wakers[i].frame ? r->wakers[i].waits : 0;
	for (size_t i = 0, named = 0; i < r->waker_count && named < WAKERS_NAMED; i++) {
		const struct waker *w = &r->wakers[i];

		if (!w->frame)
			continue;
		buf_printf(&r->note, "%s%s %.0f %%", named ? ", " : intro,
			   frame_object_name(s->frames, w->frame), 100 * w->waits / all);
		named++;
	}
}

/* For system calls these are their errors. */
static void wakers_find(struct wait_rows *r, const struct calls *calls, size_t row,
			const struct list_scene *scene)
{
	int event = scene->request.event;
	bool of_calls = event >= 0 && scene->snapshot->events[event].id == EVENT_SYSCALLS;

	r->waker_count = 0;
	calls_wakers(calls, row, waker_add, r);
	note_make(r, scene->snapshot, of_calls ? _("errors: ") : _("woken by "));
	map_fini(&r->waker_of);
}

static size_t waits_build(struct lists *l, const struct list_kind *k)
{
	const struct list_kind *list = l->scene.calls ? l->scene.calls : &list_bottomup;
	struct wait_rows *rows = list_data(l, k);
	const struct calls *calls = call_list_calls(l, list);
	struct distribution w;
	size_t row;

	lists_make(l, list);
	row = l->scene.call_key ? calls_row_of(calls, l->scene.call_key, 0) : SIZE_MAX;
	calls_lengths(calls, row, &w);
	rows_make(rows, &w);
	wakers_find(rows, calls, row, &l->scene);
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
	const struct wait_rows *rows = list_data(l, k);

	(void)note;
	if (rows->note.size)
		return rows->note.bytes;
	return l->scene.call_key ? _("how long the waits of the row above lasted")
				 : _("how long waits lasted");
}

static const char *waits_empty(const struct lists *l)
{
	(void)l;
	return _("no wait has ended there");
}

static void waits_fini(void *data)
{
	struct wait_rows *rows = data;

	free(rows->wakers);
	buf_fini(&rows->note);
}

/* clang-format off */
static const struct column_table wait_table = {
	.name = "waits", .prefix = "wait.", .title = N_("Columns of how long waits lasted"),
	.filter = N_("waits"), .columns = wait_columns, .sort = "",
};

const struct list_kind list_waits = {
	.table = &wait_table, .name = "waits", .of_event = true, .brief = true,
	.data_size = sizeof(struct wait_rows), .fini = waits_fini, .arranged = true,
	.build = waits_build, .fill = wait_fill, .key = wait_key, .matches = wait_matches,
	.note = waits_note, .unmatched = N_("no row passes the filter; {filter} changes it"),
	.empty = waits_empty,
};
/* clang-format on */
