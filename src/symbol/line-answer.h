/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_ANSWER_H
#define PTOP_SYMBOL_LINE_ANSWER_H

#include "base/build-id.h"
#include "base/error.h"
#include "base/strtab.h"
#include "symbol/line-request.h"

/* An answer of lines.h while it is made, and what it points to. */
struct line_answer {
	struct lines_answer answer; /* must be first */
	struct strtab *texts;
	struct srcline_frame *frames;
	size_t frame_count, frame_capacity;
	unsigned char *code;
	struct instruction *instructions;
	struct error missing, no_code;
	struct build_id
		program; /* of the file with the lines; none: a server has no sources of it */
};

#define LINE_FRAMES_MAX \
	(1u << 20) /* of one answer; later places have none, and `missing` says so */

struct line_answer *line_answer_new(uint64_t id);
void line_answer_free(struct line_answer *a); /* NULL is allowed */

/* Makes COUNT places; each then gets its frames in their order. */
void line_answer_set_places(struct line_answer *a, size_t count);

/* Gives place I the COUNT frames; their texts are copied, and FRAMES then has the copies. */
void line_answer_add(struct line_answer *a, size_t i, struct srcline_frame *frames, size_t count);

/* The same for frames whose texts are A's already. */
void line_answer_take(struct line_answer *a, size_t i, const struct srcline_frame *frames,
		      size_t count);

/* Takes back the frames of places from FIRST on, COUNT of all before excepted, and the code. */
void line_answer_undo(struct line_answer *a, size_t first, size_t count);

/* Call after the last place has its frames. */
void line_answer_finish(struct line_answer *a);

#endif
