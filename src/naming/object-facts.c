/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/object-facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "symbol/load-state.h"

#define HOT_SHARE 100 /* of so many samples one makes its object a hot one */

/* ONE and OTHER, either of which may be "". */
static const char *joined(struct snapshot *s, const char *one, const char *other)
{
	const char *both;
	char *text;

	if (!*one || !*other)
		return *one ? one : other;
	text = mem_printf("%s; %s", one, other);
	both = strtab_add(s->arena, text);
	free(text);
	return both;
}

/* Advice for a runtime comes first: that a file is missing follows from it. */
static const char *missing_of(struct snapshot *s, const struct dso_description *d)
{
	const char *missing = joined(s, d->missing_parts[DSO_NAMES], d->missing);

	for (unsigned i = DSO_NAMES + 1; i < DSO_PARTS; i++)
		missing = joined(s, missing, d->missing_parts[i]);
	return missing;
}

static struct snapshot_object describe(struct snapshot *s, const struct dso_cache *objects,
				       uint32_t object)
{
	struct dso_description d;
	struct snapshot_object o = { .object = object };

	dso_describe(objects, object, &d);
	o.path = d.path;
	o.name = d.name;
	o.source = d.source;
	o.missing = missing_of(s, &d);
	o.loading = d.state == DSO_NEW || d.state == DSO_LOADING;
	o.build_id = d.build_id;
	o.symbols = d.symbols;
	o.bytes = d.bytes;
	return o;
}

static int compare(const void *one, const void *other)
{
	uint32_t a = ((const struct snapshot_object *)one)->object;
	uint32_t b = ((const struct snapshot_object *)other)->object;

	return (a > b) - (a < b);
}

void objects_describe(struct snapshot *s, const struct dso_cache *objects)
{
	struct map met = { 0 };
	size_t capacity = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		uint32_t object = frame_object(s->frames, s->cells[i].frame);

		/* Frames that are no code (times.h) have numbers of no object. */
		if (!object || object > dso_cache_count(objects) || map_find(&met, object))
			continue;
		map_put(&met, object, s);
		mem_grow((void **)&s->objects, &capacity, s->object_count + 1, sizeof(*s->objects));
		s->objects[s->object_count++] = describe(s, objects, object);
	}
	if (s->object_count)
		qsort(s->objects, s->object_count, sizeof(*s->objects), compare);
	map_fini(&met);
}

const char *objects_module(const struct dso_cache *objects, const struct frame_table *frames,
			   uint32_t object, uint32_t frame)
{
	const char *path = frame_object_path(frames, frame);

	if (dso_kind(objects, object) != DSO_KERNEL ||
	    !(frame_flags(frames, frame) & FRAME_KERNEL) ||
	    !strcmp(path, dso_path(objects, object)))
		return NULL;
	return path;
}

struct dso_key objects_lines_key(const struct dso_cache *objects, uint32_t object,
				 const char *module)
{
	struct dso_description d;

	dso_describe(objects, object, &d);
	if (module)
		d.key.path = module;
	return d.key;
}

/*
 * An object without symbols because it lacks a debug file has no lines either; that is said once.
 */
void objects_take_lines(struct dso_cache *objects, uint32_t object, const struct lines_answer *a)
{
	struct dso_description d;

	dso_describe(objects, object, &d);
	if (!strcmp(d.missing_parts[DSO_LINES], load_rest_text()))
		dso_clear_missing(objects, object, DSO_LINES);
	if (a->has_lines || !*dso_missing(objects, object))
		dso_set_missing(objects, object, DSO_LINES, a->missing);
}

void objects_complete(const struct snapshot *s, struct dso_cache *objects)
{
	size_t count = dso_cache_count(objects) + 1;
	double *samples, all = 0;

	if (!dso_cache_completes(objects))
		return;
	samples = mem_array(count, sizeof(*samples));
	for (size_t i = 0; i < s->cell_count; i++) {
		uint32_t object = frame_object(s->frames, s->cells[i].frame);

		all += s->cells[i].samples;
		if (object < count)
			samples[object] += s->cells[i].samples;
	}
	for (uint32_t i = 1; i < count; i++)
		if (samples[i] > 0 && samples[i] * HOT_SHARE >= all)
			dso_complete(objects, i);
	free(samples);
}
