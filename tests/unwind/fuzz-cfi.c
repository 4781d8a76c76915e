/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwinding by call frame information that is whatever the input says, over a stack that the input holds too;
 * and rules that say the same as its rows.  An input that begins as an ELF file is read as
 * one. Others are a head of eight bytes (machine, section, size of the stack in words, address of
 * the code in 16 bytes, two for nothing), the stack, and the section.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "symbol/object.h"
#include "unwind/unwind-file.h"
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
	struct unwind_regs regs = { .machine = o->head.machine, .known = UINT32_MAX, .pc = pc };
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

/* The rule of what is described is that of its row. */
static void compare(const struct unwind_source *u, const struct unwind_object *o, uint64_t address)
{
	struct cfi_row row;
	struct rule expected;

	if (o->head.rules == UNWIND_RULES_MAX || u->edges.count ||
	    cfi_find(&u->cfi, address, &row) != CFI_FOUND || row.by_address.left)
		return;
	expected = rule_of_row(&row, &row.cfa, u->cfi.machine);
	if (memcmp(&expected, unwind_object_rule(o, address), sizeof(expected)) != 0)
		abort();
}

static void look_at(const struct unwind_source *u, struct unwind_object *o, uint64_t pc,
		    const uint8_t *stack, size_t size)
{
	compare(u, o, pc);
	unwind_at(o, pc, stack, size);
}

static void unwind_all(const struct unwind_source *u, uint64_t entry, const uint8_t *stack,
		       size_t size)
{
	struct unwind_object *o = unwind_source_object(u);

	if (!o)
		abort();
	for (size_t i = 0; i < u->cfi.count && i < LOOKED_AT; i++) {
		struct cfi_row row;

		if (cfi_middle(&u->cfi, i, &row) != CFI_FOUND)
			continue;
		look_at(u, o, row.start, stack, size);
		look_at(u, o, row.start + (row.end - row.start) / 2, stack, size);
		look_at(u, o, row.end - 1, stack, size);
		look_at(u, o, row.end - 4, stack, size); /* aarch64: its return */
	}
	unwind_at(o, entry, stack, size);
	unwind_object_free(o);
}

static void run_file(const uint8_t *data, size_t size)
{
	struct object *file = object_new_from_memory(data, size);
	struct unwind_source u;

	if (unwind_file_read(&u, file))
		unwind_all(&u, file->header.e_entry, data, size < 4096 ? size : 4096);
	unwind_source_fini(&u);
	object_free(file);
}

static void run_section(const uint8_t *data, size_t size)
{
	size_t stack = (size_t)data[2] * 8;
	unsigned which = data[1] & 1;
	struct unwind_source u = { .cfi = { .machine = data[0] & 1 ? UNWIND_AARCH64
								   : UNWIND_X86_64 } };
	uint64_t entry = ((uint64_t)data[4] << 8 | data[3]) * 16;

	stack = stack < size - HEAD ? stack : size - HEAD;
	u.places[u.place_count++] =
		(struct unwind_place){ .address = entry, .size = 64, .rule = { .kind = RULE_END } };
	u.cfi.section[which] = (struct cfi_section){ .bytes = data + HEAD + stack,
						     .size = size - HEAD - stack,
						     .address = SECTION_AT,
						     .debug = which };
	cfi_index(&u.cfi);
	unwind_all(&u, entry, data + HEAD, stack);
	unwind_source_fini(&u);
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
