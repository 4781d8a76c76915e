/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/output.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "output/format.h"

const struct output_format output_formats[] = {
	{ "text", ".txt .text .log", N_("what the screen would show"), .write = text_write,
	  .screen = true },
#ifdef HAVE_JANSSON
	{ "json", ".json .jsonl .ndjson", N_("one object per line"), .write = json_write },
#endif
	{ "csv", ".csv", N_("one table, chosen by --table"), .write = csv_write },
	{ "folded", ".folded", N_("stacks and counts, for flame graphs"), .write = folded_write,
	  .series = SERIES_REPLACE, .stacks = true },
#ifdef HAVE_JANSSON
	{ "firefox", ".firefox.json", N_("a profile for profiler.firefox.com"),
	  .write = firefox_write, .series = SERIES_LAST, .stacks = true },
	{ "speedscope", ".speedscope.json", N_("a profile for speedscope.app"),
	  .write = speedscope_write, .series = SERIES_LAST, .stacks = true },
#endif
#ifdef HAVE_PPROF
	{ "pprof", ".pprof .pb.gz", N_("profile.proto, for go tool pprof"), .write = pprof_write,
	  .series = SERIES_LAST, .stacks = true },
#endif
	{ "pc", ".pc", N_("program counters, one a sample"), .sample = pc_write,
	  .address_alone = true },
	{ "svg", ".svg", N_("a flame graph for a browser"), .write = svg_write,
	  .series = SERIES_LAST, .stacks = true },
	{ "openmetrics", ".om .prom", N_("metrics for Prometheus"), .write = openmetrics_write,
	  .series = SERIES_REPLACE },
	{ "samples", ".samples", N_("one line a sample; with -i alone"), .sample = samples_write },
	{ 0 },
};

const struct output_format *output_format_find(const char *name)
{
	const struct output_format *f;

	for (f = output_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* The length of the longest word of LIST (words with spaces between) that NAME ends with; or 0. */
static size_t longest_extension(const char *list, const char *name)
{
	size_t size = strlen(name), longest = 0;

	while (*list) {
		size_t word = strcspn(list, " ");

		if (word <= size && word > longest && !strncmp(name + size - word, list, word))
			longest = word;
		list += word;
		list += strspn(list, " ");
	}
	return longest;
}

const struct output_format *output_format_of_file(const char *path)
{
	const char *name = strrchr(path, '/');
	const struct output_format *best = NULL;
	size_t longest = 0;

	for (const struct output_format *f = output_formats; f->name; f++) {
		size_t size = longest_extension(f->extensions, name ? name : path);

		if (size > longest) {
			longest = size;
			best = f;
		}
	}
	return best;
}

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
