/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps and ends on stacks made by hand, for both machines; registers of samples. */
#include "unit.h"

#include "base/alloc.h"
#include "unwind/table-maker.h"
#include "unwind/unwind.h"

#define STACK UINT64_C(0x7ff000000000)
#define WORDS 256
#define CODE UINT64_C(0x400000)
#define CODE_END UINT64_C(0x500000)

/* An object with rules at some addresses: nothing describes any other. */
struct scene {
	struct unwind_source source; /* its edges are the rules */
	struct unwind_object *object;
	struct unwinder *unwinder;
	struct unwind_regs regs;
	uint64_t stack[WORDS];
	size_t stack_bytes;
	uint64_t frames[64];
	size_t max, count;
	enum unwind_end end;
	bool jit; /* the code has no object */
};

static bool find(void *context, uint64_t pc, struct unwind_mapping *m)
{
	struct scene *s = context;

	*m = (struct unwind_mapping){ .start = CODE,
				      .end = CODE_END,
				      .object = s->jit ? NULL : s->object };
	return pc >= CODE && pc < CODE_END;
}

static void scene_make(struct scene *s)
{
	unwind_object_free(s->object);
	s->object = unwind_source_object(&s->source);
	assert_non_null(s->object);
}

static void scene_init(struct scene *s, enum unwind_machine machine)
{
	memset(s, 0, sizeof(*s));
	s->unwinder = unwinder_new(UNWIND_BY_RULES);
	s->source.cfi.machine = s->regs.machine = machine;
	cfi_index(&s->source.cfi);
	scene_make(s);
	s->regs.known = UINT32_MAX;
	s->regs.pc = CODE + 0x10;
	s->regs.value[unwind_machine_regs[machine].sp] = STACK;
	s->stack_bytes = sizeof(s->stack);
	s->max = 64;
}

static void scene_fini(struct scene *s)
{
	unwinder_free(s->unwinder);
	unwind_object_free(s->object);
	unwind_source_fini(&s->source);
}

static void run(struct scene *s)
{
	struct unwind_stack stack = { s->stack, s->stack_bytes, STACK };
	struct unwind_space space = { find, s };

	s->count = unwind_sample(s->unwinder, &s->regs, &stack, &space, s->frames, s->max, &s->end);
}

static void add(struct scene *s, uint64_t address, struct rule r)
{
	struct edge_table *t = &s->source.edges;
	size_t i = t->count;

	r.bx_offset = RULE_BX_SAME;
	mem_grow((void **)&t->rules, &t->capacity, t->count + 1, sizeof(*t->rules));
	for (; i && t->rules[i - 1].address > address; i--)
		t->rules[i] = t->rules[i - 1];
	t->rules[i] = (struct edge_rule){ .address = (uint32_t)address, .rule = r };
	t->count++;
	scene_make(s);
}

static void remove_all(struct scene *s)
{
	s->source.edges.count = 0;
	scene_make(s);
}

/* CFA = sp + SIZE, the return address below it. */
static struct rule frame_of(int32_t size)
{
	return (struct rule){ .kind = RULE_STEP,
			      .cfa_base = RULE_SP,
			      .cfa_offset = size,
			      .ra_base = RULE_CFA,
			      .ra_offset = -1 };
}

UNIT_TEST(test_callers)
{
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	add(&s, CODE + 0x10, frame_of(16));
	add(&s, CODE + 0x1ff, frame_of(8)); /* before the return address: its call */
	add(&s, CODE + 0x2ff, (struct rule){ .kind = RULE_END });
	s.stack[1] = CODE + 0x200;
	s.stack[2] = CODE + 0x300;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.frames[0], CODE + 0x10);
	assert_int_equal(s.frames[1], CODE + 0x200);
	assert_int_equal(s.frames[2], CODE + 0x300);
	s.max = 2;
	run(&s);
	assert_int_equal(s.end, UNWIND_LIMIT);
	assert_int_equal(s.count, 2);
	s.max = 64;
	s.stack_bytes = 16;
	run(&s);
	assert_int_equal(s.end, UNWIND_TRUNCATED);
	assert_int_equal(s.count, 2);
	assert_int_equal(unwind_stats(s.unwinder)->samples, 3);
	assert_int_equal(unwind_stats(s.unwinder)->frames, 7);
	assert_int_equal(unwind_stats(s.unwinder)->ends[UNWIND_LIMIT], 1);
	scene_fini(&s);
}

