/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>

#include "base/buf.h"
#include "naming/chains.h"
#include "engine/rig.h"
#include "engine/engine-state.h"

#define S NS_PER_S
#define PID 50u
#define UNWINDING (unwind_machine_here() != UNWIND_MACHINE_NONE)
#define NOWHERE 0x10u            /* in no mapping */
#define COPY_AT UINT64_C(0x7000) /* of a copied stack: the stack pointer */

/* The functions of the stacks: they are in this program, which the rig maps. */
static void outer_function(void)
{
	rig_hot_function();
}

static void inner_function(void)
{
	outer_function();
}

/* A return address: the call is somewhere in the function. */
static uint64_t into(void (*function)(void))
{
	return (uint64_t)(uintptr_t)function + 2;
}

static void open_rig(struct rig *rig, enum source_tier tier)
{
	rig_init(rig, "cpu-clock,page-faults", tier);
	rig->options.target.callchains = true;
	rig_open(rig);
	rig_receive(rig, fake_fork(PID, PID, 1, 2 * S));
	rig_receive(rig, fake_comm(PID, PID, 2 * S + 1, "deep", true));
	rig_receive(rig, rig_mmap_self(PID, 2 * S + 2));
}

/* Its symbols are read beside it, so samples come before their names. */
static void open_rig_of_late_names(struct rig *rig)
{
	rig_init(rig, "cpu-clock", TIER_CPU_GROUP);
	rig->options.target.callchains = true;
	rig->options.synchronous = false;
	rig_open(rig);
	rig_snapshot(rig);
	rig_receive(rig, rig_mmap_self(PID, 2 * S));
}

static void receive_chain(struct rig *rig, uint64_t ip, const uint64_t *words, size_t count)
{
	struct record r = fake_sample(PID, PID, 0, 3 * S, ip, 0);

	r.cpumode = CPUMODE_USER;
	r.sample.callchain = words;
	r.sample.callchain_count = count;
	rig_receive(rig, r);
}

#define CHAIN(rig, ip, ...)                                       \
	receive_chain(rig, ip, (const uint64_t[]){ __VA_ARGS__ }, \
		      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* The stack of a cell, "outer;inner;leaf". */
static char *stack_of(const struct snapshot *s, const struct snapshot_cell *c)
{
	char *text = strdup("");

	assert_int_equal(s->nodes[c->node].frame, c->frame);
	for (uint32_t n = c->node; n != CALL_ROOT; n = s->nodes[n].parent) {
		char *longer;

		assert_true(s->nodes[n].parent < n);
		assert_true(asprintf(&longer, "%s%s%s", frame_symbol(s->frames, s->nodes[n].frame),
				     *text ? ";" : "", text) > 0);
		free(text);
		text = longer;
	}
	return text;
}

static double samples_of(const struct rig *rig, const char *stack)
{
	const struct snapshot *s = rig->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		char *text = stack_of(s, &s->cells[i]);

		sum += strcmp(text, stack) ? 0 : s->cells[i].samples;
		free(text);
	}
	return sum;
}

UNIT_TEST(a_sample_has_its_callers)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	for (int i = 0; i < 3; i++)
		CHAIN(&rig, rig_hot_address(), CALLCHAIN_USER, rig_hot_address(),
		      into(inner_function), into(outer_function));
	CHAIN(&rig, rig_hot_address(), CALLCHAIN_USER, rig_hot_address(), into(outer_function));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->cell_count, 2);
	assert_true(samples_of(&rig, "outer_function;inner_function;rig_hot_function") == 3);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function") == 1);
	assert_true(rig_samples(&rig, PID, "rig_hot_function") == 4);
	assert_true(rig.snapshot->sampling.stacks_complete_percent == 0);
	rig_fini(&rig);
}

