/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static struct object_row *row_of(struct objects *o, struct map *numbers, const struct snapshot *s,
				 uint32_t frame)
{
	const char *path = frame_object_path(s->frames, frame);
	uint64_t key = (uint64_t)(uintptr_t)path ^ (uint64_t)frame_object(s->frames, frame) << 48;
	uintptr_t number = (uintptr_t)map_find(numbers, key);

	if (number)
		return &o->rows[number - 1];
	mem_grow((void **)&o->rows, &o->capacity, o->count + 1, sizeof(*o->rows));
	o->rows[o->count++] = (struct object_row){
		.object = frame_object(s->frames, frame), .path = path,
		.name = frame_object_name(s->frames, frame),
		.info = snapshot_object_find(s, frame_object(s->frames, frame)),
	};
	map_put(numbers, key, (void *)(uintptr_t)o->count);
	return &o->rows[o->count - 1];
}

static void cell_add(struct objects *o, struct map *numbers, const struct snapshot *s,
		     const struct snapshot_cell *c)
{
	struct object_row *row = row_of(o, numbers, s, c->frame);

	row->samples += c->samples;
	row->period += c->period;
	if (frame_flags(s->frames, c->frame) & FRAME_UNKNOWN)
		row->unresolved += c->samples;
}

/* What is compared with.  The period that its 100 % are. */
static double base_add(struct objects *o, struct map *numbers, const struct snapshot *s,
		       const struct rows *rows, const struct rows_request *request)
{
	const struct snapshot *base = request->base;
	double total = 0;

	for (size_t i = 0; base && i < base->cell_count; i++) {
		const struct snapshot_cell *c = &base->cells[i];

		if (c->event != request->event)
			continue;
		if (rows_zoom_has(request, c))
			total += c->period;
		if (rows_cell_passes(rows, s, request, c))
			row_of(o, numbers, s, c->frame)->base += c->period;
	}
	return total;
}

void objects_build(struct objects *o, const struct snapshot *s, const struct rows *rows,
		   const struct rows_request *request)
{
	struct map numbers = { 0 };
	double base_total;

	o->count = 0;
	o->samples_total = o->period_total = 0;
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event != request->event)
			continue;
		if (rows_zoom_has(request, c)) {
			o->samples_total += c->samples;
			o->period_total += c->period;
		}
		if (rows_cell_passes(rows, s, request, c))
			cell_add(o, &numbers, s, c);
	}
	base_total = base_add(o, &numbers, s, rows, request);
	for (size_t i = 0; i < o->count; i++) {
		struct object_row *row = &o->rows[i];

		row->overhead_percent = o->period_total > 0 ? 100 * row->period / o->period_total
							    : NAN;
		row->delta_percent = rows_delta(request, row->overhead_percent, row->base, base_total);
	}
	map_fini(&numbers);
}

void objects_fini(struct objects *o)
{
	free(o->rows);
	memset(o, 0, sizeof(*o));
}
