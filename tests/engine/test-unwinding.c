/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/spare-time.h"
#include "app/jobs.h"
#include "base/clock.h"
#include "base/strtab.h"
#include "naming/unwinding.h"
#include "symbol/file-reader.h"
#include "symbol/fixture.h"
#include "symbol/load-state.h"
#include "symbol/loader.h"
#include "worker/bad-jobs.h"

/* How --call-graph auto chooses, for libraries that are built with frame pointers and without. */
#define KEEPS "keeps.so"
#define KEEPS_NONE "none.so"

/* Each calls, so each has a frame, or none where the compiler may do without. */
static const char source[] =
	"extern int leaf(int);\n"
	"#define F(name) int name(int x)\\\n"
	"{ int a = leaf(x), b = leaf(a + x), c = leaf(a + b); return a * b + c * leaf(c + x); }\n"
	"F(f1) F(f2) F(f3) F(f4) F(f5) F(f6) F(f7) F(f8)\n";

struct rig {
	struct fixture files;
	struct strtab *names;
	struct process_table *processes;
	struct spare_time *spare;
	struct dso_cache *objects;
	struct frame_table *frames;
	struct resolver *resolver;
	struct unwinding *unwinding;
	struct process *process;
};

/* Reads the files in the second round; NULL in the first. */
static struct zygote *zygote;

/* A clock on which each look takes as long: an unwinding costs three looks, whatever the machine does. */
struct slow_clock {
	struct clock clock;
	uint64_t now_ns, look_ns;
};

static uint64_t look(void *context)
{
	struct slow_clock *c = context;

	return c->now_ns += c->look_ns;
}

static struct rig *rig_of(void **state)
{
	return *state;
}

static void open_unwinding(struct rig *r, bool choose)
{
	unwinding_free(r->unwinding);
	r->unwinding = unwinding_new(&(struct unwinding_options){ .zygote = zygote,
								  .resolver = r->resolver,
								  .objects = r->objects,
								  .processes = r->processes,
								  .clock = &clock_system,
								  .machine = unwind_machine_here(),
								  .choose = choose });
}

static bool build(struct fixture *f)
{
	const char *how = "${CC:-cc} -O2 -fPIC -shared -nostdlib";

	fixture_write(f, "source.c", source, sizeof(source) - 1);
	return fixture_run(f, "%s -fno-omit-frame-pointer -o " KEEPS " source.c", how) &&
	       fixture_run(f, "%s -fomit-frame-pointer -o " KEEPS_NONE " source.c", how);
}

#define SPARE_RATE_TEST 0.4

static int set_up_with(void **state, bool synchronous)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct spare_time *spare = r->spare = spare_time_new(&clock_system, SPARE_RATE_TEST);
	const struct dso_cache_options objects = {
		.zygote = zygote, .kallsyms = "", .spare = spare, .synchronous = synchronous
	};

	assert_true(fixture_init(&r->files) && build(&r->files));
	r->names = strtab_new();
	r->processes = process_table_new(NULL, r->names, &clock_system, 0);
	r->objects = dso_cache_new(&objects);
	r->frames = frame_table_new(NULL, 0);
	r->resolver = resolver_new(&(struct resolver_options){
		.processes = r->processes, .objects = r->objects, .frames = r->frames });
	r->process = process_table_thread(r->processes, 50, 50)->process;
	open_unwinding(r, true);
	*state = r;
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, true);
}

static int tear_down(void **state)
{
	struct rig *r = *state;

	resolver_free(r->resolver);
	frame_table_free(r->frames);
	dso_cache_free(r->objects);
	unwinding_free(r->unwinding);
	process_table_free(r->processes);
	spare_time_put(r->spare);
	strtab_free(r->names);
	fixture_fini(&r->files);
	free(r);
	return 0;
}

/* NAME comes to lie at START: a library that was built, else as the kernel tells it. */
static void map_file(struct rig *r, struct process *p, const char *name, uint64_t start)
{
	bool library = strstr(name, ".so");
	const char *path = library ? fixture_path(&r->files, name) : name;
	const struct mapping m = { .start = start,
				   .end = start + 0x100000,
				   .path = strtab_add(r->names, path) };

	space_insert(process_space(r->processes, p, MAPS_CODE), &m);
}

static bool is_needed(struct rig *r, struct process *p)
{
	static const char copy[64];
	const struct record_sample s = { .user_stack = copy,
					 .user_stack_size = sizeof(copy),
					 .user_regs_abi = 2 };

	return unwinding_is_needed(r->unwinding, p, &s);
}

/* Returns the choice when all requested files have been read. */
static bool is_unwound(struct rig *r, struct process *p)
{
	uint64_t readings;
	bool needed;

	do {
		readings = unwinding_readings(r->unwinding);
		needed = is_needed(r, p);
	} while (unwinding_readings(r->unwinding) != readings);
	return needed;
}

static void where_all_keeps_frame_pointers_chains_do(void **state)
{
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS, 0x100000);
	assert_false(is_unwound(r, r->process));
}

