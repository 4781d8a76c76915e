/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/python.h"

bool python_walk_make(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t thread, struct python_walk *to)
{
	const struct python_offsets *o = &r->offsets;

	*to = (struct python_walk){ .state = thread,
				    .tag = o->tag,
				    .thread_id = o->thread_id,
				    .thread_entry = o->thread_entry,
				    .has_entries = o->has_cframes,
				    .entry_frame = o->cframe_frame,
				    .frame_code = o->frame_code,
				    .frame_previous = o->frame_previous,
				    .frame_mark = o->frame_mark,
				    .code_file = o->code_file,
				    .code_name = o->code_name,
				    .code_line = o->code_line };
	return m->read(m->context, thread + o->thread_id, &to->id, sizeof(to->id));
}

static struct python_frame frame_of(const struct python_walked_frame *f)
{
	return (struct python_frame){ .code = f->code,
				      .file = f->file,
				      .name = f->name,
				      .line = (int32_t)f->line > 0 ? f->line : 0 };
}

enum python_result python_walk_stack(const struct python_runtime *r, const struct python_walked *w,
				     struct python_stack *to)
{
	const struct python_offsets *o = &r->offsets;
	const uint32_t count = o->thread_base && w->count ? w->count - 1 : w->count;
	bool inside = false;

	to->frame_count = to->level_count = 0;
	for (uint32_t i = 0; i < count && i < PYTHON_WALK_FRAMES; i++) {
		bool marked = o->each_is_entry || (uint8_t)w->frames[i].mark == o->mark;

		if (!inside && to->level_count == PYTHON_LEVELS)
			return PYTHON_CHANGED;
		if (!inside)
			to->levels[to->level_count++] =
				(struct python_level){ .first = to->frame_count };
		if (!marked || !o->has_shims) {
			to->frames[to->frame_count++] = frame_of(&w->frames[i]);
			to->levels[to->level_count - 1].count++;
		}
		inside = !marked;
	}
	if (inside)
		return PYTHON_CHANGED;
	return to->level_count ? PYTHON_OK : PYTHON_NONE;
}
