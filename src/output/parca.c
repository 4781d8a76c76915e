/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/i18n.h"
#include "output/metric-walk.h"
#include "output/pprof.h"

/*
 * Parca's WriteRawRequest (proto/parca/profilestore/v1alpha1/profilestore.proto) as the JSON that its HTTP gateway takes:
 *
 *   {"series":[{"labels":{"labels":[{"name":"__name__","value":"ptop"},{"name":"host","value":"web1"}]},
 *     "samples":[{"rawProfile":"H4sI..."}]}],"normalized":true}
 *
 * The profile is a pprof.  Parca says which labels it refuses: a name that comes twice.  So the first one stays.
 */
static void add_base64(struct buf *out, const unsigned char *bytes, size_t size)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		const size_t count = size - i < 3 ? size - i : 3;
		const uint32_t three = (uint32_t)bytes[i] << 16 |
				       (count > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (count > 2 ? bytes[i + 2] : 0);

		for (size_t k = 0; k < 4; k++)
			buf_add_char(out, k <= count ? letters[three >> (18 - 6 * k) & 63] : '=');
	}
}

/* TEXT is harmless, as all labels are: these two alone have a meaning in JSON. */
static void add_string(struct buf *out, const char *text)
{
	buf_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
	buf_add_char(out, '"');
}

static void add_label(struct buf *out, const char *name, const char *value)
{
	buf_add_str(out, "{\"name\":");
	add_string(out, name);
	buf_add_str(out, ",\"value\":");
	add_string(out, value);
	buf_add_char(out, '}');
}

/* NAMES is ",NAME,NAME,".  Returns true if it has NAME; else adds it. */
static bool had_before(struct buf *names, const char *name)
{
	const size_t before = names->size;
	bool had;

	buf_printf(names, "%s,", name);
	had = memmem(names->bytes, before, names->bytes + before - 1, names->size - before + 1);
	if (had)
		buf_truncate(names, before);
	return had;
}

static void add_labels(struct buf *out, const struct output_request *request)
{
	struct buf origin = { 0 }, names = { 0 };
	struct metric_label l = { 0 };

	metrics_origin(&origin, request, "host");
	l.at = origin.bytes;
	add_label(out, "__name__", "ptop");
	buf_add_str(&names, ",__name__,");
	while (metric_label_next(&l)) {
		if (!l.value.size || had_before(&names, l.name.bytes))
			continue;
		buf_add_char(out, ',');
		add_label(out, l.name.bytes, l.value.bytes);
	}
	metric_label_fini(&l);
	buf_fini(&names);
	buf_fini(&origin);
}

/* A type is a part of a name in Parca's queries, which has no other letters.  "page-faults" is page_faults. */
static void make_word(char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	while (*(name += strspn(name, letters)))
		*name = '_';
}

static int parca_write(struct buf *out, const struct output_request *request, struct error *err)
{
	struct buf profile = { 0 };

	if (pprof_make(&profile, request, make_word, err)) {
		buf_fini(&profile);
		return -1;
	}
	buf_add_str(out, "{\"series\":[{\"labels\":{\"labels\":[");
	add_labels(out, request);
	buf_add_str(out, "]},\"samples\":[{\"rawProfile\":\"");
	add_base64(out, (const unsigned char *)profile.bytes, profile.size);
	buf_add_str(out, "\"}]}],\"normalized\":true}\n");
	buf_fini(&profile);
	return 0;
}

/* clang-format off */
const struct output_format format_parca = {
	.name = "parca", .extensions = "", .help = N_("a profile for Parca (WriteRaw)"),
	.series = SERIES_LAST, .write = parca_write, .stacks = true,
};
/* clang-format on */