static void code_without_them_is_unwound(void **state)
{
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS_NONE, 0x100000);
	assert_true(is_unwound(r, r->process));
}

static void one_library_without_them_is_enough(void **state)
{
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS, 0x100000);
	assert_false(is_unwound(r, r->process));
	map_file(r, r->process, KEEPS_NONE, 0x800000);
	assert_true(is_unwound(r, r->process));
	space_clear(process_space(r->processes, r->process, MAPS_CODE)); /* as exec does */
	map_file(r, r->process, KEEPS, 0x100000);
	assert_false(is_unwound(r, r->process));
}

static void each_process_has_its_own_choice(void **state)
{
	struct rig *r = rig_of(state);
	struct process *other = process_table_thread(r->processes, 60, 60)->process;

	map_file(r, r->process, KEEPS, 0x100000);
	map_file(r, other, KEEPS_NONE, 0x100000);
	for (int i = 0; i < 2; i++) {
		assert_false(is_unwound(r, r->process));
		assert_true(is_unwound(r, other));
	}
}

/* Nobody knows whether JIT code keeps them; it has no tables to unwind it by. */
static void memory_without_a_file_says_nothing(void **state)
{
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS, 0x100000);
	map_file(r, r->process, "//anon", 0x800000);
	map_file(r, r->process, "[vdso]", 0xa00000);
	assert_false(is_unwound(r, r->process));
}

static void what_cannot_be_read_is_no_reason_to_trust_chains(void **state)
{
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS, 0x100000);
	map_file(r, r->process, "/nonexistent/library", 0x800000);
	assert_true(is_unwound(r, r->process));
}

static void without_a_choice_every_copy_is_unwound(void **state)
{
	struct rig *r = rig_of(state);
	const struct record_sample none = { .user_regs_abi = 2 };

	map_file(r, r->process, KEEPS, 0x100000);
	open_unwinding(r, false);
	assert_true(is_unwound(r, r->process));
	assert_false(unwinding_is_needed(r->unwinding, r->process, &none));
}

/* What was refused is told, and is not read again for the next process. */
#define LOOK_NS \
	(1000 * \
	 1000ull) /* 1 ms: with it a hundred unwindings are all that is allowed in a second */
#define SAMPLE_NS (5 * 1000 * 1000ull)

/* Returns true if there was time for a stack of P. */
static bool has_time(struct rig *r, struct process *p)
{
	static const char copy[64];
	const struct record_sample s = { .user_stack = copy,
					 .user_stack_size = sizeof(copy),
					 .user_regs_abi = 2 };
	enum unwind_end end;
	size_t count;

	unwinding_frames(r->unwinding, p, 0, &s, &count, &end);
	return end != UNWIND_BUDGET;
}

/* A sample of a modest program in each second, beside COUNT greedy programs of user GREEDY that are sampled all the time. */
static unsigned modest_stacks(struct rig *r, unsigned count, uint32_t greedy)
{
	struct slow_clock slow = { { look, NULL, &slow }, NS_PER_S, LOOK_NS };
	struct process *modest = process_table_thread(r->processes, 60, 60)->process;
	unsigned found = 0;

	modest->uid = 1;
	unwinding_free(r->unwinding);
	r->unwinding = unwinding_new(&(struct unwinding_options){ .resolver = r->resolver,
								  .objects = r->objects,
								  .processes = r->processes,
								  .clock = &slow.clock,
								  .machine = unwind_machine_here(),
								  .limited = true });
	for (unsigned second = 0; second < 100; second++) {
		for (unsigned i = 0; i < NS_PER_S / SAMPLE_NS; i++) {
			struct process *p =
				process_table_thread(r->processes, 100 + i % count, 100 + i % count)
					->process;

			p->uid = greedy;
			has_time(r, p);
			slow.now_ns += SAMPLE_NS - LOOK_NS;
		}
		found += has_time(r, modest);
	}
	open_unwinding(r, true);
	return found;
}

/* One program or two hundred: what a user's programs cost is his, and others have their stacks. */
static void one_users_programs_leave_time_for_others(void **state)
{
	struct rig *r = rig_of(state);

	assert_int_equal(modest_stacks(r, 1, 2), 100);
	assert_int_equal(modest_stacks(r, 200, 2), 100);
}

/* A process whose mappings change all the time has them looked at as often as there is time; here that took all of it. */
static void a_choice_takes_time(void **state)
{
	struct slow_clock slow = { { look, NULL, &slow }, NS_PER_S, NS_PER_S };
	struct rig *r = rig_of(state);

	map_file(r, r->process, KEEPS, 0x100000);
	assert_false(is_unwound(r, r->process)); /* reads the file */
	unwinding_free(r->unwinding);
	r->unwinding = unwinding_new(&(struct unwinding_options){ .zygote = zygote,
								  .resolver = r->resolver,
								  .objects = r->objects,
								  .processes = r->processes,
								  .clock = &slow.clock,
								  .machine = unwind_machine_here(),
								  .choose = true,
								  .limited = true });
	for (int i = 0; i < 10 && is_unwound(r, r->process); i++)
		slow.now_ns += 100 * NS_PER_S;
	assert_false(is_unwound(r, r->process));
	map_file(r, r->process, KEEPS_NONE, 0x300000);
	assert_false(is_unwound(r, r->process));
	slow.now_ns += 100 * NS_PER_S;
	assert_true(is_unwound(r, r->process));
	open_unwinding(r, true);
}

