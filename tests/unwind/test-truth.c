/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every instruction of programs whose call path is known (tracer.h), from the dynamic linker's
 * first to the last: each stack must be whole and each frame right.  Built here by every compiler
 * that the machine has.
 */
#include "unit.h"

#include <inttypes.h>

#include "symbol/fixture.h"
#include "tracer.h"

#define WHOLE_PERCENT 99.5
#define SHOWN_MAX     8

struct program {
	const char *name, *compiler, *flags, *source;
	bool from_trap;
};

/* Without frame pointers, all of them. */
static const struct program programs[] = {
	{ "gcc-shared", "gcc", "-O2", "calls.c", false },
	{ "gcc-static", "gcc", "-O3 -static", "calls.c", false },
	{ "gcc-stripped", "gcc", "-O3 -fPIC -s -static-pie", "calls.c", false },
	{ "clang-static", "clang", "-O2 -static", "calls.c", false },
	{ "clang-pie", "clang", "-O3 -fPIC -static-pie", "calls.c", false },
	{ "gcc-throws", "g++", "-O2", "throws.cc", true },
	{ "clang-throws", "clang++", "-O3 -static", "throws.cc", true },
};

struct tally {
	struct unwinder *unwinder;
	uint64_t places, whole, wrong, other_stack, rewritten;
	uint64_t ends[UNWIND_ENDS];
	unsigned shown;
};

static void show_frame(const struct tracer_place *p, size_t i, uint64_t got, uint64_t want)
{
	uint64_t address = want ? want : got;
	struct mapping *m = space_find(p->space->space, address);

	printf("%c %2zu got %#" PRIx64 " want %#" PRIx64 " %s+%#" PRIx64 "\n",
	       got == want ? ' ' : '*', i, got, want, m ? m->path : "?",
	       m ? address - m->start + m->pgoff : 0);
}

static void show_wrong(struct tally *t, const struct tracer_place *p, const uint64_t *frames,
		       size_t count, enum unwind_end end)
{
	if (t->shown++ >= SHOWN_MAX)
		return;
	printf("%s, %zu frames instead of %zu\n", unwind_ends[end].name, count, p->depth);
	for (size_t i = 0; i < count || i < p->depth; i++) {
		uint64_t got = i < count ? frames[i] : 0, want = i < p->depth ? p->truth[i] : 0;

		show_frame(p, i, got, want);
		if (got != want)
			break;
	}
}

static void compare(void *context, const struct tracer_place *p)
{
	struct unwind_space space = { objects_find, (void *)p->space };
	struct tally *t = context;
	uint64_t frames[512];
	enum unwind_end end;
	size_t count = unwind_sample(t->unwinder, &p->regs, &p->stack, &space, frames, 512, &end);
	size_t same = 0;

	while (same < count && same < p->depth && frames[same] == p->truth[same])
		same++;
	t->places++;
	t->ends[end]++;
	if (end == UNWIND_OTHER_STACK && p->other_stack && same == count)
		t->other_stack++;
	else if (end == UNWIND_COMPLETE && same == p->depth && (same == count || !p->from_start))
		t->whole++;
	else if (p->rewritten)
		t->rewritten++;
	else
		show_wrong(t, p, frames, count, end);
	t->wrong += !p->rewritten && same < count && same < p->depth;
}

static double report(const struct tally *t, const struct program *program, uint64_t steps)
{
	const struct unwind_stats *s = unwind_stats(t->unwinder);
	double whole =
		100.0 * (double)t->whole / (double)(t->places - t->other_stack - t->rewritten);

	printf("%s: %" PRIu64 " instructions, %.3f %% of the stacks whole, %" PRIu64
	       " with a wrong frame, "
	       "%" PRIu64 " on two stacks, %" PRIu64 " being rewritten; %" PRIu64
	       " rules made, %" PRIu64 " samples by libunwind, %" PRIu64 " signal frames\n",
	       program->name, steps, whole, t->wrong, t->other_stack, t->rewritten, s->rules_made,
	       s->fallbacks, s->signal_frames);
	for (unsigned i = 0; i < UNWIND_ENDS; i++)
		if (t->ends[i])
			printf("  %-12s %" PRIu64 "\n", unwind_ends[i].name, t->ends[i]);
	return whole;
}

static void follow(const struct program *program, const char *path)
{
	char *argv[] = { (char *)path, NULL };
	struct tally t = { .unwinder = unwinder_new(UNWIND_BY_RULES) };
	struct tracer_options options = { .stride = 1,
					  .stack_bytes = 65536,
					  .from_trap = program->from_trap,
					  .objects = objects_new(),
					  .receive = compare,
					  .context = &t };
	uint64_t steps;

	assert_int_equal(tracer_run(argv, &options, &steps), 0);
	assert_true(t.places > 10000);
	assert_true(report(&t, program, steps) >= WHOLE_PERCENT);
	assert_true(t.wrong * 1000 < t.places);
	assert_true(program->from_trap || unwind_stats(t.unwinder)->signal_frames);
	assert_true(program->from_trap || t.other_stack);
	unwinder_free(t.unwinder);
	objects_free(options.objects);
}

static void test_program(void **state)
{
	const struct program *program = *state;
	const char *sources = getenv("abs_srcdir");
	struct fixture f;

	assert_true(fixture_init(&f));
	if (!fixture_run(&f, "%s -fomit-frame-pointer -w %s -o %s %s/tests/unwind/programs/%s",
			 program->compiler, program->flags, program->name, sources ? sources : "..",
			 program->source)) {
		printf("%s: no %s here, or it cannot do %s\n", program->name, program->compiler,
		       program->flags);
		fixture_fini(&f);
		skip();
	}
	follow(program, fixture_path(&f, program->name));
	fixture_fini(&f);
}

#define PROGRAMS (sizeof(programs) / sizeof(*programs))

/* test-truth PROGRAM…: programs built elsewhere, from their first instruction on. */
static int follow_all(char **paths)
{
	for (; *paths; paths++)
		follow(&(struct program){ .name = *paths }, *paths);
	return 0;
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[PROGRAMS] = { 0 };

	if (argc > 1)
		return follow_all(argv + 1);

	if (unwind_machine_here() == UNWIND_MACHINE_NONE) {
		printf("stacks of this machine's programs are not unwound\n");
		return UNIT_SKIP;
	}
	for (size_t i = 0; i < PROGRAMS; i++) {
		tests[i].name = programs[i].name;
		tests[i].test_func = test_program;
		tests[i].initial_state = (void *)&programs[i];
	}
	return unit_run(tests);
}