/* A rule that leads to itself: frames that go down, stay, or go up for ever. */
UNIT_TEST(test_cycles)
{
	static const int32_t sizes[] = { -64, 0, 8 };
	static const enum unwind_end ends[] = { UNWIND_LOOP, UNWIND_LOOP, UNWIND_TRUNCATED };

	for (size_t i = 0; i < 3; i++) {
		struct scene s;

		scene_init(&s, UNWIND_X86_64);
		s.regs.pc = CODE + 0xff;
		s.stack_bytes = 40 * 8;
		add(&s, CODE + 0xff,
		    (struct rule){ .kind = RULE_STEP,
				   .cfa_base = RULE_SP,
				   .cfa_offset = sizes[i],
				   .ra_base = RULE_SP });
		for (size_t w = 0; w < WORDS; w++)
			s.stack[w] = CODE + 0x100;
		run(&s);
		assert_int_equal(s.end, ends[i]);
		assert_true(s.count <= 41);
		scene_fini(&s);
	}
}

UNIT_TEST(test_ends)
{
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	add(&s, CODE + 0x10, frame_of(8));
	s.stack[0] = 0x1234;
	run(&s);
	assert_int_equal(s.end, UNWIND_NOT_CODE);
	assert_int_equal(s.count, 1);
	s.stack[0] = CODE + 0x800;
	run(&s);
	assert_int_equal(s.end, UNWIND_NO_RULE);
	assert_int_equal(s.count, 2);
	add(&s, CODE + 0x9ff,
	    (struct rule){ .kind = RULE_STEP, .cfa_base = RULE_FP, .ra_base = RULE_CFA });
	s.regs.value[6] = UINT64_C(0x1000);
	s.stack[0] = CODE + 0xa00;
	run(&s);
	assert_int_equal(s.end, UNWIND_OTHER_STACK);
	add(&s, CODE + 0x8ff, (struct rule){ .kind = RULE_MALFORMED });
	s.stack[0] = CODE + 0x900;
	run(&s);
	assert_int_equal(s.end, UNWIND_BAD_RULE);
	s.stack[0] = 0;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	s.regs.pc = 1;
	run(&s);
	assert_int_equal(s.end, UNWIND_NOT_CODE);
	assert_int_equal(s.count, 1);
	s.regs.machine = UNWIND_MACHINE_NONE;
	run(&s);
	assert_int_equal(s.end, UNWIND_NO_REGISTERS);
	assert_int_equal(s.count, 0);
	unwind_skipped(s.unwinder);
	assert_int_equal(unwind_stats(s.unwinder)->ends[UNWIND_BUDGET], 1);
	for (int i = 0; i < UNWIND_ENDS; i++)
		assert_true(unwind_ends[i].name && unwind_ends[i].text);
	scene_fini(&s);
}

/* Code without a file keeps frame pointers, as far as they make sense. */
UNIT_TEST(test_frame_pointers)
{
	struct scene s;

	for (enum unwind_machine machine = UNWIND_X86_64; machine < UNWIND_MACHINES; machine++) {
		scene_init(&s, machine);
		s.jit = true;
		s.regs.value[unwind_machine_regs[machine].fp] = STACK + 16;
		s.stack[2] = STACK + 64;
		s.stack[3] = CODE + 0x100;
		s.stack[8] = 0;
		s.stack[9] = CODE + 0x200;
		run(&s);
		assert_int_equal(s.count, 3);
		assert_int_equal(s.frames[2], CODE + 0x200);
		assert_int_equal(s.end, UNWIND_NOT_LOADED);
		assert_int_equal(unwind_stats(s.unwinder)->fp_steps, 2);
		s.stack[2] = STACK + 8; /* not above */
		run(&s);
		assert_int_equal(s.count, 2);
		s.regs.value[unwind_machine_regs[machine].fp] = STACK + 17;
		run(&s);
		assert_int_equal(s.count, 1);
		scene_fini(&s);
	}
}

/* Words that an epilogue has popped are below the stack pointer, where no copy reaches. */
UNIT_TEST(test_popped)
{
	struct rule r = frame_of(8);
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	r.fp_base = RULE_CFA;
	r.fp_offset = -2;
	add(&s, CODE + 0x10, r);
	add(&s, CODE + 0xff,
	    (struct rule){ .kind = RULE_STEP,
			   .cfa_base = RULE_FP,
			   .cfa_offset = 16,
			   .ra_base = RULE_CFA,
			   .ra_offset = -1 });
	s.regs.value[6] = STACK + 32;
	s.stack[0] = CODE + 0x100;
	s.stack[5] = 0;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 2);
	scene_fini(&s);
}

