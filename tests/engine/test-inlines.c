/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>

#include "naming/inlines.h"
#include "naming/resolve.h"
#include "engine/rig.h"
#include "naming/function-sources.h"
#include "symbol/fixture.h"
#include "symbol/load-state.h"
#include "symbol/object.h"

#define FUNCTION 7u /* any frame */

/* The questions go to a file that is not there; the answers are the test's own. */
struct bench {
	struct lines *lines;
	struct dso_cache *objects;
	struct frame_table *frames;
	struct inlines *inlines;
	uint32_t object;
	uint64_t asked;
	uint64_t now_ns;
	struct clock clock; /* of NOW_NS */
};

static uint64_t bench_now(void *context)
{
	return *(const uint64_t *)context;
}

static struct bench *bench_of(void **state)
{
	return *state;
}

static int set_up(void **state)
{
	struct bench *r = calloc(1, sizeof(*r));
	const struct dso_key key = { .kind = DSO_FILE, .path = "/nonexistent/x", .inode = 5 };

	r->lines = lines_new(&(struct lines_options){ .synchronous = true });
	r->objects =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	r->frames = frame_table_new(NULL, 0);
	r->object = dso_cache_get(r->objects, &key);
	r->clock = (struct clock){ .monotonic_ns = bench_now, .context = &r->now_ns };
	r->inlines = inlines_new(&(struct inlines_options){ .lines = r->lines,
							    .objects = r->objects,
							    .frames = r->frames,
							    .clock = &r->clock });
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *r = *state;

	inlines_free(r->inlines);
	lines_free(r->lines);
	frame_table_free(r->frames);
	dso_cache_free(r->objects);
	free(r);
	return 0;
}

static struct name find(struct bench *r, uint64_t address)
{
	const struct place place = { .object = r->object, .address = address };

	return inlines_find(r->inlines, &place, FUNCTION);
}

/* It is being asked what is inlined in the function. */
static bool is_open(struct name name)
{
	return name_is_open(name) && name_number(name) == FUNCTION;
}

/* The answer to the next question, which is of ADDRESSES that all have these frames. */
static bool answer(struct bench *r, const uint64_t *addresses, size_t count,
		   const struct srcline_frame *frames, size_t frame_count)
{
	struct lines_place places[8];
	struct lines_answer a = { .id = ++r->asked,
				  .places = places,
				  .place_count = count,
				  .has_lines = frames,
				  .missing = "" };

	inlines_ask(r->inlines);
	for (size_t i = 0; i < count; i++)
		places[i] = (struct lines_place){ .address = addresses[i],
						  .frames = frames,
						  .frame_count = frame_count };
	return inlines_answer(r->inlines, &a);
}

/* inner within middle within a function; the innermost first, as they come. */
static const struct srcline_frame nested[] = {
	{ .function = "inner", .declared_in = "a.c", .declared_at = 3, .inlined = true },
	{ .function = "middle", .declared_in = "a.c", .declared_at = 9, .inlined = true },
	{ .function = "outer", .declared_in = "a.c", .declared_at = 20 },
};

/* What is said to be missing of the object's lines. */
static const char *missing(const struct bench *r)
{
	struct dso_description d;

	dso_describe(r->objects, r->object, &d);
	return d.missing_parts[DSO_LINES];
}

/* The answer to the next question: the owner rests until UNTIL_NS. */
static void postpone(struct bench *r, uint64_t address, uint64_t until_ns)
{
	struct lines_place place = { .address = address };
	const struct lines_answer a = { .id = ++r->asked,
					.places = &place,
					.place_count = 1,
					.missing = load_rest_text(),
					.rest_until_ns = until_ns };

	assert_false(inlines_ask(r->inlines));
	assert_true(inlines_answer(r->inlines, &a));
}

