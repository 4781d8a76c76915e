/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/axis.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/widget/text.h"

#define NS_PER_S 1000000000u
#define LABEL_BYTES 64
#define WINDOW_SLICES 5u   /* of the first window, live */
#define WINDOWS 20u        /* windows of the first width in a recording */
#define COLUMNS_FOR_END 60 /* a narrower axis with a window has one label */

static bool is_live(const struct snapshot_past *p)
{
	return p->realtime_ns != 0;
}

static uint64_t begin_of(const struct snapshot_past *p)
{
	return p->slices[0].from_ns;
}

/* The newest slice of a live machine still grows. */
static uint64_t end_of(const struct snapshot_past *p)
{
	const struct snapshot_slice *newest = &p->slices[p->count - 1];

	return is_live(p) && p->count > 1 ? newest->from_ns : newest->to_ns;
}

static uint64_t slice_width(const struct snapshot_past *p)
{
	uint64_t width = UINT64_MAX;

	for (size_t i = 0; i < p->count; i++) {
		uint64_t of_slice = p->slices[i].to_ns - p->slices[i].from_ns;

		width = of_slice && of_slice < width ? of_slice : width;
	}
	return width;
}

/* AT, moved to the beginning of its slice. */
static uint64_t aligned(const struct snapshot_past *p, uint64_t at)
{
	uint64_t width = slice_width(p);

	return at - at % width;
}

/* A window of WIDTH from FROM on, moved into the past that exists. */
static struct axis_window window_within(const struct snapshot_past *p, uint64_t from,
					uint64_t width)
{
	uint64_t begin = begin_of(p), end = end_of(p);

	if (width > end - begin)
		width = end - begin;
	if (from > end - width)
		from = end - width;
	if (from < begin)
		from = begin;
	return (struct axis_window){ from, from + width };
}

static uint64_t first_width(const struct snapshot_past *p)
{
	uint64_t width = slice_width(p), part = (end_of(p) - begin_of(p)) / WINDOWS;

	if (is_live(p))
		return WINDOW_SLICES * width;
	return part > width ? aligned(p, part) : width;
}

static struct axis_window first_window(const struct snapshot_past *p, int direction)
{
	if (direction > 0 && is_live(p))
		return (struct axis_window){ 0, 0 };
	return window_within(p, direction > 0 ? begin_of(p) : end_of(p), first_width(p));
}

struct axis_window axis_step(const struct snapshot_past *p, struct axis_window w, int direction)
{
	uint64_t width = w.to_ns - w.from_ns;

	if (!p->count)
		return w;
	if (!w.to_ns)
		return first_window(p, direction);
	if (direction < 0)
		return window_within(p, w.from_ns > width ? w.from_ns - width : 0, width);
	if (w.to_ns >= end_of(p))
		return (struct axis_window){ 0, 0 };
	return window_within(p, w.to_ns, width);
}

struct axis_window axis_resize(const struct snapshot_past *p, struct axis_window w, int direction)
{
	uint64_t width = w.to_ns - w.from_ns, least, middle = w.from_ns + width / 2, half;

	if (!p->count)
		return w;
	if (!w.to_ns)
		return direction < 0 ? first_window(p, -1)
				     : window_within(p, 0, end_of(p) - begin_of(p));
	least = slice_width(p);
	if (direction > 0)
		width = width < UINT64_MAX / 4 ? width * 2 : width;
	else
		width = width / 2 > least ? aligned(p, width / 2) : least;
	half = width / 2;
	return window_within(p, middle > half ? aligned(p, middle - half + least / 2) : 0, width);
}

/* Drawing. */

struct axis {
	char from[LABEL_BYTES], to[LABEL_BYTES]; /* labels; "": none */
	int column, columns;                     /* position of the bars */
	int points, bins;                        /* of a column, as grid_points(); of all */
	uint64_t begin_ns;                       /* start of the first bin */
	uint64_t bin_ns;                         /* length of each */
};

static void label(const struct snapshot_past *p, uint64_t at_ns, char out[32])
{
	time_t when = (time_t)((int64_t)(at_ns + (uint64_t)p->realtime_ns) / NS_PER_S);
	struct tm tm;

	out[0] = '\0';
	if (!is_live(p))
		snprintf(out, 32, "%.3f", (double)at_ns / NS_PER_S);
	else if (localtime_r(&when, &tm))
		strftime(out, 32, "%H:%M:%S", &tm);
}

static void set_labels(struct axis *a, const struct snapshot_past *p, int columns)
{
	char from[32], to[32];

	if (!p->to_ns) {
		label(p, end_of(p), a->to);
		return;
	}
	label(p, p->from_ns, from);
	label(p, p->to_ns, to);
	snprintf(a->from, sizeof(a->from), _("%s to %s"), from, to);
	if (columns >= COLUMNS_FOR_END)
		label(p, end_of(p), a->to);
}

/*
 * On a live machine the newest slice is at the right edge.  Bins begin at multiples of their
 * length, so bars keep their height.
 */
static void set_scale(struct axis *a, const struct snapshot_past *p)
{
	uint64_t begin = begin_of(p), end = end_of(p), bins = (uint64_t)a->bins;
	uint64_t width = slice_width(p);

	a->bin_ns = (end - begin + bins - 1) / bins;
	a->begin_ns = begin;
	if (!a->bin_ns)
		a->bin_ns = 1;
	if (!is_live(p))
		return;
	a->bin_ns = (a->bin_ns + width - 1) / width * width;
	while (begin / a->bin_ns + bins < (end + a->bin_ns - 1) / a->bin_ns)
		a->bin_ns += width;
	end = (end + a->bin_ns - 1) / a->bin_ns * a->bin_ns;
	a->begin_ns = end > a->bin_ns * bins ? end - a->bin_ns * bins : 0;
}

