/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/output.h"

#include <string.h>

#include "base/i18n.h"

/* clang-format off */
/* In the order of the messages that list them. */
const struct output_format output_formats[] = {
	{ "text", ".txt .text .log", N_("what the screen would show"), .write = text_write, .screen = true },
#ifdef HAVE_JANSSON
	{ "json", ".json .jsonl .ndjson", N_("one object per line"), .write = json_write },
	{ "findings", ".findings.json", N_("what stands out, in at most 4096 bytes a line"), .write = findings_write, .view = "findings" },
#endif
	{ "csv", ".csv", N_("one table, chosen by --table"), .write = csv_write },
	{ "folded", ".folded", N_("stacks and counts, for flame graphs"), SERIES_REPLACE, .write = folded_write, .stacks = true },
#ifdef HAVE_JANSSON
	{ "firefox", ".firefox.json", N_("a profile for profiler.firefox.com"), SERIES_LAST, .write = firefox_write, .stacks = true },
	{ "speedscope", ".speedscope.json", N_("a profile for speedscope.app"), SERIES_LAST, .write = speedscope_write, .stacks = true },
#endif
#ifdef HAVE_PPROF
	{ "pprof", ".pprof .pb.gz", N_("profile.proto, for go tool pprof"), SERIES_LAST, .write = pprof_write, .stacks = true },
#endif
	{ "pc", ".pc", N_("program counters, one a sample"), .sample = pc_write, .address_alone = true },
	{ "svg", ".svg", N_("a flame graph for a browser"), SERIES_LAST, .write = svg_write, .stacks = true },
	{ "openmetrics", ".om .prom", N_("metrics for Prometheus"), SERIES_REPLACE, .write = openmetrics_write },
	{ "samples", ".samples", N_("one line a sample; with -i alone"), .sample = samples_write },
	{ .name = NULL }
};
/* clang-format on */

void output_format_names(struct buf *out, const char *separator)
{
	for (size_t i = 0; output_formats[i].name; i++)
		buf_printf(out, "%s%s", i ? separator : "", output_formats[i].name);
}

const struct output_format *output_format_find(const char *name)
{
	for (size_t i = 0; output_formats[i].name; i++) {
		if (strcmp(output_formats[i].name, name) == 0)
			return &output_formats[i];
	}
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

	for (size_t i = 0; output_formats[i].name; i++) {
		size_t size = longest_extension(output_formats[i].extensions, name ? name : path);

		if (size > longest) {
			longest = size;
			best = &output_formats[i];
		}
	}
	return best;
}