/* Until the file may be read again its functions have their names, and nothing waits. */
static void a_file_whose_owner_rests_is_asked_about_again(void **state)
{
	struct bench *r = bench_of(state);
	const uint64_t asked[] = { 0x10 };

	r->now_ns = 1;
	assert_true(is_open(find(r, 0x10)));
	postpone(r, 0x10, 1000);
	assert_int_equal(inlines_waiting(r->inlines), 0);
	assert_int_equal(inlines_answered(r->inlines), r->object);
	assert_string_equal(missing(r), load_rest_text());
	for (r->now_ns = 2; r->now_ns < 1000; r->now_ns += 499) {
		assert_int_equal(find(r, 0x10).bits, FUNCTION);
		assert_int_equal(find(r, 0x20).bits, FUNCTION);
		assert_false(inlines_ask(r->inlines));
	}
	assert_int_equal(inlines_waiting(r->inlines), 0);
	assert_true(inlines_ask(r->inlines));
	assert_true(is_open(find(r, 0x10)));
	assert_true(answer(r, asked, 1, nested, 3));
	assert_true(name_is_list(find(r, 0x10)));
	assert_string_equal(missing(r), "");
}

/* All names are asked for anew then, and an owner can have many objects. */
static void the_end_of_a_rest_is_told_now_and_then(void **state)
{
	struct bench *r = bench_of(state);

	r->now_ns = 1;
	assert_true(is_open(find(r, 0x10)));
	postpone(r, 0x10, 1000);
	r->now_ns = 1000;
	assert_true(inlines_ask(r->inlines));
	assert_true(is_open(find(r, 0x10)));
	postpone(r, 0x10, 2000);
	r->now_ns = 2000;
	assert_false(inlines_ask(r->inlines));
	r->now_ns = 1000 + 5 * NS_PER_S;
	assert_true(inlines_ask(r->inlines));
	assert_false(inlines_ask(r->inlines));
}

static void an_address_has_the_frames_that_are_told(void **state)
{
	struct bench *r = bench_of(state);
	const uint64_t asked[] = { 0x10, 0x20 };
	const uint32_t *frames;
	size_t count;

	assert_true(is_open(find(r, 0x10)));
	assert_true(is_open(find(r, 0x10)));
	assert_true(is_open(find(r, 0x20)));
	assert_int_equal(inlines_waiting(r->inlines), 2);
	assert_true(answer(r, asked, 2, nested, 3));
	assert_int_equal(inlines_waiting(r->inlines), 0);
	assert_int_equal(inlines_answered(r->inlines), r->object);
	assert_int_equal(inlines_answered(r->inlines), 0);
	assert_true(name_is_list(find(r, 0x10)));
	assert_int_equal(find(r, 0x10).bits, find(r, 0x20).bits);
	frames = inlines_frames(r->inlines, find(r, 0x10), &count);
	assert_int_equal(count, 3);
	assert_int_equal(frames[0], FUNCTION);
	assert_string_equal(frame_symbol(r->frames, frames[1]), "middle (inlined)");
	assert_string_equal(frame_symbol(r->frames, frames[2]), "inner (inlined)");
	assert_string_equal(frame_object_path(r->frames, frames[2]), "/nonexistent/x");
	assert_int_equal(frame_named_by(r->frames, frames[2]), NAMED_BY_DEBUG_INFO);
	assert_int_equal(frame_source(r->frames, frames[2])->line, 3);
}

static void functions_of_one_name_are_told_apart(void **state)
{
	struct bench *r = bench_of(state);
	const struct srcline_frame other = {
		.function = "inner", .declared_in = "b.c", .declared_at = 3, .inlined = true
	};
	const uint64_t first = 0x10, second = 0x20;
	const uint32_t *frames;
	uint32_t one;
	size_t count;

	find(r, first);
	assert_true(answer(r, &first, 1, nested, 1));
	find(r, second);
	assert_true(answer(r, &second, 1, &other, 1));
	frames = inlines_frames(r->inlines, find(r, first), &count);
	one = frames[1];
	assert_int_equal(count, 2);
	frames = inlines_frames(r->inlines, find(r, second), &count);
	assert_int_not_equal(frames[1], one);
	assert_int_equal(frame_table_count(r->frames), 4);
}

static void where_nothing_is_inlined_the_function_stays(void **state)
{
	struct bench *r = bench_of(state);
	const uint64_t address = 0x10;

	find(r, address);
	assert_true(answer(r, &address, 1, nested + 2, 1));
	assert_int_equal(find(r, address).bits, FUNCTION);
}

