/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every instruction of programs whose call path is known (tracer.h), from the dynamic linker's
 * first to the last.  Each stack must be whole and each frame right, in all and for each use that a
 * program makes of its stack.  Built here by every compiler that the machine has, or elsewhere
 * (tests/lab does so for another machine): test-truth [-t] PROGRAM…, with -t from where they trap.
 */
#include "unit.h"

#include <inttypes.h>

#include "symbol/fixture.h"
#include "symbol/load.h"
#include "tracer.h"

#define WHOLE_PERCENT 99.5
#define KIND_PERCENT \
	99 /* throwing alone is 230 instructions in some 40 000 that nobody can tell \
	    */
#define KIND_BROKEN \
	2 /* gcc, realigned with a frame pointer: behind `leave`, which it does not tell \
	   */
#define SHOWN_MAX 8
#define PLT "@plt"
#define VDSO "[vdso]"

struct program {
	const char *name, *compiler, *flags, *source;
	bool from_trap;
	bool few_steps; /* some 40 000: also where the same was tested before */
};

/* Without frame pointers, where they do not say otherwise. */
static const struct program programs[] = {
	{ "gcc-shared", "gcc", "-O2", "calls.c", false, false },
	{ "gcc-static", "gcc", "-O3 -static", "calls.c", false, true },
	{ "gcc-stripped", "gcc", "-O3 -fPIC -s -static-pie", "calls.c", false, false },
	{ "clang-static", "clang", "-O2 -static", "calls.c", false, true },
	{ "clang-pie", "clang", "-O3 -fPIC -static-pie", "calls.c", false, false },
	{ "gcc-throws", "g++", "-O2", "throws.cc", true, false },
	{ "clang-throws", "clang++", "-O3 -static", "throws.cc", true, false },
	{ "gcc-frames", "gcc", "-O2 -static -fno-omit-frame-pointer", "calls.c", false, true },
};

/* The uses of a stack: a frame of that function, or of that kind of code, is there. */
enum { KIND_RECURSION, KIND_EXCEPTION };

static const struct kind {
	const char *name, *function;
	bool leaf; /* as the innermost */
} kinds[] = {
	[KIND_RECURSION] = { "recursion", "recursive", false },
	[KIND_EXCEPTION] = { "exception", "_Z7catcheri", false },
	{ "tail call", "tail_target", false },
	{ "alloca", "with_alloca", false },
	{ "array", "with_array", false },
	{ "realigned", "realigned", false },
	{ "callback", "compare", false },
	{ "signal", "on_signal", false },
	{ "assembly", "assembly", false },
	{ "PLT", PLT, true },
	{ "vdso", VDSO, true },
};

/*
 * The caller that chains of frame pointers lack is looked for with the copy of the stack and
 * without.
 */
enum { LEAF_WITH_COPY, LEAF_WITHOUT, LEAF_COPIES };

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct tally {
	struct unwinder *unwinder;
	const char *path;
	struct symtab *symbols; /* of the program; NULL: stripped */
	uint64_t of_kind[KINDS], whole_of_kind[KINDS];
	uint64_t places, whole, wrong, other_stack, rewritten;
	uint64_t ends[UNWIND_ENDS];
	uint64_t leaves[LEAF_COPIES][UNWIND_LEAF_OMITTED + 1], wrong_leaves[LEAF_COPIES];
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

/* Its own functions by their name, stubs of any function as PLT; NULL: none of these. */
static const char *function_at(const struct tally *t, const struct tracer_place *p,
			       uint64_t address)
{
	const struct mapping *m = space_find(p->space->space, address);
	const char *name, *suffix;
	uint64_t offset;

	if (!m)
		return NULL;
	if (!strcmp(m->path, VDSO))
		return VDSO;
	if (strcmp(m->path, t->path) || !t->symbols ||
	    !symtab_address_of_offset(t->symbols, address - m->start + m->pgoff, &offset))
		return NULL;
	name = fixture_find(t->symbols, offset);
	suffix = strchr(name, '@');
	return suffix && !strcmp(suffix, PLT) ? PLT : name;
}

/* A stack that is known as far as main() is whole when it goes on to where the program begins. */
static bool ends_at_start(const struct tally *t, const struct tracer_place *p,
			  const uint64_t *frames, size_t count)
{
	const char *last = function_at(t, p, frames[count - 1] - (count > 1));

	return !t->symbols || (last && !strcmp(last, "_start"));
}

static bool is_of_kind(const struct kind *k, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && !strcmp(names[i], k->function))
			return true;
	return false;
}

