/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/function-sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "naming/object-facts.h"

#define NO_SOURCE (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS | FRAME_INLINED)

struct candidate {
	uint32_t frame, object;
	const char *module; /* of the kernel: objects_module() */
	double weight;
};

/* A question for the functions of one object, or of one module of the kernel. */
struct question {
	uint32_t object;
	bool module;
	size_t count;
	uint32_t frames[];
};

struct sources {
	struct sources_options use;
	unsigned char *requested; /* by frame */
	size_t requested_capacity;
	struct map questions; /* lines_ask()'s id to struct question, owned */
	size_t waiting;
};

struct sources *sources_new(const struct sources_options *options)
{
	struct sources *s = mem_alloc(sizeof(*s));

	s->use = *options;
	return s;
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	map_fini_each(&s->questions, free);
	free(s->requested);
	free(s);
}

static bool is_requested(struct sources *s, uint32_t frame)
{
	if (frame >= s->requested_capacity)
		mem_grow_zeroed((void **)&s->requested, &s->requested_capacity, frame + 1u, 1);
	return s->requested[frame];
}

static bool has_lines(const struct sources *s, uint32_t object)
{
	enum dso_kind kind = dso_kind(s->use.objects, object);
	struct dso_description d;

	if (kind != DSO_JIT)
		return kind == DSO_FILE || kind == DSO_KERNEL;
	dso_describe(s->use.objects, object, &d);
	return d.dump.path;
}

static bool has_source(const struct sources *s, uint32_t frame)
{
	uint32_t object = frame_object(s->use.frames, frame);

	return !(frame_flags(s->use.frames, frame) & NO_SOURCE) && object &&
	       object <= dso_cache_count(s->use.objects) && has_lines(s, object);
}

/* The functions of H that can be asked for, in no order; owned by the caller. */
static struct candidate *find_candidates(struct sources *s, const struct histogram *h,
					 size_t *count)
{
	size_t frames = frame_table_count(s->use.frames), capacity = 0;
	double *weights = mem_array(frames, sizeof(*weights));
	struct candidate *found = NULL;
	const struct cell *c;

	*count = 0;
	for (size_t i = 0; (c = histogram_next(h, &i));)
		if (c->key.frame < frames)
			weights[c->key.frame] += c->weight;
	for (uint32_t f = 1; f < frames; f++) {
		uint32_t object = frame_object(s->use.frames, f);

		if (!(weights[f] > 0) || is_requested(s, f) || !has_source(s, f))
			continue;
		mem_grow((void **)&found, &capacity, *count + 1, sizeof(*found));
		found[(*count)++] = (struct candidate){
			f, object, objects_module(s->use.objects, s->use.frames, object, f),
			weights[f]
		};
	}
	free(weights);
	return found;
}

static int by_weight(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	return (b->weight > a->weight) - (b->weight < a->weight);
}

static int by_object(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->object != b->object)
		return a->object > b->object ? 1 : -1;
	return (a->module > b->module) - (a->module < b->module);
}

/* COUNT functions of one object or module. */
static void ask(struct sources *s, const struct candidate *of, size_t count)
{
	struct question *q = mem_alloc(sizeof(*q) + count * sizeof(*q->frames));
	uint64_t *addresses = mem_array(count, sizeof(*addresses));
	struct lines_request request = { .addresses = addresses, .address_count = count };
	struct dso_description d;

	q->object = of->object;
	q->module = of->module;
	q->count = count;
	for (size_t i = 0; i < count; i++) {
		q->frames[i] = of[i].frame;
		s->requested[of[i].frame] = 1;
		addresses[i] = frame_address(s->use.frames, of[i].frame);
	}
	dso_describe(s->use.objects, of->object, &d);
	request.key = objects_lines_key(s->use.objects, of->object, of->module);
	request.dump = d.dump;
	request.owner = of->module ? 0 : dso_owner(s->use.objects, of->object);
	map_put(&s->questions, lines_ask(s->use.lines, &request), q);
	s->waiting += count;
	free(addresses);
}

void sources_ask(struct sources *s, const struct histogram *h, size_t limit)
{
	size_t count, n;
	struct candidate *found = find_candidates(s, h, &count);

	if (limit && count > limit) {
		qsort(found, count, sizeof(*found), by_weight);
		count = limit;
	}
	if (count)
		qsort(found, count, sizeof(*found), by_object);
	for (size_t i = 0; i < count; i += n) {
		for (n = 1; i + n < count && n < LINES_ADDRESSES_MAX &&
			    found[i + n].object == found[i].object &&
			    found[i + n].module == found[i].module;)
			n++;
		ask(s, found + i, n);
	}
	free(found);
}

/* The function itself is the outermost; code without a function (assembly) has its line at least. */
static void set_source(struct sources *s, uint32_t frame, const struct lines_place *place)
{
	const struct srcline_frame *f;

	if (!place->frame_count)
		return;
	f = &place->frames[place->frame_count - 1];
	if (f->declared_in && !f->inlined)
		frame_set_source(s->use.frames, frame, f->declared_in, f->declared_at);
	else if (f->file)
		frame_set_source(s->use.frames, frame, f->file, f->line);
}

bool sources_answer(struct sources *s, const struct lines_answer *a)
{
	struct question *q = map_remove(&s->questions, a->id);

	if (!q)
		return false;
	for (size_t i = 0; i < q->count && i < a->place_count; i++)
		set_source(s, q->frames[i], &a->places[i]);
	for (size_t i = 0; i < q->count && a->rest_until_ns; i++)
		s->requested[q->frames[i]] = 0; /* the next snapshot asks again */
	if (!q->module)
		objects_take_lines(s->use.objects, q->object, a);
	s->waiting -= q->count;
	free(q);
	return true;
}

size_t sources_waiting(const struct sources *s)
{
	return s->waiting;
}
