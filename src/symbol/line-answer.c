/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-answer.h"

#include <stdlib.h>

#include "base/alloc.h"

struct line_answer *line_answer_new(uint64_t id)
{
	struct line_answer *a = mem_alloc(sizeof(*a));

	a->texts = strtab_new();
	a->answer.id = id;
	a->answer.missing = a->missing.text;
	a->answer.no_code = a->no_code.text;
	return a;
}

void line_answer_set_places(struct line_answer *a, size_t count)
{
	a->answer.place_count = count;
	a->answer.places = mem_array(count, sizeof(*a->answer.places));
}

static const char *copied(struct line_answer *a, const char *text)
{
	return text ? strtab_add(a->texts, text) : NULL;
}

void line_answer_add(struct line_answer *a, size_t i, const struct srcline_frame *frames,
		     size_t count)
{
	mem_grow((void **)&a->frames, &a->frame_capacity, a->frame_count + count,
		 sizeof(*a->frames));
	a->answer.places[i].frame_count = count;
	for (size_t n = 0; n < count; n++) {
		struct srcline_frame *f = &a->frames[a->frame_count++];

		*f = frames[n];
		f->function = copied(a, f->function);
		f->file = copied(a, f->file);
		f->declared_in = copied(a, f->declared_in);
	}
}

void line_answer_finish(struct line_answer *a)
{
	const struct srcline_frame *next = a->frames;

	for (size_t i = 0; i < a->answer.place_count && next; i++) {
		a->answer.places[i].frames = next;
		next += a->answer.places[i].frame_count;
	}
	a->answer.code = a->code;
	a->answer.instructions = a->instructions;
}

void line_answer_free(struct line_answer *a)
{
	if (!a)
		return;
	strtab_free(a->texts);
	free(a->answer.places);
	free(a->frames);
	free(a->code);
	free(a->instructions);
	free(a);
}
