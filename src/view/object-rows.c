/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/object-rows.h"

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

static void cell_add(struct object_row *row, const struct snapshot *s,
		     const struct snapshot_cell *c)
{
	row->samples += c->samples;
	row->period += c->period;
	if (frame_flags(s->frames, c->frame) & FRAME_UNKNOWN)
		row->unresolved += c->samples;
}

void objects_build(struct objects *o, const struct snapshot *s, const struct rows *rows,
		   const struct rows_request *request)
{
	const struct shares shares = shares_of(rows, s, request);
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

void objects_fini(struct objects *o)
{
	free(o->rows);
	memset(o, 0, sizeof(*o));
}
