/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "output/stacks.h"

#define COMM_BYTES 15 /* the kernel cuts longer names */

struct candidate {        /* an object */
	uint32_t frame;   /* the first one of it */
	uint64_t samples; /* samples, twice in processes of its name */
	size_t stack;     /* the last stack that counted for it */
};

struct candidates {
	struct map objects; /* by their numbers */
	size_t stack;       /* number of the current stack, from 1 */
};

/* NULL for "[kernel]" and "//anon". */
static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && *path == '/' && path[1] != '/' ? slash + 1 : NULL;
}

static bool is_named(const char *path, const char *comm)
{
	const char *file = file_of(path);

	return file && *comm && !strncmp(file, comm, COMM_BYTES);
}

/* True except for "libc.so.6", "plugin.so" and the like. */
static bool may_be_program(const char *path)
{
	const char *file = file_of(path), *suffix = file ? strstr(file, ".so") : NULL;

	return file && !(suffix && (!suffix[3] || suffix[3] == '.'));
}

static struct candidate *candidate_of(struct candidates *c, const struct snapshot *s,
				      uint32_t frame)
{
	uint64_t key = frame_object(s->frames, frame) + 1ull;
	struct candidate *found = map_find(&c->objects, key);

	if (found)
		return found;
	found = mem_alloc(sizeof(*found));
	found->frame = frame;
	map_put(&c->objects, key, found);
	return found;
}

static void count_stack(struct candidates *c, const struct snapshot *s, const struct stack *stack)
{
	c->stack++;
	for (size_t i = 0; stack->pid && i < stack->depth; i++) {
		const char *path = frame_object_path(s->frames, stack->frames[i]);
		struct candidate *found;

		if (!may_be_program(path))
			continue;
		found = candidate_of(c, s, stack->frames[i]);
		if (found->stack == c->stack)
			continue;
		found->stack = c->stack;
		found->samples += (uint64_t)stack->values[0] << is_named(path, stack->comm);
	}
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	return a->samples != b->samples ? a->samples > b->samples : a->frame < b->frame;
}

uint32_t program_frame(const struct snapshot *s)
{
	struct stacks *stacks = stacks_new(s);
	struct candidate best = { 0 }, *next;
	struct candidates c = { 0 };
	struct stack stack;

	while (stacks_next(stacks, &stack))
		count_stack(&c, s, &stack);
	stacks_free(stacks);
	for (size_t i = 0; (next = map_next(&c.objects, &i)); free(next)) {
		if (!best.frame || is_better(next, &best))
			best = *next;
	}
	map_fini(&c.objects);
	return best.frame;
}