/* The instruction after a call may be in the next function; where the CPU was is exact. */
UNIT_TEST(a_return_address_is_behind_its_call)
{
	uint64_t start = (uint64_t)(uintptr_t)rig_hot_function;
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	CHAIN(&rig, start, CALLCHAIN_USER, start, start + 1);
	CHAIN(&rig, start, CALLCHAIN_USER, start, start);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "rig_hot_function;rig_hot_function") == 1);
	assert_true(rig_samples(&rig, PID, "rig_hot_function") == 2);
	rig_fini(&rig);
}

/* Kernel and user part, each begins with an exact address; markers are no frames. */
UNIT_TEST(a_chain_changes_its_mode)
{
	uint64_t start = (uint64_t)(uintptr_t)rig_hot_function, kernel = 0xffffffff81000000u;
	struct record r = fake_sample(PID, PID, 0, 3 * S, kernel, 0);
	const uint64_t words[] = { CALLCHAIN_KERNEL, kernel, kernel + 8,
				   CALLCHAIN_USER,   start,  into(outer_function) };
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	r.cpumode = CPUMODE_KERNEL;
	r.sample.callchain = words;
	r.sample.callchain_count = 6;
	rig_receive(&rig, r);
	r.sample.callchain = words + 3; /* the kernel's part was not told */
	r.sample.callchain_count = 3;
	rig_receive(&rig, r);
	r.sample.callchain_count = 0;
	rig_receive(&rig, r);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function;[unknown];[unknown]") == 1);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function;[unknown]") == 1);
	assert_true(samples_of(&rig, "[unknown]") == 1);
	rig_fini(&rig);
}

/* The hardware's address beside the kernel's: one frame, and it is the former. */
UNIT_TEST(the_leaf_is_the_samples_address)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	CHAIN(&rig, rig_hot_address(), CALLCHAIN_USER, into(inner_function), into(outer_function));
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function") == 1);
	rig_fini(&rig);
}

UNIT_TEST(a_stack_is_not_longer_than_asked)
{
	uint64_t words[2 * CHAIN_FRAMES] = { CALLCHAIN_USER };
	struct rig rig;

	for (size_t i = 1; i < 2 * CHAIN_FRAMES; i++)
		words[i] = into(inner_function);
	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.target.callchains = true;
	rig.options.target.max_stack = 3;
	rig_open(&rig);
	rig_receive(&rig, rig_mmap_self(PID, 2 * S));
	receive_chain(&rig, rig_hot_address(), words, 2 * CHAIN_FRAMES);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "inner_function;inner_function;rig_hot_function") == 1);
	rig_fini(&rig);
	open_rig(&rig, TIER_CPU_GROUP);
	receive_chain(&rig, rig_hot_address(), words, 2 * CHAIN_FRAMES);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->node_count, 2 + CHAIN_FRAMES);
	rig_fini(&rig);
}

UNIT_TEST(frames_of_the_past_are_named_later)
{
	static const char *const named = "outer_function;inner_function;rig_hot_function";
	struct rig rig;
	int turns = 0;

	open_rig_of_late_names(&rig);
	for (uint64_t i = 0; i < 10; i++)
		CHAIN(&rig, rig_hot_address() + i % 2, CALLCHAIN_USER, rig_hot_address() + i % 2,
		      into(inner_function) + i % 3, into(outer_function), NOWHERE);
	rig_snapshot(&rig);
	assert_true(rig_samples(&rig, 0, "[loading]") + rig_samples(&rig, 0, "rig_hot_function") ==
		    10);
	while (rig_samples(&rig, 0, "rig_hot_function") < 10 && turns++ < 2000) {
		poll(NULL, 0, 10);
		rig_snapshot(&rig);
	}
	assert_int_equal(rig.snapshot->cell_count, 1);
	assert_true(samples_of(&rig, "[unknown];outer_function;inner_function;rig_hot_function") ==
		    10);
	CHAIN(&rig, rig_hot_address(), CALLCHAIN_USER, rig_hot_address(), into(inner_function),
	      into(outer_function));
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, named) == 1);
	assert_false(engine_waits_for_symbols(rig.engine, engine_mark(rig.engine)));
	rig_fini(&rig);
}

