/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/document.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "output/format.h"
#include "view/widget/column.h"
#include "view/widget/text.h"

/* Rounded values have at most three decimals; 15 digits print them exactly. */
#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

json_t *document_text(const char *raw)
{
	struct buf clean = { 0 };
	json_t *string;

	if (!raw)
		return json_null();
	text_sanitize(&clean, raw, strlen(raw), false);
	string = json_stringn(clean.bytes ? clean.bytes : "", clean.size);
	buf_fini(&clean);
	return string ? string : json_null();
}

json_t *document_number(double value)
{
	double rounded = value_round(value);

	if (!isfinite(value))
		return json_null();
	if (rounded == trunc(rounded) && fabs(rounded) < 9e18)
		return json_integer((json_int_t)rounded);
	return json_real(rounded);
}

json_t *document_real(double value)
{
	return isfinite(value) ? json_real(value_round(value)) : json_null();
}

json_t *document_column(const struct column *table, const char *name, const struct column_row *row)
{
	const struct column *column = column_find(table, name);

	return column ? document_real(column_number(column, row)) : json_null();
}

void document_set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

void document_set_ratios(json_t *object, const struct column *table, const struct column_row *row)
{
	document_set(object, "ipc", document_column(table, "ipc", row));
	document_set(object, "cache_miss_percent", document_column(table, "miss%", row));
}

json_t *document_head(const struct snapshot *s, const char *schema)
{
	char time[TIME_TEXT_SIZE];
	json_t *o = json_object();

	time_format(time, s->time_ns);
	document_set(o, "schema", json_string(schema));
	document_set(o, "version", document_text(s->version));
	document_set(o, "time", json_string(time));
	document_set(o, "interval_s", document_real(s->interval_s));
	document_set(o, "iteration", json_integer((json_int_t)s->iteration));
	return o;
}

size_t document_size(const json_t *value)
{
	return json_dumpb(value, NULL, 0, DUMP_FLAGS);
}

static int add_bytes(const char *bytes, size_t size, void *out)
{
	buf_add(out, bytes, size);
	return 0;
}

int document_add(struct buf *out, json_t *value, struct error *err)
{
	int failed = json_dump_callback(value, add_bytes, out, DUMP_FLAGS | JSON_ENCODE_ANY);

	json_decref(value);
	if (failed)
		return error_set(err, _("cannot make JSON of the snapshot: out of memory"));
	return 0;
}

int document_print(struct buf *out, json_t *root, struct error *err)
{
	if (document_add(out, root, err))
		return -1;
	buf_add_char(out, '\n');
	return 0;
}