/* aarch64: a leaf's caller is in x30, with a signature in its upper bits; twice the same is a loop.
 */
UNIT_TEST(test_link_register)
{
	const struct rule leaf = { .kind = RULE_STEP, .cfa_base = RULE_SP };
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	add(&s, CODE + 0x10, leaf);
	add(&s, CODE + 0xff, frame_of(32));
	s.regs.value[30] = (CODE + 0x100) | UINT64_C(0x7a31) << 48;
	s.stack[3] = 0;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.frames[1], CODE + 0x100);
	remove_all(&s);
	add(&s, CODE + 0x10, leaf);
	add(&s, CODE + 0xff, leaf);
	run(&s);
	assert_int_equal(s.end, UNWIND_LOOP);
	assert_int_equal(s.count, 2);
	scene_fini(&s);
}

/* x86-64: longjmp() has the stack pointer (r8), frame pointer (r9) and address (rdx) that it goes to at hand. */
UNIT_TEST(test_jump_to_another_frame)
{
	struct rule jump = { .kind = RULE_STEP,
			     .cfa_base = RULE_REGISTER,
			     .cfa_register = 8,
			     .ra_base = RULE_REGISTER,
			     .ra_register = 1,
			     .fp_base = RULE_REGISTER,
			     .fp_offset = 9,
			     .bx_offset = RULE_BX_LOST };
	struct rule by_fp = frame_of(16);
	struct scene s;

	by_fp.cfa_base = RULE_FP;
	scene_init(&s, UNWIND_X86_64);
	add(&s, CODE + 0x10, jump);
	add(&s, CODE + 0xff, by_fp);
	add(&s, CODE + 0x1ff, frame_of(8));
	s.regs.value[1] = CODE + 0x100;
	s.regs.value[8] = STACK + 32;
	s.regs.value[9] = STACK + 64;
	s.stack[9] = CODE + 0x200;
	run(&s);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.frames[1], CODE + 0x100);
	assert_int_equal(s.frames[2], CODE + 0x200);
	s.regs.known &= ~(1u << 9);
	run(&s);
	assert_int_equal(s.end, UNWIND_BAD_RULE);
	assert_int_equal(s.count, 1);
	scene_fini(&s);
}

/*
 * x86-64: vfork() keeps its return address in rdi (5) while its child runs on the same stack.  It is the leaf's
 * register: a caller's is not known, nor is one that the sample lacks.
 */
UNIT_TEST(test_address_in_another_register)
{
	struct rule kept = { .kind = RULE_STEP, .cfa_base = RULE_SP, .ra_base = RULE_REGISTER };
	struct scene s;

	kept.ra_register = 5;
	scene_init(&s, UNWIND_X86_64);
	add(&s, CODE + 0x10, kept);
	add(&s, CODE + 0xff, frame_of(8));
	s.regs.value[5] = CODE + 0x100;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.frames[1], CODE + 0x100);
	s.regs.known &= ~(1u << 5);
	run(&s);
	assert_int_equal(s.end, UNWIND_BAD_RULE);
	assert_int_equal(s.count, 1);
	s.regs.known = UINT32_MAX;
	remove_all(&s);
	add(&s, CODE + 0x10, kept);
	add(&s, CODE + 0xff, kept);
	run(&s);
	assert_int_equal(s.end, UNWIND_BAD_RULE);
	assert_int_equal(s.count, 2);
	scene_fini(&s);
}

/* aarch64: a return address that was popped is in x30 again, whatever the description says. */
UNIT_TEST(test_popped_link)
{
	struct rule popped = frame_of(0);
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	add(&s, CODE + 0x10, popped);
	add(&s, CODE + 0xff, (struct rule){ .kind = RULE_END });
	s.regs.value[30] = CODE + 0x100;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.frames[1], CODE + 0x100);
	scene_fini(&s);
}

/* A return address above the frame, as glibc describes the resolver of aarch64: the caller is above
 * it. */