/* Whatever is given up, samples of functions are not. */
UNIT_TEST(a_full_tree_gives_up_callers)
{
	struct chains *chains;
	struct rig rig;
	double sum = 0;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.target.callchains = true;
	rig.options.cell_limit = 100;
	rig_open(&rig);
	rig_receive(&rig, rig_mmap_self(PID, 2 * S));
	for (uint64_t i = 0; i < 1024; i++) {
		uint64_t words[12] = { CALLCHAIN_USER, rig_hot_address() };

		for (size_t j = 0; j < 10; j++)
			words[2 + j] = i >> j & 1 ? into(inner_function) : into(outer_function);
		receive_chain(&rig, rig_hot_address(), words, 12);
	}
	chains = rig.engine->chains;
	assert_true(histogram_count(rig.engine->histogram) <= 100);
	chains_next_interval(chains);
	rig_snapshot(&rig);
	for (size_t i = 0; i < rig.snapshot->cell_count; i++)
		sum += rig.snapshot->cells[i].samples;
	assert_true(sum == 1024);
	assert_true(rig_samples(&rig, 0, "rig_hot_function") == 1024);
	assert_true(samples_of(&rig, "[others];rig_hot_function") > 500);
	assert_true(rig.snapshot->sampling.merged_stacks > 500);
	assert_int_equal(rig.snapshot->sampling.merged_cells, 0);
	rig_fini(&rig);
}

/* Names and parts of stacks that come later, and stacks of the CPU's branches. */

#define KERNEL_IP 0xffffffff81000000u

static void receive_deferred_sample(struct rig *rig, uint64_t cookie)
{
	const uint64_t words[] = { CALLCHAIN_KERNEL, KERNEL_IP, CALLCHAIN_USER_DEFERRED, cookie };
	struct record r = fake_sample(PID, PID, 0, 3 * S, KERNEL_IP, 0);

	r.cpumode = CPUMODE_KERNEL;
	r.sample.callchain = words;
	r.sample.callchain_count = 4;
	rig_receive(rig, r);
}

static void receive_user_part(struct rig *rig, uint64_t cookie)
{
	const uint64_t words[] = { CALLCHAIN_USER, rig_hot_address(), into(outer_function) };
	struct record r = fake_sample(PID, PID, 0, 4 * S, 0, 0);

	r.type = RECORD_CALLCHAIN_DEFERRED;
	r.deferred = (struct record_deferred){ .cookie = cookie, .count = 3, .callchain = words };
	rig_receive(rig, r);
}

UNIT_TEST(the_user_part_comes_later)
{
	struct rig rig;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	receive_deferred_sample(&rig, 7);
	receive_deferred_sample(&rig, 7);
	receive_deferred_sample(&rig, 8);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "[unknown]") == 3);
	receive_user_part(&rig, 7);
	receive_user_part(&rig, 9);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function;[unknown]") == 2);
	assert_true(samples_of(&rig, "[unknown]") == 1);
	rig_receive(&rig, fake_exit(PID, PID, 5 * S));
	rig_snapshot(&rig);
	receive_user_part(&rig, 8);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "[unknown]") == 1);
	rig_fini(&rig);
}

/* Stacks that become equal shift the nodes of those that wait. */
UNIT_TEST(the_user_part_comes_after_names)
{
	struct rig rig;
	int turns = 0;

	open_rig_of_late_names(&rig);
	for (uint64_t i = 0; i < 4; i++)
		CHAIN(&rig, rig_hot_address() + i, CALLCHAIN_USER, rig_hot_address() + i,
		      into(inner_function) + i);
	receive_deferred_sample(&rig, 7);
	/* Names of the program come, and then or before that the kernel has none. */
	while ((samples_of(&rig, "inner_function;rig_hot_function") < 4 ||
		samples_of(&rig, "[unknown]") < 1) &&
	       turns++ < 2000) {
		poll(NULL, 0, 10);
		rig_snapshot(&rig);
	}
	assert_int_equal(rig.snapshot->cell_count, 2);
	assert_true(samples_of(&rig, "[unknown]") == 1);
	receive_user_part(&rig, 7);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function;[unknown]") == 1);
	assert_true(samples_of(&rig, "[unknown]") == 0);
	rig_fini(&rig);
}