static void without_debugging_information_nothing_more_is_asked(void **state)
{
	struct bench *r = bench_of(state);
	const uint64_t address = 0x10;
	struct lines_answer none = { .id = 1,
				     .place_count = 1,
				     .missing = "",
				     .places = &(struct lines_place){ .address = address } };

	find(r, address);
	inlines_ask(r->inlines);
	find(r, 0x20); /* while the answer is under way */
	assert_int_equal(inlines_waiting(r->inlines), 2);
	assert_true(inlines_answer(r->inlines, &none));
	assert_int_equal(inlines_waiting(r->inlines), 0);
	assert_int_equal(find(r, address).bits, FUNCTION);
	assert_int_equal(find(r, 0x20).bits, FUNCTION);
	assert_int_equal(find(r, 0x30).bits, FUNCTION);
	assert_int_equal(inlines_waiting(r->inlines), 0);
}

static void names_have_a_largest_size(void **state)
{
	struct bench *r = bench_of(state);
	char name[10000];
	const struct srcline_frame frame = { .function = name, .inlined = true };
	const uint64_t address = 0x10;
	const uint32_t *frames;
	size_t count;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	find(r, address);
	assert_true(answer(r, &address, 1, &frame, 1));
	frames = inlines_frames(r->inlines, find(r, address), &count);
	assert_int_equal(strlen(frame_function(r->frames, frames[1])), 4096);
	assert_null(frame_source(r->frames, frames[1]));
}

static void answers_of_others_are_left_alone(void **state)
{
	struct bench *r = bench_of(state);
	const struct lines_answer foreign = { .id = 99 };

	find(r, 0x10);
	inlines_ask(r->inlines);
	assert_false(inlines_answer(r->inlines, &foreign));
	assert_int_equal(inlines_waiting(r->inlines), 1);
}

static void code_without_a_file_is_not_asked_about(void **state)
{
	static const struct dso_key keys[] = { { .kind = DSO_BPF, .path = "[bpf]" },
					       { .kind = DSO_JIT, .path = "//anon", .pid = 7 },
					       { .kind = DSO_FOREIGN, .path = "[kernel]" } };
	struct bench *r = bench_of(state);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct place place = { .object = dso_cache_get(r->objects, &keys[i]),
					     .address = 4 };

		assert_int_equal(inlines_find(r->inlines, &place, FUNCTION).bits, FUNCTION);
	}
	assert_int_equal(inlines_waiting(r->inlines), 0);
}

static void what_waits_is_bounded(void **state)
{
	struct bench *r = bench_of(state);

	for (uint64_t i = 0; i < INLINES_WAITING; i++)
		assert_true(is_open(find(r, i)));
	assert_int_equal(find(r, INLINES_WAITING).bits, FUNCTION);
	assert_int_equal(inlines_waiting(r->inlines), INLINES_WAITING);
	assert_int_equal(inlines_overflow(r->inlines), 1);
}

/* A kernel that the test makes, which runs elsewhere than it was linked for. */
#define KERNEL_START 0xffffffff81000000u

static const char kernel_source[] =
	"volatile int sink;\n" /* 1 */
	"__asm__(\".globl _text\\n.type _text, @function\\n_text: .long 0, 0\\n\");\n"
	"static inline __attribute__((always_inline)) void inner(int x)\n" /* 3 */
	"{ sink = x * 7; }\n"
	"__attribute__((noinline, used)) void outer(int x)\n" /* 5 */
	"{ sink = x; inner(x); }\n"
	"static inline __attribute__((always_inline)) void context_switch(int x)\n"
	"{ sink = x * 5; }\n"
	"__attribute__((noinline, used)) void schedule(int x)\n"
	"{ sink = x; context_switch(x); }\n"
	"int main(void) { outer(3); schedule(4); return 0; }\n";

struct kernel {
	struct fixture f;
	char debug[80], kallsyms[80];
	struct vmlinux_identity identity;
	uint64_t outer, outer_end, schedule, schedule_end; /* where they run */
	uint64_t end;                                      /* of its code */
};

static struct symbol function_of(const struct symtab *t, const char *name)
{
	return symtab_at(t, symtab_find(t, fixture_address(t, name)));
}