UNIT_TEST(test_above_frame)
{
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	add(&s, CODE + 0x10,
	    (struct rule){ .kind = RULE_STEP,
			   .cfa_base = RULE_SP,
			   .cfa_offset = 32,
			   .ra_base = RULE_CFA,
			   .ra_offset = 1 });
	add(&s, CODE + 0xff, frame_of(16));
	s.stack[5] = CODE + 0x100;
	s.stack[7] = 0;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 2);
	s.stack[7] = CODE + 0x100;
	s.stack[9] = 0;
	run(&s);
	assert_int_equal(s.count, 3);
	scene_fini(&s);
}

/*
 * aarch64: all registers of who was interrupted are in the frame (struct rt_sigframe): x0 at 312,
 * sp and pc behind x30.  The interrupted one is a leaf: its entry is its address + 1.
 */
UNIT_TEST(test_ucontext)
{
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	add(&s, CODE + 0x10, (struct rule){ .kind = RULE_UCONTEXT });
	add(&s, CODE + 0x200, (struct rule){ .kind = RULE_STEP, .cfa_base = RULE_SP });
	add(&s, CODE + 0x2ff, (struct rule){ .kind = RULE_END });
	s.stack[312 / 8 + 30] = CODE + 0x300;
	s.stack[312 / 8 + 31] = STACK + 1024;
	s.stack[312 / 8 + 32] = CODE + 0x200;
	run(&s);
	assert_int_equal(s.end, UNWIND_COMPLETE);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.frames[1], CODE + 0x201);
	assert_int_equal(s.frames[2], CODE + 0x300);
	assert_int_equal(unwind_stats(s.unwinder)->signal_frames, 1);
	scene_fini(&s);
}

/* Whose record it is. */

static struct unwind_leaf leaf_of(struct scene *s)
{
	struct unwind_stack stack = { s->stack, s->stack_bytes, STACK };
	struct unwind_space space = { find, s };

	return unwind_leaf(s->unwinder, &s->regs, &stack, &space);
}

static void set_fp(struct scene *s, uint64_t fp)
{
	s->regs.value[unwind_machine_regs[s->regs.machine].fp] = fp;
}

static void assert_omitted(struct scene *s, uint64_t caller, uint64_t next)
{
	const struct unwind_leaf leaf = leaf_of(s);

	assert_int_equal(leaf.kind, UNWIND_LEAF_OMITTED);
	assert_int_equal(leaf.caller, caller);
	assert_int_equal(leaf.next, next);
}

static void assert_kind(struct scene *s, enum unwind_leaf_kind kind)
{
	const struct unwind_leaf leaf = leaf_of(s);

	assert_int_equal(leaf.kind, kind);
	assert_int_equal(leaf.caller, 0);
	assert_int_equal(leaf.next, 0);
}

/* CFA = sp + 16, the caller's frame pointer and the return address there. */
static const struct rule pushed = { .kind = RULE_STEP,
				    .cfa_base = RULE_SP,
				    .cfa_offset = 16,
				    .ra_base = RULE_CFA,
				    .ra_offset = -1,
				    .fp_base = RULE_CFA,
				    .fp_offset = -2 };

/* x86-64: the caller's record is at STACK + 64; a leaf, then a function before and behind mov. */
UNIT_TEST(test_leaf_on_stack)
{
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	add(&s, CODE + 0x10, frame_of(8));
	add(&s, CODE + 0x20, pushed);
	set_fp(&s, STACK + 64);
	s.stack[0] = s.stack[9] = CODE + 0x100; /* recursion: the same address twice */
	assert_omitted(&s, CODE + 0x100, CODE + 0x100);
	s.stack[0] = CODE + 0x200;
	assert_omitted(&s, CODE + 0x200, CODE + 0x100);
	s.stack_bytes = 64;
	assert_omitted(&s, CODE + 0x200, 0);
	s.regs.pc = CODE + 0x20;
	s.stack[1] = CODE + 0x300;
	assert_omitted(&s, CODE + 0x300, 0);
	set_fp(&s, STACK);
	assert_kind(&s, UNWIND_LEAF_LINKED);
	set_fp(&s, UINT64_MAX);
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	assert_int_equal(unwind_stats(s.unwinder)->leaf_callers, 4);
	assert_int_equal(unwind_stats(s.unwinder)->samples, 0);
	scene_fini(&s);
}