UNIT_TEST(too_many_user_parts_are_due)
{
	const uint64_t count = LATE_COOKIES + 5;
	struct rig rig;
	uint64_t no_user;

	open_rig(&rig, TIER_CPU_GROUP);
	rig_snapshot(&rig);
	for (uint64_t i = 0; i < count; i++)
		receive_deferred_sample(&rig, i);
	for (uint64_t i = 0; i < count; i++)
		receive_user_part(&rig, i);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "[unknown]") == 5);
	assert_true(samples_of(&rig, "outer_function;rig_hot_function;[unknown]") == LATE_COOKIES);
	no_user = rig.snapshot->stack_ends[CHAIN_NO_USER].stacks;
	assert_int_equal(no_user, 5);
	rig_fini(&rig);
}

/* The calls are told, not what they return to: the first instruction of a function is one of it. */
UNIT_TEST(the_cpu_remembers_the_calls)
{
	uint64_t outer = (uint64_t)(uintptr_t)outer_function;
	const uint64_t branches[] = { outer, rig_hot_address(), 0, outer, outer, 0, 0, 0, 0 };
	struct record r = fake_sample(PID, PID, 0, 3 * S, rig_hot_address(), 0);
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.target.callchains = rig.options.target.kernel_chains = true;
	rig.options.target.branch_stacks = true;
	rig_open(&rig);
	rig_receive(&rig, rig_mmap_self(PID, 2 * S));
	r.sample.branches = branches;
	r.sample.branch_count = 3;
	rig_receive(&rig, r);
	r.cpumode = CPUMODE_KERNEL;
	r.sample.ip = KERNEL_IP;
	rig_receive(&rig, r);
	r.sample.branch_count = 0;
	rig_receive(&rig, r);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;outer_function;rig_hot_function") == 1);
	assert_true(samples_of(&rig, "outer_function;outer_function;rig_hot_function;[unknown]") ==
		    1);
	assert_true(samples_of(&rig, "[unknown]") == 1);
	rig_fini(&rig);
}

/* Copies of the stack. */

/* Registers as perf tells them, at the first instruction of a function, and what the stack holds. */
struct copy {
	uint64_t regs[64], mask;
	uint64_t stack[8];
};

static void set_reg(struct copy *c, int number, uint64_t value)
{
	c->mask |= UINT64_C(1) << number;
	c->regs[number] = value;
}

static struct copy copy_at(uint64_t pc, uint64_t caller, uint64_t fp)
{
	struct copy c = { .stack = { caller } };
	uint64_t packed[64];
	size_t count = 0;

#if defined(__aarch64__)
	set_reg(&c, 29, fp);
	set_reg(&c, 30, caller);
	set_reg(&c, 31, COPY_AT);
	set_reg(&c, 32, pc);
#else
	set_reg(&c, 6, fp);
	set_reg(&c, 7, COPY_AT);
	set_reg(&c, 8, pc);
#endif
	for (int i = 0; i < 64; i++) {
		if (c.mask >> i & 1)
			packed[count++] = c.regs[i];
	}
	memcpy(c.regs, packed, count * sizeof(*packed));
	return c;
}

static void set_copy(struct record *r, const struct copy *c)
{
	r->sample.user_regs_abi = 2;
	r->sample.user_regs_mask = c->mask;
	r->sample.user_regs = c->regs;
	r->sample.user_stack = c->stack;
	r->sample.user_stack_size = sizeof(c->stack);
}

static void receive_copy(struct rig *rig, uint64_t pc, uint64_t caller)
{
	struct copy c = copy_at(pc, caller, 0);
	struct record r = fake_sample(PID, PID, 0, 3 * S, pc, 0);

	set_copy(&r, &c);
	rig_receive(rig, r);
}

