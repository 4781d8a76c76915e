/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/object-list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/* Cells of one event, folded by the object of their code.  Each kernel module has a row. */
struct objects {
	struct object_row *rows;
	size_t count, capacity;
};

static struct object_row *row_of(struct objects *o, struct map *numbers, const struct snapshot *s,
				 uint32_t frame)
{
	const char *path = frame_object_path(s->frames, frame);
	uint64_t key = (uint64_t)(uintptr_t)path ^ (uint64_t)frame_object(s->frames, frame) << 48;
	size_t number = map_enter(numbers, key);

	if (number < o->count)
		return &o->rows[number];
	mem_grow((void **)&o->rows, &o->capacity, number + 1, sizeof(*o->rows));
	o->rows[o->count++] = (struct object_row){
		.object = frame_object(s->frames, frame),
		.path = path,
		.name = frame_object_name(s->frames, frame),
		.info = snapshot_object_find(s, frame_object(s->frames, frame)),
	};
	return &o->rows[number];
}

static void cell_add(struct object_row *row, const struct snapshot *s,
		     const struct snapshot_cell *c)
{
	row->samples += c->samples;
	row->period += c->period;
	if (frame_flags(s->frames, c->frame) & (FRAME_UNKNOWN | FRAME_UNNAMED))
		row->unnamed += c->samples;
}

static void objects_build(struct objects *o, const struct snapshot *s, const struct rows *rows,
			  const struct rows_request *request)
{
	const struct shares shares = rows_shares(rows, s, request);
	struct map numbers = { 0 };

	o->count = 0;
	for (int base = 0; base <= (request->base != NULL); base++) {
		const struct snapshot *from = base ? request->base : s;

		for (size_t i = 0; i < from->cell_count; i++) {
			const struct snapshot_cell *c = &from->cells[i];

			if (c->event != request->event || !rows_cell_passes(rows, s, request, c))
				continue;
			if (base)
				row_of(o, &numbers, s, c->frame)->base += c->period;
			else
				cell_add(row_of(o, &numbers, s, c->frame), s, c);
		}
	}
	for (size_t i = 0; i < o->count; i++) {
		struct object_row *row = &o->rows[i];

		row->overhead_percent = share_percent(&shares.period, row->period);
		row->delta_percent = share_delta(&shares.period, row->period, row->base);
	}
	map_fini(&numbers);
}

/* Columns. */

#define MUCH_UNNAMED 20 /* percent, of an object that is worth a look */

static double unnamed_number(const struct column_row *r)
{
	return 100 * number_divide(r->object->unnamed, r->object->samples);
}

static double symbols_number(const struct column_row *r)
{
	return r->object->info ? (double)r->object->info->symbols : NAN;
}

static double bytes_number(const struct column_row *r)
{
	return r->object->info ? (double)r->object->info->bytes : NAN;
}

static const char *source_text(const struct column_row *r)
{
	const struct snapshot_object *info = r->object->info;

	if (info && info->loading)
		return N_("loading");
	return info && info->source && *info->source ? info->source : NULL;
}

static void source_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = source_text(r);
	bool loading = r->object->info && r->object->info->loading;

	grid_text_cut(g, at->row, at->column, at->width,
		      at->style || (text && !loading) ? at->style : STYLE_DIM,
		      !text     ? "-"
		      : loading ? _(text)
				: text);
}

static const char *missing_text(const struct column_row *r)
{
	const struct snapshot_object *info = r->object->info;

	return info && info->missing && *info->missing ? info->missing : NULL;
}

static void missing_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = missing_text(r);
	enum grid_style style = at->style;

	if (!style && unnamed_number(r) >= MUCH_UNNAMED)
		style = STYLE_WARN;
	if (text)
		grid_text_cut(g, at->row, at->column, at->width, style, text);
}

/* clang-format off */
static const struct column object_columns[] = {
	{ COLUMN_OVERHEAD, COLUMN_FIELD(object, overhead_percent), .priority = 1,
	  .help = N_("period of the object's samples / period of all samples that are shown of the event") },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share, less the one that it has in the base: key =, --base"),
	  .priority = 1 },
	{ COLUMN_SAMPLES, COLUMN_FIELD(object, samples), .help = N_("samples in the object"), .priority = 6 },
	{ .name = "unnamed%", .title = "UNNAMED%", .unit = N_("percent of samples"),
	  .help = N_("of the object's samples those that no symbol names"),
	  .width = 8, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, .number = unnamed_number,
	  COLUMN_OF_SHARES },
	{ .name = "symbols", .title = "SYMBOLS", .unit = N_("count"),
	  .help = N_("symbols that were found"),
	  .width = 7, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .number = symbols_number, .format = number_count },
	{ .name = "bytes", .title = "BYTES", .unit = N_("bytes"),
	  .help = N_("memory that they take"),
	  .width = 5, .priority = 9, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = bytes_number, .format = number_bytes },
	{ .name = "object", .title = "OBJECT", .unit = N_("name"),
	  .help = N_("program, library, [kernel] or module"),
	  .width = 16, .grow = 14, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  COLUMN_TEXT_FIELD(object, name) },
	{ .name = "path", .title = "PATH", .unit = N_("path"), .help = N_("as it is mapped"),
	  .width = 30, .grow = 20, .priority = 9, .type = COLUMN_TEXT, COLUMN_TEXT_FIELD(object, path) },
	{ .name = "source", .title = "SOURCE", .unit = N_("text"),
	  .help = N_("where its symbols came from"),
	  .width = 14, .grow = 30, .priority = 4, .type = COLUMN_TEXT, .shown = true,
	  .text = source_text, .draw = source_draw },
	{ .name = "missing", .title = "MISSING", .unit = N_("text"),
	  .help = N_("what is missing of its symbols and, where asked for, of its lines; and why"),
	  .width = 0, .priority = 3, .type = COLUMN_TEXT, .shown = true, .text = missing_text,
	  .draw = missing_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static size_t objects_make(struct lists *l, const struct list_kind *k)
{
	struct objects *o = list_data(l, k);

	objects_build(o, l->scene.snapshot, &l->rows, lists_request(l));
	return o->count;
}

static void object_fill(const struct lists *l, const struct list_kind *k, size_t i,
			struct column_row *row)
{
	row->object = &((const struct objects *)list_data(l, k))->rows[i];
	row->delta_percent = row->object->delta_percent;
}

static uint64_t object_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct object_row *row = &((const struct objects *)list_data(l, k))->rows[i];

	return (uint64_t)(uintptr_t)row->path ^ (uint64_t)row->object << 48;
}

static bool object_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	(void)l;
	return text_contains(row->object->path, text) || text_contains(row->object->name, text);
}

static void objects_free(void *data)
{
	free(((struct objects *)data)->rows);
}

/* clang-format off */
static const struct column_table object_table = {
	.name = "objects", .prefix = "object.", .title = N_("Columns of objects"),
	.filter = N_("objects"), .columns = object_columns, .sort = "overhead%",
};

const struct list_kind list_objects = {
	.table = &object_table, .name = "objects", .of_event = true,
	.data_size = sizeof(struct objects), .fini = objects_free, .arranged = true,
	.extras = EXTRA_OBJECTS, .build = objects_make, .fill = object_fill, .key = object_key,
	.matches = object_matches, .empty = list_no_samples,
};
/* clang-format on */