/* Frames that are found by the frame pointer have theirs: also where the stack was aligned. */
UNIT_TEST(test_leaf_with_record)
{
	const struct rule aligned = { .kind = RULE_STEP,
				      .cfa_base = RULE_AT_FP,
				      .cfa_offset = -8,
				      .ra_base = RULE_CFA,
				      .ra_offset = -1,
				      .fp_base = RULE_FP };
	struct rule plain = pushed;
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	plain.cfa_base = RULE_FP;
	add(&s, CODE + 0x10, plain);
	add(&s, CODE + 0x20, aligned);
	set_fp(&s, STACK + 64);
	s.stack[7] = STACK + 128;
	s.stack[9] = s.stack[15] = CODE + 0x100;
	assert_kind(&s, UNWIND_LEAF_LINKED);
	s.regs.pc = CODE + 0x20;
	assert_kind(&s, UNWIND_LEAF_LINKED);
	scene_fini(&s);
}

UNIT_TEST(test_leaf_unknown)
{
	struct scene s;

	scene_init(&s, UNWIND_X86_64);
	set_fp(&s, STACK + 64);
	s.stack[0] = s.stack[9] = CODE + 0x100;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN); /* no rule */
	add(&s, CODE + 0x20, frame_of(8));
	s.regs.pc = CODE + 0x20;
	assert_omitted(&s, CODE + 0x100, CODE + 0x100);
	s.jit = true;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.jit = false;
	s.stack[0] = 0x1234; /* no code */
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.stack[0] = 0;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.stack[0] = CODE + 0x100;
	s.stack_bytes = 0;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	for (unsigned kind = RULE_UCONTEXT; kind <= RULE_COMPLEX; kind++) {
		s.regs.pc = CODE + 0x30 + kind;
		add(&s, s.regs.pc, (struct rule){ .kind = kind });
		assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	}
	s.regs.pc = 1;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	scene_fini(&s);
}

/* aarch64: in the register, signed; nothing else is needed. */
UNIT_TEST(test_leaf_in_register)
{
	const struct rule leaf = { .kind = RULE_STEP, .cfa_base = RULE_SP, .cfa_offset = 16 };
	struct rule popped = pushed;
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	popped.cfa_offset = 0;
	add(&s, CODE + 0x10, leaf);
	add(&s, CODE + 0x20, pushed);
	add(&s, CODE + 0x30, popped);
	set_fp(&s, STACK + 64);
	s.regs.value[30] = (CODE + 0x100) | UINT64_C(0x7a31) << 48;
	s.stack[9] = (CODE + 0x200) | UINT64_C(0x1234) << 48;
	assert_omitted(&s, CODE + 0x100, CODE + 0x200);
	s.stack_bytes = 0;
	assert_omitted(&s, CODE + 0x100, 0);
	s.regs.pc = CODE + 0x30;
	assert_omitted(&s, CODE + 0x100, 0);
	s.regs.known = 1u << 30;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.regs.pc = CODE + 0x10;
	assert_omitted(&s, CODE + 0x100, 0);
	s.regs.pc = CODE + 0x20;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN); /* saved: is x29 set? */
	s.regs.known = UINT32_MAX;
	set_fp(&s, STACK);
	assert_kind(&s, UNWIND_LEAF_LINKED);
	scene_fini(&s);
}

/*
 * A function at CODE of 0x40 bytes, by .eh_frame: its record is made by the instruction at 4, and
 * x29 points there from 8 on.  DW_CFA_advance_loc 1; def_cfa_offset 32; offset x29, x30.
 */
static const uint8_t record_maker[] = {
	16, 0,    0,    0,  0,    0, 0,    0, 1, 'z', 'R',  0,    4,    0x78, 30,   1, 0x1b, 0x0c,
	31, 0,    24,   0,  0,    0, 24,   0, 0, 0,   0xe4, 0xff, 0x1f, 0,    0x40, 0, 0,    0,
	0,  0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0, 0,   0,    0,    0,    0,    0,    0,
};