static uint64_t ended(const struct rig *rig, const char *name)
{
	const struct snapshot *s = rig->snapshot;

	for (size_t i = 0; i < s->stack_end_count; i++) {
		if (!strcmp(s->stack_ends[i].name, name))
			return s->stack_ends[i].stacks;
	}
	fail_msg("no end is called %s", name);
	return 0;
}

static void open_copies(struct rig *rig, bool kernel_chains, bool synchronous)
{
	rig_init(rig, "cpu-clock", TIER_CPU_GROUP);
	rig->options.synchronous = synchronous;
	rig->options.target.callchains = true;
	rig->options.target.kernel_chains = kernel_chains;
	rig->options.target.user_stack_bytes = 4096;
	rig_open(rig);
	rig_snapshot(rig);
	rig_receive(rig, rig_mmap_self(PID, 2 * S));
}

/* Samples whose stack ends, at the leaf, like that. */
static double samples_ending(const struct rig *rig, const char *frames)
{
	const struct snapshot *s = rig->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		char *stack = stack_of(s, &s->cells[i]);
		const char *at = strstr(stack, frames);

		sum += at && !strcmp(at, frames) ? s->cells[i].samples : 0;
		free(stack);
	}
	return sum;
}

static void open_without_stacks(struct rig *rig)
{
	rig_init(rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	rig_open(rig);
	rig_receive(rig, fake_fork(PID, PID, 1, 2 * S));
	rig_receive(rig, fake_comm(PID, PID, 2 * S + 1, "deep", true));
	rig_receive(rig, rig_mmap_self(PID, 2 * S + 2));
}

/* Samples that were counted without stacks stay, under [others]; later ones have stacks. */
UNIT_TEST(stacks_that_are_taken_later)
{
	struct rig rig;

	open_without_stacks(&rig);
	rig_receive(&rig, rig_hot_sample(PID, 0, 2 * S + 3));
	rig_receive(&rig, rig_hot_sample(PID, 0, 2 * S + 4));
	engine_take_stacks(rig.engine, &(struct stack_choice){ STACK_FP, 0 }, &rig.options.layout);
	CHAIN(&rig, into(rig_hot_function), CALLCHAIN_USER, into(rig_hot_function),
	      into(inner_function), into(outer_function));
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "[others];rig_hot_function") == 2);
	assert_true(samples_of(&rig, "outer_function;inner_function;rig_hot_function") == 1);
	assert_true(rig_samples(&rig, PID, "rig_hot_function") == 3);
	rig_fini(&rig);
}

/* What comes then is where cells without callers are, and stacks can begin again. */
UNIT_TEST(stacks_end_and_begin_again)
{
	const struct stack_choice choice = { STACK_FP, 0 }, none = { STACK_NONE, 0 };
	struct rig rig;

	open_without_stacks(&rig);
	rig_snapshot(&rig); /* the first interval begins */
	for (int i = 0; i < 3; i++) {
		const struct stack_choice *now = i & 1 ? &none : &choice;

		engine_take_stacks(rig.engine, now, &rig.options.layout);
		CHAIN(&rig, into(rig_hot_function), CALLCHAIN_USER, into(rig_hot_function),
		      into(inner_function), into(outer_function));
		rig_snapshot(&rig);
		assert_int_equal(rig.snapshot->stack_end_count > 0, now == &choice);
		assert_true(samples_of(&rig, "[others];rig_hot_function") == (i > 0));
		assert_true(samples_of(&rig, "outer_function;inner_function;rig_hot_function") ==
			    1 + i / 2);
	}
	rig_fini(&rig);
}

