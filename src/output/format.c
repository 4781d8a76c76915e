/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

/* Beyond 2^53 / 1000 the product with 1000 has no thousandths to round. */
static bool has_thousandths(double value)
{
	return fabs(value) < 9e12;
}

double value_round(double value)
{
	return has_thousandths(value) ? round(value * 1000) / 1000 : value;
}

/* Appends "0.125" for 125. */
static void print_thousandths(struct buf *out, int64_t thousandths)
{
	int64_t whole = thousandths / 1000, part = llabs(thousandths % 1000);

	if (thousandths < 0 && !whole)
		buf_add_char(out, '-');
	buf_add_integer(out, whole);
	if (!part)
		return;
	buf_add(out, (char[]){ '.', (char)('0' + part / 100) }, 2);
	if (part % 100)
		buf_add_char(out, (char)('0' + part / 10 % 10));
	if (part % 10)
		buf_add_char(out, (char)('0' + part % 10));
}

void value_print(struct buf *out, double value)
{
	if (!isfinite(value))
		return;
	if (has_thousandths(value))
		print_thousandths(out, llround(value * 1000));
	else
		buf_printf(out, "%.0f", fabs(value) < 1e30 ? value : copysign(1e30, value));
}

void time_format(char out[TIME_TEXT_SIZE], uint64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	unsigned ms = (unsigned)(time_ns % NS_PER_S / 1000000);
	struct tm tm = { 0 };
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(out, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, TIME_TEXT_SIZE - n, ".%03uZ", ms);
}

struct event_walk event_walk_start(struct view *v)
{
	return (struct event_walk){ .view = v, .first = view_event(v) };
}

bool event_walk_next(struct event_walk *w)
{
	return view_next_event(w->view, 1) && view_event(w->view) != w->first;
}
