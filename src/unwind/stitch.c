/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/stitch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

/*
 * The number of threads with a kept stack.  A thread that falls into another's place replaces it.
 * Most stacks have some 40 frames, so this is half a MiB.
 */
#define THREADS 1024 /* a power of two */

struct link {
	uint64_t sp, frame;
};

struct whole {
	uint64_t thread, generation;
	struct link *links; /* the innermost first */
	size_t count, room;
};

struct stitches {
	struct whole threads[THREADS];
};

struct stitches *stitches_new(void)
{
	return mem_alloc(sizeof(struct stitches));
}

void stitches_free(struct stitches *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < THREADS; i++)
		free(s->threads[i].links);
	free(s);
}

static struct whole *place_of(struct stitches *s, const struct stitch_stack *stack)
{
	return &s->threads[hash_u64(stack->thread) & (THREADS - 1)];
}

/* Puts the stack's frames in front of the TAIL outermost kept ones. */
static void put(struct whole *w, const struct stitch_stack *stack, size_t tail)
{
	mem_grow((void **)&w->links, &w->room, stack->count + tail, sizeof(*w->links));
	memmove(w->links + stack->count, w->links + w->count - tail, tail * sizeof(*w->links));
	for (size_t i = 0; i < stack->count; i++)
		w->links[i] = (struct link){ stack->sps[i], stack->frames[i] };
	w->count = stack->count + tail;
}

void stitches_keep(struct stitches *s, const struct stitch_stack *stack)
{
	struct whole *w = place_of(s, stack);

	w->thread = stack->thread;
	w->generation = stack->generation;
	put(w, stack, 0);
}

static bool is_frame(const struct link *link, const struct stitch_stack *stack, size_t i)
{
	return link->sp == stack->sps[i] && link->frame == stack->frames[i];
}

/* The number of outermost kept frames that called the stack's last two frames. */
static size_t callers(const struct whole *w, const struct stitch_stack *stack)
{
	size_t last = stack->count - 1;

	if (w->thread != stack->thread || w->generation != stack->generation || stack->count < 2)
		return 0;
	for (size_t i = 1; i < w->count; i++)
		if (is_frame(&w->links[i], stack, last) &&
		    is_frame(&w->links[i - 1], stack, last - 1))
			return w->count - i - 1;
	return 0;
}

size_t stitches_complete(struct stitches *s, const struct stitch_stack *stack, uint64_t *to,
			 size_t max)
{
	struct whole *w = place_of(s, stack);
	size_t tail = callers(w, stack);

	if (!tail || tail > max)
		return 0;
	put(w, stack, tail);
	for (size_t i = 0; i < tail; i++)
		to[i] = w->links[stack->count + i].frame;
	return tail;
}
