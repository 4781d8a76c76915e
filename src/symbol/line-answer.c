/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"

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
	free(a->answer.places);
	a->answer.place_count = count;
	a->answer.places = mem_array(count, sizeof(*a->answer.places));
}

void line_answer_take(struct line_answer *a, size_t i, const struct srcline_frame *frames,
		      size_t count)
{
	if (count > LINE_FRAMES_MAX - a->frame_count) {
		error_set(&a->missing, _("more than %u frames"), LINE_FRAMES_MAX);
		count = 0;
	}
	a->answer.places[i].frame_count = count;
	if (!count)
		return;
	mem_grow((void **)&a->frames, &a->frame_capacity, a->frame_count + count,
		 sizeof(*a->frames));
	memcpy(a->frames + a->frame_count, frames, count * sizeof(*frames));
	a->frame_count += count;
}

static const char *copied(struct line_answer *a, const char *text)
{
	return text ? strtab_add(a->texts, text) : NULL;
}

void line_answer_add(struct line_answer *a, size_t i, struct srcline_frame *frames, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		frames[n].function = copied(a, frames[n].function);
		frames[n].file = copied(a, frames[n].file);
		frames[n].declared_in = copied(a, frames[n].declared_in);
	}
	line_answer_take(a, i, frames, count);
}

void line_answer_undo(struct line_answer *a, size_t first, size_t count)
{
	for (size_t i = first; i < a->answer.place_count; i++)
		a->answer.places[i].frame_count = 0;
	a->frame_count = count;
	if (a->instructions)
		a->answer.place_count = 0; /* they were the places */
	free(a->code);
	a->code = NULL;
	free(a->instructions);
	a->instructions = NULL;
	a->answer.code_size = a->answer.instruction_count = 0;
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
	mem_free(a->answer.places, a->frames, a->code, a->instructions, a);
}