UNIT_TEST(a_refusal_is_told)
{
	worker_main *const jobs[READER_JOBS] = { [READER_FRAMES] = bad_job_says_nothing };
	struct zygote *before = zygote;
	struct process *other;
	struct dso_description d;
	void *own;
	struct rig *r;

	zygote = zygote_start(jobs, READER_JOBS);
	set_up(&own);
	r = rig_of(&own);
	other = process_table_thread(r->processes, 60, 60)->process;
	map_file(r, r->process, KEEPS, 0x100000);
	map_file(r, other, KEEPS, 0x100000);
	assert_true(is_unwound(r, r->process));
	assert_true(is_unwound(r, other));
	assert_int_equal(unwinding_readings(r->unwinding), 1);
	dso_describe(r->objects, dso_cache_count(r->objects), &d); /* the newest */
	assert_string_equal(d.missing_parts[DSO_CALLERS], "callers: refused: damaged");
	tear_down(&own);
	zygote_free(zygote);
	zygote = before;
}

struct greedy_work {
	struct dso_work work; /* must be first */
	bool done;
};

/* It says that it took all that is spare, and half as much more: with SPARE_RATE_TEST five seconds of rest.  A slow machine asks within them. */
static void greedy_run(struct dso_work *w, struct load *load)
{
	(void)w;
	load->cpu_ns = SPARE_CREDIT_NS * 3 / 2;
}

static void greedy_done(struct dso_work *w)
{
	((struct greedy_work *)w)->done = true;
}

static void greedy_drop(struct dso_work *w)
{
	(void)w;
}

/* Takes what the loader has done, or waits a moment for it. */
static void take(struct rig *r)
{
	struct pollfd fd = { .fd = dso_cache_fd(r->objects), .events = POLLIN };

	poll(&fd, 1, 10);
	while (dso_cache_loaded(r->objects))
		;
}

/* The owner of that file has to rest for some second. */
static void let_owner_rest(struct rig *r, const char *path)
{
	struct greedy_work w = {
		.work = { .run = greedy_run, .done = greedy_done, .drop = greedy_drop }
	};
	struct dso_key key = fixture_key(path);

	dso_submit(r->objects, dso_cache_get(r->objects, &key), &w.work);
	while (!w.done)
		take(r);
}

UNIT_TEST(after_a_rest_the_choice_is_made_again)
{
	const uint64_t end_ns = clock_monotonic_ns(&clock_system) + 20 * NS_PER_S;
	void *own;
	struct rig *r;

	if (geteuid())
		skip();
	set_up_with(&own, false);
	r = rig_of(&own);
	if (!fixture_run(&r->files, "chown 65533 " KEEPS " " KEEPS_NONE " 2>/dev/null")) {
		tear_down(&own);
		skip(); /* a container without that user */
	}
	let_owner_rest(r, fixture_path(&r->files, KEEPS_NONE));
	map_file(r, r->process, KEEPS, 0x100000);
	assert_true(is_needed(r, r->process));
	while (is_needed(r, r->process)) {
		assert_true(clock_monotonic_ns(&clock_system) < end_ns);
		take(r);
	}
	assert_int_equal(unwinding_readings(r->unwinding), 2); /* the first was handed back */
	tear_down(&own);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static bool can_build(void)
{
	struct fixture f;
	bool built = fixture_init(&f) && build(&f);

	fixture_fini(&f);
	return built;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(where_all_keeps_frame_pointers_chains_do),
		TEST(code_without_them_is_unwound),
		TEST(one_library_without_them_is_enough),
		TEST(each_process_has_its_own_choice),
		TEST(memory_without_a_file_says_nothing),
		TEST(what_cannot_be_read_is_no_reason_to_trust_chains),
		TEST(without_a_choice_every_copy_is_unwound),
		TEST(one_users_programs_leave_time_for_others),
		TEST(a_choice_takes_time),
		cmocka_unit_test(a_refusal_is_told),
		cmocka_unit_test(after_a_rest_the_choice_is_made_again),
	};
	struct zygote *workers;
	int status;

	if (unwind_machine_here() == UNWIND_MACHINE_NONE || !can_build()) {
		puts("skipped: no compiler, or a machine whose stacks are not unwound");
		return UNIT_SKIP;
	}
	workers = unit_under_valgrind() ? NULL : zygote_start(app_jobs, app_job_count);
	status = unit_run(tests);
	zygote = workers;
	if (status == EXIT_SUCCESS && workers)
		status = unit_run(tests);
	zygote_free(workers);
	return status;
}