static void find_functions(struct kernel *k)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	struct dso_key key = fixture_key(fixture_path(&k->f, "vmlinux"));
	uint32_t dso = dso_cache_get(c, &key);
	struct symbol outer, schedule;
	const struct symtab *t;
	char text[200];
	uint64_t moved;

	dso_request(c, dso);
	t = dso_symtab(c, dso);
	assert_non_null(t);
	moved = KERNEL_START - fixture_address(t, "_text");
	outer = function_of(t, "outer");
	schedule = function_of(t, "schedule");
	k->outer = outer.start + moved;
	k->outer_end = outer.end + moved;
	k->schedule = schedule.start + moved;
	k->schedule_end = schedule.end + moved;
	k->end = k->outer_end > k->schedule_end ? k->outer_end : k->schedule_end;
	snprintf(text, sizeof(text), "%llx T _text\n%llx T outer\n%llx T schedule\n%llx T _etext\n",
		 (unsigned long long)KERNEL_START, (unsigned long long)k->outer,
		 (unsigned long long)k->schedule, (unsigned long long)k->end);
	fixture_write(&k->f, "kallsyms", text, strlen(text));
	dso_cache_free(c);
}

/* False without a compiler. */
static bool kernel_init(struct kernel *k)
{
	struct object *o;

	if (!fixture_init(&k->f))
		return false;
	fixture_write(&k->f, "kernel.c", kernel_source, sizeof(kernel_source) - 1);
	assert_true(fixture_run(&k->f, "${CC:-cc} -O2 -g -Wl,--build-id -o vmlinux kernel.c && "
				       "mkdir -p debug/boot && ln vmlinux debug/boot/vmlinux-9.9"));
	o = object_new_elf(open(fixture_path(&k->f, "vmlinux"), O_RDONLY | O_CLOEXEC));
	k->identity = (struct vmlinux_identity){ .build_id = object_build_id(o), .release = "9.9" };
	object_free(o);
	find_functions(k);
	snprintf(k->debug, sizeof(k->debug), "%s/debug", k->f.directory);
	snprintf(k->kallsyms, sizeof(k->kallsyms), "%s/kallsyms", k->f.directory);
	return true;
}

/* The bench, of that kernel. */
static void use_kernel(struct bench *r, struct kernel *k)
{
	const struct dso_key key = { .kind = DSO_KERNEL, .path = "[kernel]" };
	const struct lines_options options = { .synchronous = true,
					       .local = true,
					       .proc_root = k->f.directory,
					       .debug_root = k->debug,
					       .kallsyms = k->kallsyms,
					       .kernel = &k->identity };

	inlines_free(r->inlines);
	lines_free(r->lines);
	r->lines = lines_new(&options);
	r->object = dso_cache_get(r->objects, &key);
	r->inlines = inlines_new(&(struct inlines_options){
		.lines = r->lines, .objects = r->objects, .frames = r->frames });
}

/* Returns true if LIST is outer() with inner() in it. */
static bool has_inner(const struct bench *r, struct name list)
{
	size_t count;
	const uint32_t *frames;

	if (!name_is_list(list))
		return false;
	frames = inlines_frames(r->inlines, list, &count);
	assert_int_equal(count, 2);
	assert_int_equal(frames[0], FUNCTION);
	assert_string_equal(frame_function(r->frames, frames[1]), "inner");
	assert_string_equal(frame_object_name(r->frames, frames[1]), "[kernel]");
	assert_int_equal(frame_flags(r->frames, frames[1]), FRAME_INLINED | FRAME_KERNEL);
	assert_int_equal(frame_source(r->frames, frames[1])->line, 3);
	return true;
}

static void the_kernel_has_what_its_vmlinux_tells(void **state)
{
	struct bench *r = bench_of(state);
	struct kernel k;
	struct lines_answer *a;
	size_t inlined = 0;

	if (!kernel_init(&k))
		skip();
	use_kernel(r, &k);
	for (uint64_t at = k.outer; at < k.outer_end; at++)
		assert_true(is_open(find(r, at)));
	find(r, k.end);
	inlines_ask(r->inlines);
	a = lines_take(r->lines);
	assert_true(a->has_lines);
	assert_true(inlines_answer(r->inlines, a));
	lines_answer_free(a);
	for (uint64_t at = k.outer; at < k.outer_end; at++)
		inlined += has_inner(r, find(r, at));
	assert_in_range(inlined, 1, k.outer_end - k.outer - 1);
	assert_int_equal(find(r, k.end).bits, FUNCTION); /* a module's */
	fixture_fini(&k.f);
}

/* A function of the kernel, or of its module PATH. */
static uint32_t kernel_function(struct bench *r, const char *path, uint32_t symbol)
{
	const struct frame_key key = { .object = r->object,
				       .symbol = symbol,
				       .raw = "function",
				       .object_path = path,
				       .object_name = path,
				       .flags = FRAME_KERNEL };

	return frame_table_add(r->frames, &key);
}

