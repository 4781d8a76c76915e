/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/format.h"
#include "output/stacks.h"
#include "view/widget/text.h"

/*
 * Folded stacks, the input of flamegraph.pl, speedscope and others, one line a stack:
 *
 *	load;main;hot_a 921
 *	cc1plus;clear_page_erms_[k] 62
 *
 * The line goes from the process's name outwards; kernel frames are marked `_[k]` and inlined ones
 * `_[i]`.  Equal stacks of different processes are one line.  Samples are those of the event that
 * the view shows.  For an event of time they are nanoseconds, because there one sample may be a
 * thousand times as long as another.
 */

struct folded_line {
	char *stack; /* owned */
	int64_t samples;
};

struct folded {
	const struct frame_table *frames;
	struct folded_line *lines;
	size_t count;
	size_t capacity;
	struct buf
		names;   /* of frames as lines have them, each with a NUL: most are in many lines */
	size_t *name_at; /* by frame: its place in `names` + 1; 0: not there yet */
	struct buf line; /* the one under construction */
};

/*
 * Appends NAME without the format's separator.  An empty name would not be seen, so it is
 * "[unknown]".
 */
static void add_name(struct buf *b, const char *name)
{
	size_t start = b->size;

	text_sanitize(b, name, strlen(name), false);
	if (b->size == start)
		buf_add_str(b, "[unknown]");
	for (size_t i = start; i < b->size; i++)
		if (b->bytes[i] == ';')
			b->bytes[i] = ':';
}

static void add_frame(struct buf *b, const struct frame_table *frames, uint32_t frame)
{
	uint8_t flags = frame_flags(frames, frame);

	add_name(b, frame_function(frames, frame));
	if (flags & FRAME_KERNEL)
		buf_add_str(b, "_[k]");
	if (flags & FRAME_INLINED)
		buf_add_str(b, "_[i]");
}

/* Valid until the next call. */
static const char *frame_text(struct folded *f, uint32_t frame)
{
	if (!f->name_at[frame]) {
		f->name_at[frame] = f->names.size + 1;
		add_frame(&f->names, f->frames, frame);
		buf_add_char(&f->names, '\0');
	}
	return f->names.bytes + f->name_at[frame] - 1;
}

static char *stack_text(struct folded *f, const struct stack *stack)
{
	buf_clear(&f->line);
	add_name(&f->line, stack->comm);
	for (size_t i = stack->depth; i-- > 0;) {
		buf_add_char(&f->line, ';');
		buf_add_str(&f->line, frame_text(f, stack->frames[i]));
	}
	return mem_strndup(f->line.bytes, f->line.size);
}

static void add_stacks(struct folded *f, const struct snapshot *s, int event)
{
	struct stacks *stacks = stacks_new(s);
	bool time = event >= 0 && s->events[event].time;
	int column = stacks_column_find(stacks, event, time);
	struct stack stack;

	while (column >= 0 && stacks_next(stacks, &stack)) {
		if (!stack.values[column])
			continue;
		mem_grow((void **)&f->lines, &f->capacity, f->count + 1, sizeof(*f->lines));
		f->lines[f->count++] =
			(struct folded_line){ stack_text(f, &stack), stack.values[column] };
	}
	stacks_free(stacks);
}

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct folded_line *)a)->stack,
		      ((const struct folded_line *)b)->stack);
}

static void print_lines(struct buf *out, const struct folded *f)
{
	for (size_t i = 0; i < f->count;) {
		const char *stack = f->lines[i].stack;
		int64_t samples = 0;

		for (; i < f->count && strcmp(f->lines[i].stack, stack) == 0; i++)
			samples += f->lines[i].samples;
		buf_add_str(out, stack);
		buf_add_char(out, ' ');
		buf_add_integer(out, samples);
		buf_add_char(out, '\n');
	}
}

static void folded_fini(struct folded *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->lines[i].stack);
	mem_free(f->lines, f->name_at);
	buf_fini(&f->names);
	buf_fini(&f->line);
}

static int folded_write(struct buf *out, const struct output_request *request, struct error *err)
{
	const struct snapshot *s = view_snapshot(request->view);
	struct folded f = { .frames = s->frames };

	(void)err;
	if (f.frames)
		f.name_at = mem_array(frame_table_count(f.frames), sizeof(*f.name_at));
	add_stacks(&f, s, view_event(request->view));
	if (f.count)
		qsort(f.lines, f.count, sizeof(*f.lines), by_stack);
	print_lines(out, &f);
	folded_fini(&f);
	return 0;
}

/* clang-format off */
const struct output_format format_folded = {
	.name = "folded", .extensions = ".folded",
	.help = N_("stacks and counts, for flame graphs"), .series = SERIES_REPLACE,
	.write = folded_write, .stacks = true,
};
/* clang-format on */