/* Saved, and still in x30, where the code keeps frame pointers: else it has called something. */
UNIT_TEST(test_leaf_in_both)
{
	struct scene s;

	scene_init(&s, UNWIND_AARCH64);
	cfi_fini(&s.source.cfi);
	s.source.cfi.section[0] = (struct cfi_section){ .bytes = record_maker,
							.size = sizeof(record_maker),
							.address = CODE - 0x200000 };
	cfi_index(&s.source.cfi);
	scene_make(&s);
	assert_int_equal(unwind_object_functions(s.object), 1);
	s.object->head.fp_percent = 100;
	s.regs.pc = CODE + 4;
	set_fp(&s, STACK + 64);
	s.regs.value[30] = CODE + 0x100;
	s.stack[1] = CODE + 0x200;
	assert_omitted(&s, CODE + 0x200, 0);
	s.stack_bytes = 0;
	assert_omitted(&s, CODE + 0x100, 0);
	s.object->head.fp_percent = UNWIND_KEEPS_FP - 1;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.object->head.fp_percent = 100;
	s.regs.value[30] = CODE + 0x20;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	s.regs.value[30] = CODE + 0x41; /* behind its last instruction, a call */
	assert_omitted(&s, CODE + 0x41, 0);
	s.regs.value[30] = CODE + 0x40;
	assert_kind(&s, UNWIND_LEAF_UNKNOWN);
	set_fp(&s, STACK);
	assert_kind(&s, UNWIND_LEAF_LINKED);
	scene_fini(&s);
}

UNIT_TEST(test_registers)
{
	char bytes[34 * 8 + 1];
	struct unwind_regs r;

	for (uint64_t i = 0; i < 34; i++)
		memcpy(bytes + 1 + i * 8, &i, 8);
	/* ax bx cx dx si di bp sp ip flags cs ss, then r8 to r15 */
	assert_true(unwind_regs_of_sample(&r, UNWIND_X86_64, 2, 0xff0fff, bytes + 1));
	assert_int_equal(r.pc, 8);
	assert_int_equal(r.value[7], 7);
	assert_int_equal(r.value[6], 6);
	assert_int_equal(r.value[3], 1);
	assert_int_equal(r.value[1], 3);
	assert_int_equal(r.value[8], 12);
	assert_int_equal(r.value[15], 19);
	assert_int_equal(r.known, 0xffff);
	assert_true(unwind_regs_of_sample(&r, UNWIND_AARCH64, 2, UINT64_C(0x1ffffffff), bytes + 1));
	assert_int_equal(r.pc, 32);
	assert_int_equal(r.value[31], 31);
	assert_int_equal(r.value[29], 29);
	assert_false(unwind_regs_of_sample(&r, UNWIND_X86_64, 1, 0xff0fff, bytes + 1));
	assert_false(unwind_regs_of_sample(&r, UNWIND_X86_64, 2, 0x100, bytes + 1));
	assert_false(unwind_regs_of_sample(&r, UNWIND_X86_64, 2, 0xff0fff, NULL));
	assert_false(unwind_regs_of_sample(&r, UNWIND_MACHINE_NONE, 2, 0xff0fff, bytes + 1));
	assert_true(unwind_regs_of_leaf(&r, UNWIND_X86_64, 2, 0xff0fff, bytes + 1, 8));
	assert_false(unwind_regs_of_leaf(&r, UNWIND_X86_64, 2, 0xff0fff, bytes + 1, 9));
	assert_false(unwind_regs_of_leaf(&r, UNWIND_X86_64, 2, 0x80, bytes + 1, 9));
	assert_true(unwind_regs_of_leaf(&r, UNWIND_AARCH64, 2, 1u << 30, bytes + 1, 77));
	assert_int_equal(r.pc, 77);
	assert_int_equal(r.known, 1u << 30);
	assert_int_equal(r.value[30], 0);
	assert_false(unwind_regs_of_leaf(&r, UNWIND_AARCH64, 2, 1u << 29, bytes + 1, 77));
	assert_false(unwind_regs_of_leaf(&r, UNWIND_AARCH64, 1, 1u << 30, bytes + 1, 77));
	assert_false(unwind_regs_of_leaf(&r, UNWIND_MACHINE_NONE, 2, 1u << 30, bytes + 1, 77));
	assert_int_equal(unwind_machine_of("x86_64"), UNWIND_X86_64);
	assert_int_equal(unwind_machine_of("aarch64"), UNWIND_AARCH64);
	assert_int_equal(unwind_machine_of("riscv64"), UNWIND_MACHINE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_popped),
		cmocka_unit_test(test_link_register),
		cmocka_unit_test(test_ucontext),
		cmocka_unit_test(test_above_frame),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_popped_link),
		cmocka_unit_test(test_leaf_on_stack),
		cmocka_unit_test(test_leaf_with_record),
		cmocka_unit_test(test_leaf_unknown),
		cmocka_unit_test(test_leaf_in_register),
		cmocka_unit_test(test_leaf_in_both),
		cmocka_unit_test(test_jump_to_another_frame),
		cmocka_unit_test(test_address_in_another_register),
	};

	return unit_run(tests);
}