/* The next answer is about one address; FRAMES NULL: it has no lines. */
static void answer_one(struct bench *r, uint64_t address, const struct srcline_frame *frames)
{
	assert_true(answer(r, &address, 1, frames, frames ? 3 : 0));
}

/* Each module is asked by itself: that another one, or the kernel, has no debug file says nothing of it. */
static void modules_are_asked_each(void **state)
{
	struct bench *r = bench_of(state);
	static const char *const paths[] = { "[kernel]", "[one]", "[two]" };
	struct kernel k;
	uint32_t functions[3];
	const uint32_t *frames;
	size_t count;

	if (!kernel_init(&k))
		skip();
	use_kernel(r, &k);
	r->asked = 0;
	for (uint32_t i = 0; i < 3; i++) {
		const struct place place = { .object = r->object, .address = 0x10 + i };

		functions[i] = kernel_function(r, paths[i], i + 1);
		assert_true(name_is_open(inlines_find(r->inlines, &place, functions[i])));
	}
	assert_int_equal(inlines_waiting(r->inlines), 3);
	answer_one(r, 0x10, NULL);
	answer_one(r, 0x11, NULL);
	answer_one(r, 0x12, nested);
	assert_int_equal(inlines_waiting(r->inlines), 0);
	for (uint32_t i = 0; i < 3; i++) {
		const struct place place = { .object = r->object, .address = 0x10 + i };
		struct name name = inlines_find(r->inlines, &place, functions[i]);

		assert_int_equal(name_is_list(name), i == 2);
		if (!name_is_list(name))
			continue;
		frames = inlines_frames(r->inlines, name, &count);
		assert_int_equal(count, 3);
		assert_int_equal(frames[0], functions[i]);
		assert_string_equal(frame_object_name(r->frames, frames[2]), "[two]");
		assert_int_equal(frame_flags(r->frames, frames[2]), FRAME_INLINED | FRAME_KERNEL);
	}
	/* The same address of another module is another question. */
	assert_int_equal(inlines_find(r->inlines,
				      &(struct place){ .object = r->object, .address = 0x12 },
				      functions[1])
				 .bits,
			 functions[1]);
	fixture_fini(&k.f);
}

static void functions_of_the_kernel_have_their_lines(void **state)
{
	struct bench *r = bench_of(state);
	struct frame_key key = { .symbol = 1,
				 .raw = "outer",
				 .object_path = "[kernel]",
				 .object_name = "[kernel]",
				 .flags = FRAME_KERNEL };
	struct histogram *h = histogram_new(0);
	struct cell_key cell = { 0 };
	struct sources *s;
	struct kernel k;
	struct lines_answer *a;

	if (!kernel_init(&k))
		skip();
	use_kernel(r, &k);
	s = sources_new(&(struct sources_options){
		.lines = r->lines, .objects = r->objects, .frames = r->frames });
	key.object = r->object;
	key.address = k.outer;
	cell.frame = frame_table_add(r->frames, &key);
	histogram_add(h, &cell, 1, 1);
	sources_ask(s, h, 0);
	assert_int_equal(sources_waiting(s), 1);
	a = lines_take(r->lines);
	assert_true(sources_answer(s, a));
	lines_answer_free(a);
	assert_string_equal(frame_source(r->frames, cell.frame)->text, "kernel.c:5");
	sources_free(s);
	histogram_free(h);
	fixture_fini(&k.f);
}

/* The first address in [START, END) at which something is inlined. */
static uint64_t inlined_at(struct kernel *k, uint64_t start, uint64_t end)
{
	struct lines *l = lines_new(&(struct lines_options){ .synchronous = true,
							     .proc_root = k->f.directory,
							     .debug_root = k->debug,
							     .kallsyms = k->kallsyms,
							     .kernel = &k->identity });
	uint64_t found = 0;

	for (uint64_t at = start; at < end && !found; at++) {
		/* clang-format off */
		const struct lines_request request = {
			.key = { .kind = DSO_KERNEL, .path = "[kernel]" },
			.addresses = &at, .address_count = 1 };
		struct lines_answer *a;

		lines_ask(l, &request);
		a = lines_take(l);
		found = a->places[0].frame_count == 2 ? at : 0;
		lines_answer_free(a);
	}
	lines_free(l);
	assert_true(found);
	return found;
}

