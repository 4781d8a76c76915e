/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LINE_WALK_H
#define PTOP_TESTS_LINE_WALK_H

#include <stdlib.h>
#include <string.h>

#include "symbol/line-answer.h"

/* What was believed can be shown: reads all of A, and aborts if a count is wrong. */
static inline void line_walk(const struct line_answer *a)
{
	size_t length = 0, frames = 0;

	for (size_t i = 0; i < a->answer.place_count; i++) {
		const struct lines_place *p = &a->answer.places[i];

		frames += p->frame_count;
		length += p->text ? strlen(p->text) : 0;
		for (size_t f = 0; f < p->frame_count; f++) {
			length += p->frames[f].function ? strlen(p->frames[f].function) : 0;
			length += p->frames[f].file ? strlen(p->frames[f].file) : 0;
			length += p->frames[f].declared_in ? strlen(p->frames[f].declared_in) : 0;
		}
	}
	for (size_t i = 0; i < a->answer.instruction_count; i++)
		length += strlen(a->answer.instructions[i].text);
	if (frames != a->frame_count || length > (1u << 30) ||
	    strlen(a->missing.text) >= sizeof(a->missing.text))
		abort();
}

#endif