static void count_kinds(struct tally *t, const struct tracer_place *p, bool whole)
{
	const char *names[512];
	size_t depth = p->depth < 512 ? p->depth : 512;

	for (size_t i = 0; i < depth; i++)
		names[i] = function_at(t, p, p->truth[i] - (i > 0));
	for (size_t i = 0; i < KINDS; i++) {
		if (!is_of_kind(&kinds[i], names, kinds[i].leaf ? 1 : depth))
			continue;
		t->of_kind[i]++;
		t->whole_of_kind[i] += whole;
	}
}

/* The return address behind which the frame pointer points; 0: not in the copy. */
static uint64_t chained(const struct tracer_place *p)
{
	const struct unwind_machine_regs *m = &unwind_machine_regs[p->regs.machine];
	uint64_t at = p->regs.value[m->fp] + 8 - p->stack.start, word;

	if (p->stack.size < 8 || at > p->stack.size - 8)
		return 0;
	memcpy(&word, (const char *)p->stack.bytes + at, sizeof(word));
	return word & m->code_mask;
}

/* Who has a frame record is called from there, and what is left out is the caller. */
static void compare_leaf(struct tally *t, const struct tracer_place *p, int copy)
{
	const struct unwind_space space = { objects_find, (void *)p->space };
	const struct unwind_stack none = { .start = p->stack.start };
	const struct unwind_leaf leaf = unwind_leaf(
		t->unwinder, &p->regs, copy == LEAF_WITH_COPY ? &p->stack : &none, &space);
	uint64_t caller = leaf.kind == UNWIND_LEAF_LINKED ? chained(p) : leaf.caller;

	t->leaves[copy][leaf.kind]++;
	if (leaf.kind == UNWIND_LEAF_UNKNOWN || p->rewritten || p->depth < 2 ||
	    caller == p->truth[1])
		return;
	t->wrong_leaves[copy]++;
	if (t->shown++ < SHOWN_MAX) {
		printf("%s record, %s copy\n",
		       leaf.kind == UNWIND_LEAF_LINKED ? "its own" : "no own",
		       copy == LEAF_WITH_COPY ? "with" : "without");
		show_frame(p, 0, p->truth[0], p->truth[0]);
		show_frame(p, 1, caller, p->truth[1]);
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
	bool whole;

	for (int copy = 0; copy < LEAF_COPIES; copy++)
		compare_leaf(t, p, copy);
	while (same < count && same < p->depth && frames[same] == p->truth[same])
		same++;
	whole = end == UNWIND_COMPLETE && same == p->depth &&
		(p->from_start ? same == count : ends_at_start(t, p, frames, count));
	t->places++;
	t->ends[end]++;
	t->wrong += !p->rewritten && same < count && same < p->depth;
	if (end == UNWIND_OTHER_STACK && p->other_stack && same == count) {
		t->other_stack++;
	} else if (!whole && p->rewritten) {
		t->rewritten++;
	} else {
		t->whole += whole;
		count_kinds(t, p, whole);
		if (!whole)
			show_wrong(t, p, frames, count, end);
	}
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void report(const struct tally *t, const struct program *program, uint64_t steps)
{
	const struct unwind_stats *s = unwind_stats(t->unwinder);

	printf("%s: %" PRIu64 " instructions, %.3f %% of the stacks whole, %" PRIu64
	       " with a wrong frame, "
	       "%" PRIu64 " on two stacks, %" PRIu64 " being rewritten; %" PRIu64
	       " signal frames\n",
	       program->name, steps, percent(t->whole, t->places - t->other_stack - t->rewritten),
	       t->wrong, t->other_stack, t->rewritten, s->signal_frames);
	for (unsigned i = 0; i < UNWIND_ENDS; i++)
		if (t->ends[i])
			printf("  %-12s %" PRIu64 "\n", unwind_ends[i].name, t->ends[i]);
	for (unsigned i = 0; i < LEAF_COPIES; i++)
		printf("  leaf %s copy: %" PRIu64 " own records, %" PRIu64 " callers, %" PRIu64
		       " unknown, %" PRIu64 " wrong\n",
		       i == LEAF_WITH_COPY ? "with" : "without", t->leaves[i][UNWIND_LEAF_LINKED],
		       t->leaves[i][UNWIND_LEAF_OMITTED], t->leaves[i][UNWIND_LEAF_UNKNOWN],
		       t->wrong_leaves[i]);
	for (unsigned i = 0; i < KINDS; i++)
		if (t->of_kind[i])
			printf("  %-12s %.3f %% of %" PRIu64 "\n", kinds[i].name,
			       percent(t->whole_of_kind[i], t->of_kind[i]), t->of_kind[i]);
}

static void check(const struct tally *t)
{
	bool throws = t->of_kind[KIND_EXCEPTION];

	assert_true(t->places > 2000);
	assert_true(percent(t->whole, t->places - t->other_stack - t->rewritten) >= WHOLE_PERCENT);
	assert_true(t->wrong * 1000 < t->places);
	assert_true(t->rewritten * 10 < t->places);
	assert_true(throws || (unwind_stats(t->unwinder)->signal_frames && t->other_stack));
	assert_true(throws || !t->symbols || t->of_kind[KIND_RECURSION]);
	for (unsigned i = 0; i < KINDS; i++)
		assert_true(t->of_kind[i] - t->whole_of_kind[i] <= KIND_BROKEN ||
			    percent(t->whole_of_kind[i], t->of_kind[i]) >= KIND_PERCENT);
	for (unsigned i = 0; i < LEAF_COPIES; i++)
		assert_int_equal(t->wrong_leaves[i], 0);
	assert_true(t->leaves[LEAF_WITH_COPY][UNWIND_LEAF_UNKNOWN] * 50 < t->places);
}

/* NULL where the file has none of its own. */
static struct symtab *symbols_of(const char *path)
{
	struct load l = { .key = fixture_key(path),
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	struct symtab *t;

	load_open(&l);
	t = load_run(&l);
	load_fini(&l);
	if (t && fixture_address(t, "main"))
		return t;
	symtab_free(t);
	return NULL;
}

static void follow(const struct program *program, const char *name)
{
	char *path = realpath(name, NULL), *argv[] = { path, NULL }; /* as mappings have it */
	struct tally t = { .unwinder = unwinder_new(UNWIND_BY_RULES),
			   .path = path,
			   .symbols = path ? symbols_of(path) : NULL };
	struct tracer_options options = { .stride = 1,
					  .stack_bytes = 65536,
					  .from_trap = program->from_trap,
					  .objects = objects_new(),
					  .receive = compare,
					  .context = &t };
	uint64_t steps;

	assert_non_null(path);
	assert_int_equal(tracer_run(argv, &options, &steps), 0);
	report(&t, program, steps);
	check(&t);
	symtab_free(t.symbols);
	unwinder_free(t.unwinder);
	objects_free(options.objects);
	free(path);
}

static void test_program(void **state)
{
	const struct program *program = *state;
	const char *sources = getenv("abs_srcdir");
	struct fixture f;

	if (!program->few_steps && !unit_is_live()) {
		printf("%s: PTOP_LIVE=no: too many steps to take them again\n", program->name);
		skip();
	}
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

static void test_prebuilt(void **state)
{
	const struct program *program = *state;

	follow(program, program->name);
}

static int run_all(const struct program *all, size_t count, void (*test)(void **))
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	int failed;

	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){ .name = all[i].name,
						.test_func = test,
						.initial_state = (void *)&all[i] };
	failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
	free(tests);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_prebuilt(char **paths, size_t count, bool from_trap)
{
	struct program *prebuilt = calloc(count, sizeof(*prebuilt));
	int status;

	for (size_t i = 0; i < count; i++)
		prebuilt[i] = (struct program){ .name = paths[i], .from_trap = from_trap };
	status = run_all(prebuilt, count, test_prebuilt);
	free(prebuilt);
	return status;
}

int main(int argc, char **argv)
{
	bool from_trap = argc > 1 && !strcmp(argv[1], "-t");
	int first = from_trap ? 2 : 1;

	if (unwind_machine_here() == UNWIND_MACHINE_NONE) {
		printf("stacks of this machine's programs are not unwound\n");
		return UNIT_SKIP;
	}
	if (argc > first)
		return run_prebuilt(argv + first, (size_t)(argc - first), from_trap);
	return run_all(programs, PROGRAMS, test_program);
}