static struct axis axis_layout(const struct snapshot_past *p, int columns, int points)
{
	struct axis a = { .column = 1, .points = points };
	char from[32];
	int right;

	set_labels(&a, p, columns);
	right = *a.to ? text_width(a.to) + 1 : 0;
	label(p, begin_of(p), from);
	if (!p->to_ns) /* of equal length as the first */
		snprintf(a.from, sizeof(a.from), "%s", from);
	a.column += text_width(a.from) + 1;
	a.columns = columns - 1 - right - a.column;
	if (a.columns < 1)
		a.columns = 1;
	a.bins = a.columns * points;
	set_scale(&a, p);
	if (p->to_ns)
		return a;
	label(p, a.begin_ns, from);
	snprintf(a.from, sizeof(a.from), "%s", from);
	return a;
}

/* Spreads the samples of a slice evenly over its bins. */
static void spread(double *bars, const struct axis *a, const struct snapshot_slice *s,
		   double samples)
{
	double width = (double)(s->to_ns - s->from_ns);
	uint64_t first = s->from_ns > a->begin_ns ? (s->from_ns - a->begin_ns) / a->bin_ns : 0;

	for (int i = first < (uint64_t)a->bins ? (int)first : a->bins;
	     i < a->bins && samples > 0 && a->begin_ns + (uint64_t)i * a->bin_ns < s->to_ns; i++) {
		uint64_t from = a->begin_ns + (uint64_t)i * a->bin_ns, to = from + a->bin_ns;

		from = from > s->from_ns ? from : s->from_ns;
		to = to < s->to_ns ? to : s->to_ns;
		if (from < to)
			bars[i] += samples * (double)(to - from) / width;
	}
}

/* The first bin may begin before the past, the last one end after it. */
static void level_ends(double *bars, const struct axis *a, const struct snapshot_past *p)
{
	for (int i = 0; i < a->bins; i++) {
		uint64_t from = a->begin_ns + (uint64_t)i * a->bin_ns, to = from + a->bin_ns;

		from = from > begin_of(p) ? from : begin_of(p);
		to = to < end_of(p) ? to : end_of(p);
		if (from < to && to - from < a->bin_ns)
			bars[i] *= (double)a->bin_ns / (double)(to - from);
	}
}

static double *make_bars(const struct axis *a, const struct snapshot *s, int event)
{
	double *bars = mem_array((size_t)a->bins, sizeof(*bars));

	for (size_t i = 0; event >= 0 && i < s->past.count; i++) {
		const struct snapshot_slice *slice = &s->past.slices[i];

		if (slice->from_ns < end_of(&s->past))
			spread(bars, a, slice, s->past.samples[i * s->event_count + (size_t)event]);
	}
	level_ends(bars, a, &s->past);
	return bars;
}

static void bars_draw(struct grid *g, int row, const struct axis *a, const struct snapshot_past *p,
		      double *bars)
{
	uint64_t column_ns = (uint64_t)a->points * a->bin_ns;
	double most = 0;

	for (int i = 0; i < a->bins; i++)
		most = fmax(most, bars[i]);
	for (int i = 0; i < a->bins; i++)
		bars[i] = most > 0 ? bars[i] / most : 0;
	for (int i = 0; i < a->columns; i++) {
		uint64_t from = a->begin_ns + (uint64_t)i * column_ns;
		bool inside = from < p->to_ns && from + column_ns > p->from_ns;
		enum grid_style style = p->to_ns ? STYLE_DIM : STYLE_BAR_USER;

		grid_graph(g, row, a->column + i, inside ? STYLE_MATCH : style,
			   bars + i * a->points);
	}
}

void axis_draw(struct grid *g, int row, const struct snapshot *s, int event)
{
	const struct snapshot_past *p = &s->past;
	int columns = grid_columns(g);
	struct axis a;
	double *bars;

	if (!p->count) {
		grid_text(g, row, 1, -1, STYLE_DIM, _("nothing was sampled yet"));
		return;
	}
	a = axis_layout(p, columns, grid_points(g));
	bars = make_bars(&a, s, event);
	grid_text(g, row, 1, -1, p->to_ns ? STYLE_WARN : STYLE_DIM, a.from);
	bars_draw(g, row, &a, p, bars);
	grid_text(g, row, a.column + a.columns + 1, -1, STYLE_DIM, a.to);
	free(bars);
}

struct axis_window axis_at(const struct snapshot_past *p, struct axis_window w,
			   const struct axis_place *at)
{
	uint64_t width = w.to_ns - w.from_ns, column_ns, middle;
	struct axis a;

	if (!p->count)
		return w;
	a = axis_layout(p, at->columns, at->points);
	if (at->column < a.column || at->column >= a.column + a.columns)
		return w;
	if (!width)
		width = first_width(p);
	column_ns = (uint64_t)a.points * a.bin_ns;
	middle = a.begin_ns + (uint64_t)(at->column - a.column) * column_ns + column_ns / 2;
	return window_within(p, middle > width / 2 ? aligned(p, middle - width / 2) : 0, width);
}

void axis_describe(const struct snapshot *s, struct buf *out)
{
	const struct snapshot_past *p = &s->past;
	time_t when = (time_t)(s->time_ns / NS_PER_S);
	char from[32], to[32] = "";
	struct tm tm;

	if (p->to_ns) {
		label(p, p->from_ns, from);
		label(p, p->to_ns, to);
		buf_printf(out, _("%s to %s"), from, to);
	} else if (p->count && !is_live(p)) {
		buf_add_str(out, _("all of it"));
	} else {
		if (localtime_r(&when, &tm))
			strftime(to, sizeof(to), "%H:%M:%S", &tm);
		buf_add_str(out, to);
	}
}