static void take_lines(struct engine *e)
{
	while (engine_waits_for_lines(e)) {
		struct pollfd fd = { .fd = engine_lines_fd(e), .events = POLLIN };

		assert_int_equal(poll(&fd, 1, 30000), 1);
		engine_take_symbols(e);
	}
}

/* Samples, or nanoseconds, of EVENT whose leaf is SYMBOL. */
static double sum_of(const struct snapshot *s, uint16_t event, const char *symbol)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == event &&
		    !strcmp(frame_symbol(s->frames, s->cells[i].frame), symbol))
			sum += event ? s->cells[i].period : s->cells[i].samples;
	}
	return sum;
}

#define SLEEPER 50u
#define MS	(NS_PER_S / 1000)

static struct record with_chain(struct record r, const uint64_t *chain, size_t count)
{
	r.cpumode = CPUMODE_KERNEL;
	r.sample.ip = chain[1];
	r.sample.callchain = chain;
	r.sample.callchain_count = count;
	return r;
}

/* SLEEPER is sampled, leaves the CPU and comes again after 200 ms, always with that stack. */
static void sleep_once(struct rig *rig, const uint64_t *chain, size_t count)
{
	const uint64_t left = NS_PER_S + 10 * MS, came = left + 200 * MS;
	struct record r = with_chain(fake_sample(SLEEPER, SLEEPER, 0, NS_PER_S + MS, chain[1], 0), chain,
				     count);

	rig_receive(rig, fake_fork(SLEEPER, SLEEPER, 1, NS_PER_S / 2));
	rig_snapshot(rig);
	rig_receive(rig, r);
	r = with_chain(fake_switch(SLEEPER, SLEEPER, 0, left), chain, count);
	r.switched = true;
	rig_receive(rig, r);
	r = fake_read(SLEEPER, SLEEPER, left + 7);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ .out = true };
	rig_receive(rig, r);
	r = fake_read(SLEEPER, SLEEPER, came);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ 0 };
	rig_receive(rig, r);
}

/* A wait is told by the function that called the scheduler, whatever is inlined in that. */
UNIT_TEST(stacks_of_the_kernel_have_what_is_inlined)
{
	struct source_machine machine = { .hostname = "", .release = "9.9", .arch = "", .command = "" };
	const struct snapshot *s;
	struct kernel k;
	struct rig rig;

	if (!kernel_init(&k))
		skip();
	machine.kernel_copy = k.f.directory;
	machine.kernel_build_id = k.identity.build_id;
	rig_init(&rig, "cpu-clock,off-cpu", TIER_CPU_GROUP);
	rig.evlist->items[1]->role = EVSEL_SAMPLE;
	rig.options.target.callchains = true;
	rig.options.machine = &machine;
	rig.options.debug_root = k.debug;
	rig.options.inlines = true;
	rig_open(&rig);
	sleep_once(&rig, (uint64_t[]){ CALLCHAIN_KERNEL,
				       inlined_at(&k, k.schedule, k.schedule_end),
				       inlined_at(&k, k.outer, k.outer_end) + 1 }, 3);
	take_lines(rig.engine);
	s = rig_snapshot(&rig);
	assert_true(sum_of(s, 0, "context_switch (inlined)") == 1);
	assert_true(sum_of(s, 1, "context_switch (inlined)") == 0);
	assert_true(sum_of(s, 1, "inner (inlined)") > 199 * MS);
	rig_fini(&rig);
	fixture_fini(&k.f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_address_has_the_frames_that_are_told),
		TEST(a_file_whose_owner_rests_is_asked_about_again),
		TEST(the_end_of_a_rest_is_told_now_and_then),
		TEST(functions_of_one_name_are_told_apart),
		TEST(where_nothing_is_inlined_the_function_stays),
		TEST(without_debugging_information_nothing_more_is_asked),
		TEST(names_have_a_largest_size),
		TEST(answers_of_others_are_left_alone),
		TEST(code_without_a_file_is_not_asked_about),
		TEST(what_waits_is_bounded),
		TEST(the_kernel_has_what_its_vmlinux_tells),
		TEST(modules_are_asked_each),
		TEST(functions_of_the_kernel_have_their_lines),
		cmocka_unit_test(stacks_of_the_kernel_have_what_is_inlined),
	};

	return unit_run(tests);
}

/* clang-format on */