/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwinding by call frame information that is whatever the input says: from the leaf's rule to
 * libunwind, over a stack that the input holds too.  An input that begins as an ELF file is read as
 * one. Others are a head of eight bytes (machine, section, size of the stack in words, address of
 * the code in 16 bytes, two for nothing), the stack, and the section.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "symbol/object.h"
#include "unwind/tables.h"
#include "unwind/unwind.h"

#define FRAMES_MAX 64
#define LOOKED_AT 64
#define STACK_START UINT64_C(0x7ff000000000)
#define SECTION_AT UINT64_C(0x200000)
#define HEAD 8

static bool find(void *context, uint64_t pc, struct unwind_mapping *m)
{
	*m = (struct unwind_mapping){ .start = 0, .end = UINT64_C(1) << 32, .object = context };
	return pc < m->end;
}

static void unwind_at(struct unwind_object *o, uint64_t pc, const uint8_t *stack, size_t size)
{
	struct unwind_regs regs = { .machine = o->cfi.machine, .known = UINT32_MAX, .pc = pc };
	struct unwind_stack copy = { stack, size, STACK_START };
	struct unwind_space space = { find, o };

	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		regs.value[i] = STACK_START + i * 8;
	regs.value[unwind_machine_regs[regs.machine].sp] = STACK_START;
	for (enum unwind_method method = UNWIND_BY_RULES; method <= UNWIND_BY_FP; method++) {
		struct unwinder *u = unwinder_new(method);
		uint64_t frames[FRAMES_MAX];
		enum unwind_end end;
		size_t count = unwind_sample(u, &regs, &copy, &space, frames, FRAMES_MAX, &end);

		if (!count || count > FRAMES_MAX || end >= UNWIND_ENDS || frames[0] != pc)
			abort();
		unwinder_free(u);
	}
}

static void unwind_all(struct unwind_object *o, const uint8_t *stack, size_t size)
{
	for (size_t i = 0; i < o->cfi.count && i < LOOKED_AT; i++) {
		struct cfi_row row;

		if (cfi_middle(&o->cfi, i, &row) != CFI_FOUND)
			continue;
		unwind_at(o, row.start, stack, size);
		unwind_at(o, row.start + (row.end - row.start) / 2, stack, size);
		unwind_at(o, row.end - 1, stack, size);
		unwind_at(o, row.end - 4, stack, size); /* aarch64: its return */
	}
	unwind_at(o, o->entry, stack, size);
}

static void run_file(const uint8_t *data, size_t size)
{
	struct object *file = object_new_from_memory(data, size);
	struct unwind_object *o = file ? unwind_object_new(file) : NULL;
	uint64_t bias;

	object_free(file);
	if (!o)
		return;
	unwind_object_bias(o, 0x1000, 0, &bias);
	unwind_all(o, data, size < 4096 ? size : 4096);
	if (unwind_object_fp_percent(o) > 100 || unwind_object_bytes(o) > 64 * size + (4u << 20))
		abort();
	unwind_object_free(o);
}

static void run_section(const uint8_t *data, size_t size)
{
	struct unwind_object *o = calloc(1, sizeof(*o));
	size_t stack = (size_t)data[2] * 8;
	unsigned which = data[1] & 1;

	if (!o)
		return;
	stack = stack < size - HEAD ? stack : size - HEAD;
	o->cfi.machine = data[0] & 1 ? UNWIND_AARCH64 : UNWIND_X86_64;
	o->entry = ((uint64_t)data[4] << 8 | data[3]) * 16;
	o->cfi.section[which] = (struct cfi_section){ .bytes = data + HEAD + stack,
						      .size = size - HEAD - stack,
						      .address = SECTION_AT,
						      .debug = which };
	cfi_index(&o->cfi);
	unwind_all(o, data + HEAD, stack);
	unwind_object_free(o);
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	if (size > 4 && !memcmp(data, "\177ELF", 4))
		run_file(data, size);
	else if (size > HEAD)
		run_section(data, size);
	return 0;
}
