/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole walks by every method: a sample's registers, a stack and an address space.  Some code there
 * is described, some is not, and some lies in files that were not read.  An input is
 *
 *   machine  the ABI  limit of frames  words of stack (one byte each)
 *   mask of registers (8 bytes), and a word for each of its bits
 *   four times a mapping (4 bytes): first page, pages, object (1, 2; else none), its file's first
 * page what object 1 has besides (8 bytes): entry, trampoline, stub, resolver's stub, two bytes
 * each the stack, which begins at the stack pointer bytes of object 1's .eh_frame (2 bytes), it,
 * and the rest is object 2's .debug_frame.  Object 1's code is the bytes of the stack, in its
 * second page.
 *
 * A walk ends, every frame but the first is code, and it is the same again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz/fuzz.h"
#include "unwind/table-maker.h"
#include "unwind/unwind.h"

#define FRAMES_MAX 64
#define MAPPINGS 4
#define OBJECTS 2
#define PAGE UINT64_C(4096)
#define SECTION_AT UINT64_C(0x80000)

struct scene {
	enum unwind_machine machine;
	struct unwind_regs regs;
	struct unwind_stack stack;
	struct unwind_mapping mapping[MAPPINGS];
	uint8_t number[MAPPINGS]; /* of its object, plus 1; 0: none */
	struct unwind_source source[OBJECTS];
	struct unwind_object *object[OBJECTS];
	size_t max;
};

static bool find(void *context, uint64_t pc, struct unwind_mapping *m)
{
	const struct scene *s = context;

	for (unsigned i = 0; i < MAPPINGS; i++) {
		*m = s->mapping[i];
		if (pc >= m->start && pc < m->end)
			return true;
	}
	return false;
}

static bool read_registers(struct scene *s, struct bytes *b, uint64_t abi)
{
	uint64_t mask = bytes_u64(b);
	const void *words = bytes_take(b, (size_t)__builtin_popcountll(mask) * 8);

	return words && unwind_regs_of_sample(&s->regs, s->machine, abi, mask, words);
}

static void read_mappings(struct scene *s, struct bytes *b)
{
	for (unsigned i = 0; i < MAPPINGS; i++) {
		struct unwind_mapping *m = &s->mapping[i];
		uint64_t page;

		m->start = bytes_u8(b) * PAGE;
		m->end = m->start + bytes_u8(b) * PAGE;
		s->number[i] = bytes_u8(b);
		page = bytes_u8(b);
		m->bias = m->start - page * PAGE;
	}
}

static void add_place(struct unwind_source *o, uint64_t address, uint64_t size, struct rule rule)
{
	o->places[o->place_count++] =
		(struct unwind_place){ .address = address, .size = size, .rule = rule };
}

static void read_places(struct unwind_source *o, struct bytes *b)
{
	enum unwind_machine machine = o->cfi.machine;
	uint16_t stub;

	add_place(o, bytes_u16(b), 64, (struct rule){ .kind = RULE_END });
	add_place(o, bytes_u16(b), 10, rule_of_trampoline(machine));
	stub = bytes_u16(b);
	add_place(o, bytes_u16(b), 28, rule_of_resolver_stub());
	add_place(o, stub, 64, rule_of_entry(machine));
}

static void read_section(struct unwind_source *o, struct bytes *b, size_t size, bool debug)
{
	const void *bytes = bytes_take(b, size < b->left ? size : b->left);

	o->cfi.section[debug] = (struct cfi_section){
		.bytes = bytes, .size = size, .address = SECTION_AT, .debug = debug
	};
	cfi_index(&o->cfi);
}

static size_t read_code(const void *context, uint64_t address, void *bytes, size_t size)
{
	const struct unwind_stack *s = context;
	uint64_t at = address - PAGE;

	if (address < PAGE || at >= s->size)
		return 0;
	size = size < s->size - at ? size : s->size - at;
	memcpy(bytes, (const char *)s->bytes + at, size);
	return size;
}

static bool read_scene(struct scene *s, struct bytes *b)
{
	uint64_t abi;
	size_t words;

	s->machine = bytes_u8(b) & 1 ? UNWIND_AARCH64 : UNWIND_X86_64;
	abi = bytes_u8(b);
	s->max = bytes_u8(b) % FRAMES_MAX + 1;
	words = bytes_u8(b);
	for (unsigned i = 0; i < OBJECTS; i++)
		s->source[i].cfi.machine = s->machine;
	if (!read_registers(s, b, abi))
		return false;
	read_mappings(s, b);
	read_places(&s->source[0], b);
	s->stack = (struct unwind_stack){ bytes_take(b, words * 8), words * 8,
					  s->regs.value[unwind_machine_regs[s->machine].sp] };
	words = bytes_u16(b);
	if (b->failed)
		return false;
	words = words < b->left ? words : b->left;
	read_section(&s->source[0], b, words, false);
	if (s->machine == UNWIND_AARCH64)
		edge_table_read(&s->source[0].edges, &s->source[0].cfi,
				&(struct edge_text){ read_code, &s->stack });
	read_section(&s->source[1], b, b->left, true);
	return true;
}

/* What was made here passes the check of what somebody else made. */
static void make_objects(struct scene *s)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		s->object[i] = unwind_source_object(&s->source[i]);
		if (!s->object[i])
			abort();
	}
	for (unsigned i = 0; i < MAPPINGS; i++)
		if (s->number[i] && s->number[i] <= OBJECTS)
			s->mapping[i].object = s->object[s->number[i] - 1];
}

/* One way up; the frames' number. */
static size_t walk(struct scene *s, struct unwinder *u, uint64_t *frames, enum unwind_end *end)
{
	const struct unwind_space space = { find, s };
	size_t count = unwind_sample(u, &s->regs, &s->stack, &space, frames, s->max, end);
	struct unwind_mapping m;

	if (!count || count > s->max || *end >= UNWIND_ENDS || frames[0] != s->regs.pc)
		abort();
	for (size_t i = 1; i < count; i++)
		if (!find(s, frames[i] - 1, &m))
			abort();
	return count;
}

/* The caller that a chain lacks is code, too. */
static void look_at_leaf(struct scene *s, struct unwinder *u)
{
	const struct unwind_space space = { find, s };
	const struct unwind_leaf leaf = unwind_leaf(u, &s->regs, &s->stack, &space);
	struct unwind_mapping m;

	if (leaf.kind > UNWIND_LEAF_OMITTED || (leaf.kind != UNWIND_LEAF_OMITTED && leaf.caller) ||
	    (leaf.kind == UNWIND_LEAF_OMITTED && !find(s, leaf.caller - 1, &m)))
		abort();
}

static void walk_twice(struct scene *s, enum unwind_method method)
{
	uint64_t first[FRAMES_MAX], second[FRAMES_MAX];
	enum unwind_end end, again;
	struct unwinder *u = unwinder_new(method);
	size_t count = walk(s, u, first, &end);

	if (walk(s, u, second, &again) != count || end != again ||
	    memcmp(first, second, count * sizeof(*first)))
		abort();
	if (unwind_stats(u)->samples != 2 || unwind_stats(u)->frames != 2 * count)
		abort();
	look_at_leaf(s, u);
	unwinder_free(u);
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size);
	struct scene s = { .max = 0 };

	if (read_scene(&s, &b)) {
		make_objects(&s);
		for (enum unwind_method method = UNWIND_BY_RULES; method <= UNWIND_BY_FP; method++)
			walk_twice(&s, method);
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		unwind_object_free(s.object[i]);
		unwind_source_fini(&s.source[i]);
	}
	return 0;
}
