/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The block of rules that a worker hands over: whatever its bytes are, it is refused, or can be asked for
 * anything and be walked with.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "unwind/tables.h"
#include "unwind/unwind.h"

#define STACK_START UINT64_C(0x7ff000000000)
#define FRAMES_MAX 64
#define ROWS_LOOKED_AT 256

struct scene {
	struct unwind_object *object;
	struct unwind_stack stack;
};

static bool find(void *context, uint64_t pc, struct unwind_mapping *m)
{
	struct scene *s = context;

	*m = (struct unwind_mapping){ .start = s->object->head.base,
				      .end = UINT64_MAX,
				      .object = s->object };
	return pc >= m->start && pc < m->end;
}

static void walk(struct scene *s, uint64_t pc)
{
	struct unwind_regs regs = { .machine = unwind_object_machine(s->object),
				    .known = UINT32_MAX,
				    .pc = pc };
	const struct unwind_space space = { find, s };
	struct unwinder *u = unwinder_new(UNWIND_BY_RULES);
	uint64_t frames[FRAMES_MAX];
	enum unwind_end end;
	size_t count;

	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		regs.value[i] = STACK_START + i * 8;
	count = unwind_sample(u, &regs, &s->stack, &space, frames, FRAMES_MAX, &end);
	if (!count || count > FRAMES_MAX || end >= UNWIND_ENDS)
		abort();
	unwind_leaf(u, &regs, &s->stack, &space);
	unwinder_free(u);
}

static void ask(struct scene *s)
{
	const struct unwind_object *o = s->object;
	uint64_t start = 0, end = 0;

	for (uint32_t i = 0; i < o->head.rows && i < ROWS_LOOKED_AT; i++) {
		uint64_t at = o->head.base + o->starts[i];
		const struct rule *r = unwind_object_rule(o, at);

		if (at >= o->head.base && r != &o->rules[o->numbers[i] & ~UNWIND_BEGINS])
			abort();
		if (unwind_object_function(o, at, &start, &end) && (at < start || at >= end))
			abort();
		walk(s, at);
	}
	unwind_object_rule(o, UINT64_MAX);
	unwind_object_bias(o, 0x1000, 4096, &start);
	if (unwind_object_fp_percent(o) > 100)
		abort();
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct scene s = { .stack = { data, size < 4096 ? size : 4096, STACK_START } };

	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		abort();
	s.object = unwind_object_open(fd);
	close(fd);
	if (s.object)
		ask(&s);
	unwind_object_free(s.object);
	return 0;
}