UNIT_TEST(a_copy_of_the_stack_is_unwound)
{
	uint64_t start = (uint64_t)(uintptr_t)rig_hot_function;
	struct rig rig;

	if (!UNWINDING)
		skip();
	open_copies(&rig, true, true);
	receive_copy(&rig, start, NOWHERE);
	receive_copy(&rig, start, NOWHERE);
	receive_copy(&rig, start, into(outer_function));
	rig_snapshot(&rig);
	assert_int_equal(ended(&rig, "not-code"), 2);
	assert_true(samples_ending(&rig, "outer_function;rig_hot_function") == 1);
	assert_true(rig.snapshot->sampling.stacks_complete_percent < 50);
	rig_fini(&rig);
}

/* A program that has just begun: its copies wait until its file has been read. */
UNIT_TEST(copies_wait_for_what_unwinds_them)
{
	uint64_t start = (uint64_t)(uintptr_t)rig_hot_function;
	struct rig rig;
	int turns = 0;

	if (!UNWINDING)
		skip();
	open_copies(&rig, true, false);
	for (int i = 0; i < 5; i++)
		receive_copy(&rig, start, into(outer_function));
	do {
		poll(NULL, 0, 10);
		engine_take_symbols(rig.engine);
		rig_snapshot(&rig);
	} while (samples_ending(&rig, "outer_function;rig_hot_function") < 5 && turns++ < 2000);
	assert_true(unwinding_readings(rig.engine->unwinding));
	assert_true(samples_ending(&rig, "outer_function;rig_hot_function") == 5);
	assert_true(rig_samples(&rig, 0, "rig_hot_function") == 5);
	rig_fini(&rig);
	open_copies(&rig, true, false); /* it ends before */
	receive_copy(&rig, start, into(outer_function));
	rig_receive(&rig, fake_exit(PID, PID, 4 * S));
	rig_snapshot(&rig);
	rig_snapshot(&rig);
	assert_true(rig.snapshot->cells[0].samples == 1);
	rig_fini(&rig);
}

/* PID leaves its CPU in rig_hot_function, which CALLER has called, and comes back 10 ms later. */
static void receive_wait(struct rig *rig, uint64_t time_ns, uint64_t caller)
{
	struct copy c = copy_at((uint64_t)(uintptr_t)rig_hot_function, caller, 0);
	struct record r = fake_switch(PID, PID, 0, time_ns);

	r.switched = true;
	r.cpumode = CPUMODE_USER;
	r.sample.ip = (uint64_t)(uintptr_t)rig_hot_function;
	set_copy(&r, &c);
	rig_receive(rig, r);
	r = fake_read(PID, PID, time_ns + 7);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch.out = true;
	rig_receive(rig, r);
	r = fake_read(PID, PID, time_ns + S / 100);
	r.type = RECORD_SWITCH_CPU_WIDE;
	rig_receive(rig, r);
}

/* Time is told when it is known where it went. */
UNIT_TEST(waits_wait_for_what_unwinds_them)
{
	struct rig rig;
	uint64_t mark;
	int turns = 0;

	if (!UNWINDING)
		skip();
	rig_init(&rig, "off-cpu,cpu-clock", TIER_CPU_GROUP);
	rig.options.synchronous = false;
	rig.options.target.callchains = rig.options.target.kernel_chains = true;
	rig.options.target.user_stack_bytes = 4096;
	rig_open(&rig);
	rig_snapshot(&rig);
	rig_receive(&rig, fake_fork(PID, PID, 1, 2 * S));
	rig_receive(&rig, rig_mmap_self(PID, 2 * S));
	for (uint64_t i = 0; i < 5; i++)
		receive_wait(&rig, 2 * S + (i + 1) * (S / 10), into(outer_function));
	engine_drained(rig.engine, rig.now_ns);
	mark = engine_mark(rig.engine);
	assert_true(engine_waits_for_symbols(rig.engine, mark));
	do {
		poll(NULL, 0, 10);
		engine_take_symbols(rig.engine);
	} while (engine_waits_for_symbols(rig.engine, mark) && turns++ < 2000);
	rig_snapshot(&rig);
	assert_true(samples_ending(&rig, "outer_function;rig_hot_function") == 5);
	assert_true(rig_samples(&rig, 0, "rig_hot_function") == 5);
	assert_int_equal(ended(&rig, "not-loaded"), 0);
	rig_fini(&rig);
}

