/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

double value_round(double value)
{
	double rounded = round(value * 1000) / 1000;

	/* Beyond 2^53 / 1000 the product has no thousandths to round. */
	return fabs(value) < 9e12 ? rounded : value;
}

void value_print(struct buf *out, double value)
{
	char text[64];
	size_t end;

	if (!isfinite(value))
		return;
	snprintf(text, sizeof(text), "%.3f", fabs(value) < 1e30 ? value : copysign(1e30, value));
	end = strlen(text);
	while (text[end - 1] == '0')
		end--;
	if (text[end - 1] == '.')
		end--;
	if (end == 2 && text[0] == '-' && text[1] == '0')
		buf_add_char(out, '0');
	else
		buf_add(out, text, end);
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