/* A clock that takes 50 ms to look at. */
static uint64_t slow_clock(void *context)
{
	return ((struct rig *)context)->now_ns += 50 * (S / 1000);
}

UNIT_TEST(what_there_is_no_time_for_keeps_its_leaf)
{
	struct rig rig;

	if (!UNWINDING)
		skip();
	open_copies(&rig, true, true);
	rig.clock.monotonic_ns = slow_clock;
	for (int i = 0; i < 10; i++)
		receive_copy(&rig, (uint64_t)(uintptr_t)rig_hot_function, NOWHERE);
	rig_snapshot(&rig);
	assert_true(ended(&rig, "budget") >= 5);
	assert_true(ended(&rig, "budget") + ended(&rig, "not-code") == 10);
	assert_true(samples_of(&rig, "rig_hot_function") == 10);
	rig_fini(&rig);
}

/* Callers that frame pointers leave out. */

/* That: rig_hot_function, at its first instruction, called from inner_function; the record is its. */
struct leaf {
	struct copy copy;
	uint64_t words[5];
	struct record record;
};

static void leaf_init(struct leaf *l, uint64_t pc)
{
	const uint64_t words[] = { CALLCHAIN_KERNEL, KERNEL_IP, CALLCHAIN_USER, pc,
				   into(outer_function) };

	l->copy = copy_at(pc, into(inner_function), COPY_AT + 16);
	l->copy.stack[2] = 0;
	l->copy.stack[3] = into(outer_function);
	memcpy(l->words, words, sizeof(words));
	l->record = fake_sample(PID, PID, 0, 3 * S, pc, 0);
	l->record.cpumode = CPUMODE_USER;
	l->record.sample.callchain = l->words + 2;
	l->record.sample.callchain_count = 3;
	set_copy(&l->record, &l->copy);
}

static void open_leaves(struct rig *rig, bool synchronous)
{
	rig_init(rig, "cpu-clock", TIER_CPU_GROUP);
	rig->options.synchronous = synchronous;
	rig->options.target.callchains = true;
	rig->options.target.leaf_callers = true;
	rig_open(rig);
	rig_snapshot(rig);
	rig_receive(rig, rig_mmap_self(PID, 2 * S));
}

UNIT_TEST(the_caller_of_a_leaf_is_not_left_out)
{
	uint64_t start = (uint64_t)(uintptr_t)rig_hot_function;
	struct rig rig;
	struct leaf l;

	if (!UNWINDING)
		skip();
	open_leaves(&rig, true);
	leaf_init(&l, start);
	rig_receive(&rig, l.record);
	l.record.cpumode = CPUMODE_KERNEL; /* user registers all the same */
	l.record.sample.ip = KERNEL_IP;
	l.record.sample.callchain = l.words;
	l.record.sample.callchain_count = 5;
	rig_receive(&rig, l.record);
	l.record.sample.callchain_count = 4;
	rig_receive(&rig, l.record);
	l.words[4] = into(inner_function); /* not by that record */
	l.record.sample.callchain_count = 5;
	rig_receive(&rig, l.record);
	l.words[3] = start + 1; /* of another moment */
	rig_receive(&rig, l.record);
	rig_snapshot(&rig);
	assert_true(samples_of(&rig, "outer_function;inner_function;rig_hot_function") == 1);
	assert_true(samples_of(&rig, "outer_function;inner_function;rig_hot_function;[unknown]") ==
		    1);
	assert_true(samples_of(&rig, "inner_function;rig_hot_function;[unknown]") == 3);
	rig_fini(&rig);
}

UNIT_TEST(a_leaf_waits_for_its_rule)
{
	const char *whole = "outer_function;inner_function;rig_hot_function";
	struct rig rig;
	struct leaf l;
	int turns = 0;

	if (!UNWINDING)
		skip();
	open_leaves(&rig, false);
	leaf_init(&l, (uint64_t)(uintptr_t)rig_hot_function);
	for (int i = 0; i < 5; i++)
		rig_receive(&rig, l.record);
	do {
		poll(NULL, 0, 10);
		engine_take_symbols(rig.engine);
		rig_snapshot(&rig);
	} while (samples_of(&rig, whole) < 5 && turns++ < 2000);
	assert_true(samples_of(&rig, whole) == 5);
	assert_true(rig_samples(&rig, 0, "rig_hot_function") == 5);
	rig_fini(&rig);
}

/* Where the CPU was, what is left out, the rest: in the kernel's part nothing changes. */
UNIT_TEST(a_chain_is_told_with_it)
{
	const struct record_layout native = { .swap = false };
	const uint64_t parts[] = { CALLCHAIN_KERNEL, 1, 2, CALLCHAIN_USER, 3, 4 };
	const uint64_t whole[] = { CALLCHAIN_KERNEL, 1, 2, CALLCHAIN_USER, 3, 9, 4 };
	struct chain chain = { .layout = &native, .words = parts, .count = 6 };
	uint64_t words[CHAIN_WORDS], user[2];

	assert_int_equal(chain_words(&chain, words), 0);
	chain_user(&chain, user);
	assert_int_equal(user[0], 3);
	assert_int_equal(user[1], 4);
	chain.caller = 9;
	assert_int_equal(chain_words(&chain, words), 7);
	assert_memory_equal(words, whole, sizeof(whole));
	chain.count = 5;
	assert_int_equal(chain_words(&chain, words), 6);
	assert_memory_equal(words, whole, 6 * sizeof(*whole));
	chain_user(&chain, user);
	assert_int_equal(user[0], 3);
	assert_int_equal(user[1], 0);
	for (chain.count = 0; chain.count < 5; chain.count++) {
		chain_user(&chain, user);
		assert_int_equal(user[0], 0);
		assert_int_equal(chain_words(&chain, words), 0);
	}
}

UNIT_TEST(no_time_for_a_leaf_is_told)
{
	struct rig rig;
	struct leaf l;

	if (!UNWINDING)
		skip();
	open_leaves(&rig, true);
	rig.clock.monotonic_ns = slow_clock;
	leaf_init(&l, (uint64_t)(uintptr_t)rig_hot_function);
	for (int i = 0; i < 10; i++)
		rig_receive(&rig, l.record);
	rig_snapshot(&rig);
	assert_true(ended(&rig, "budget") >= 5);
	assert_true(ended(&rig, "budget") == samples_of(&rig, "outer_function;rig_hot_function"));
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_its_callers),
		cmocka_unit_test(a_return_address_is_behind_its_call),
		cmocka_unit_test(a_chain_changes_its_mode),
		cmocka_unit_test(the_leaf_is_the_samples_address),
		cmocka_unit_test(a_stack_is_not_longer_than_asked),
		cmocka_unit_test(frames_of_the_past_are_named_later),
		cmocka_unit_test(a_full_tree_gives_up_callers),
		cmocka_unit_test(the_user_part_comes_later),
		cmocka_unit_test(the_user_part_comes_after_names),
		cmocka_unit_test(too_many_user_parts_are_due),
		cmocka_unit_test(the_cpu_remembers_the_calls),
		cmocka_unit_test(stacks_that_are_taken_later),
		cmocka_unit_test(stacks_end_and_begin_again),
		cmocka_unit_test(a_copy_of_the_stack_is_unwound),
		cmocka_unit_test(copies_wait_for_what_unwinds_them),
		cmocka_unit_test(waits_wait_for_what_unwinds_them),
		cmocka_unit_test(what_there_is_no_time_for_keeps_its_leaf),
		cmocka_unit_test(the_caller_of_a_leaf_is_not_left_out),
		cmocka_unit_test(a_leaf_waits_for_its_rule),
		cmocka_unit_test(a_chain_is_told_with_it),
		cmocka_unit_test(no_time_for_a_leaf_is_told),
	};

	return unit_run(tests);
}
