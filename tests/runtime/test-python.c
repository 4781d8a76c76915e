/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <elf.h>

#include "python-memory.h"

/* Where the parts of the process are. */
enum {
	IMAGE = MEMORY_BASE,
	DYNAMIC = MEMORY_BASE + 0x200,
	HASH = MEMORY_BASE + 0x300,
	SYMBOLS = MEMORY_BASE + 0x400,
	STRINGS = MEMORY_BASE + 0x500,
	VERSION_WORD = MEMORY_BASE + 0x600,
	INTERPRETER = MEMORY_BASE + 0x1000,
	THREADS = MEMORY_BASE + 0x4000, /* THREAD_STEP bytes each */
	THREAD_STEP = 0x100,
	RUNTIME = MEMORY_BASE + 0x5000,
	CFRAMES = MEMORY_BASE + 0x6000, /* 0x20 bytes each */
	FRAMES = MEMORY_BASE + 0x7000,  /* FRAME_STEP bytes each */
	FRAME_STEP = 0x80,
	CODE = MEMORY_BASE + 0xa000,
	TEXT = MEMORY_BASE + 0xb000,
	PTHREADS = MEMORY_BASE + 0xc000, /* PTHREAD_STEP bytes each */
	PTHREAD_STEP = 0x400,
	PTHREAD_TID = 0x2d0, /* of x86-64's glibc */
};

static struct memory memory;
static const struct python_memory reader = { memory_read, &memory };
static struct python_runtime runtime;
static struct python_stack stack;

static const struct python_offsets *row(uint16_t version)
{
	for (size_t i = 0; i < python_offset_count; i++) {
		if (python_offsets[i].version == version)
			return &python_offsets[i];
	}
	fail();
	return NULL;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Three frames, the innermost first; those that are MARKED end a level. */
static enum python_result walked(uint16_t version, const uint8_t marks[3])
{
	struct python_walked w = { .count = 3 };
	const struct python_runtime r = { .offsets = *row(version) };

	for (size_t i = 0; i < w.count; i++)
		w.frames[i] = (struct python_walked_frame){ .code = 100 + i,
							    .file = 300 + i,
							    .name = 200 + i,
							    .line = 7 + i,
							    .mark = marks[i] };
	return python_walk_stack(&r, &w, &stack);
}

UNIT_TEST(a_walk_has_the_levels_of_its_version)
{
	const uint8_t entries[] = { 0, 1, 1 }, shims[] = { 0, 3, 3 }, none[] = { 0, 0, 0 };

	assert_int_equal(walked(0x030a, none), PYTHON_OK); /* each frame is an entry */
	assert_int_equal(stack.level_count, 3);
	assert_int_equal(walked(0x030b, entries), PYTHON_OK);
	assert_int_equal(stack.level_count, 2);
	assert_int_equal(stack.levels[0].count, 2);
	assert_int_equal(stack.levels[1].first, 2);
	assert_int_equal(stack.frames[2].code, 102);
	assert_int_equal(stack.frames[2].name, 202);
	assert_int_equal(walked(0x030c, shims), PYTHON_OK); /* they are no functions */
	assert_int_equal(stack.level_count, 2);
	assert_int_equal(stack.frame_count, 1);
	assert_int_equal(stack.levels[1].count, 0);
	assert_int_equal(walked(0x030f, shims), PYTHON_OK); /* the last one is the thread's own */
	assert_int_equal(stack.level_count, 1);
	assert_int_equal(stack.frame_count, 1);
	assert_int_equal(walked(0x030b, none), PYTHON_CHANGED); /* no end */
}

#define SYMBOLS_MAX 3

/* What each version exports. */
static const struct {
	uint16_t version;
	const char *names[SYMBOLS_MAX];
} exports[] = {
	{ 0x0308, { "_PyRuntime" } },
	{ 0x0309, { "_PyRuntime", "PyFrame_GetCode" } },
	{ 0x030a, { "_PyRuntime", "PyFrame_GetCode", "Py_NewRef" } },
	{ UINT16_MAX, { "_PyRuntime", "Py_Version" } },
};

/* One bucket with all NAMES.  _PyRuntime is at RUNTIME, the others are at VERSION_WORD. */
static void put_symbols(const char *const names[SYMBOLS_MAX])
{
	uint32_t table[7 + SYMBOLS_MAX] = { 1, 1, 1, 6, 0, 0, 1 };
	size_t text = 1, count = 0;

	for (; count < SYMBOLS_MAX && names[count]; count++) {
		const Elf64_Sym s = { .st_name = (Elf64_Word)text,
				      .st_value = (count ? VERSION_WORD : RUNTIME) - IMAGE,
				      .st_shndx = 5 };

		memory_put(&memory, SYMBOLS + (count + 1) * sizeof(s), &s, sizeof(s));
		memory_put(&memory, STRINGS + text, names[count], strlen(names[count]) + 1);
		text += strlen(names[count]) + 1;
		table[7 + count] = gnu_hash(names[count]) & ~1u;
	}
	table[6 + count] |= 1;
	memory_put(&memory, HASH, table, sizeof(table));
}

static void put_exports(uint32_t version)
{
	size_t i = 0;

	while (exports[i].version < version)
		i++;
	put_symbols(exports[i].names);
}

/* What 3.13.0 of x86-64 tells of itself, but for the place of the first interpreter. */
static void put_told(uint16_t version)
{
	const struct python_offsets *o = row(version);
	const struct {
		uint32_t place;
		uint64_t figure;
	} told[] = {
		{ o->interpreters, 808 }, { o->interpreter_next, 7264 }, { o->threads, 7344 },
		{ o->thread_next, 8 },    { o->thread_id, 160 },         { o->thread_entry, 72 },
		{ o->frame_code, 0 },     { o->frame_previous, 8 },      { o->frame_mark, 70 },
		{ o->code_line, 68 },     { o->code_file, 112 },         { o->code_name, 128 },
		{ o->code_start, 200 },   { o->text_length, 16 },        { o->text_state, 32 },
		{ o->text_ascii, 40 },
	};

	memory_put(&memory, RUNTIME, "xdebugpy", 8);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		memory_word(&memory, RUNTIME + told[i].place, told[i].figure);
	if (o->thread_base)
		memory_word(&memory, RUNTIME + o->thread_base, 80);
}

/* An object whose addresses begin at 0, as those of a library; LOADED: its loader made its table absolute. */
static void put_image(uint32_t version, bool loaded)
{
	const uint64_t bias = loaded ? 0 : IMAGE;
	Elf64_Ehdr h = { .e_ident = ELFMAG,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2 };
	const Elf64_Phdr p[] = { { .p_type = PT_LOAD, .p_vaddr = 0 },
				 { .p_type = PT_DYNAMIC, .p_vaddr = DYNAMIC - IMAGE } };
	const Elf64_Dyn d[] = { { DT_GNU_HASH, { HASH - bias } },
				{ DT_SYMTAB, { SYMBOLS - bias } },
				{ DT_STRTAB, { STRINGS - bias } },
				{ DT_NULL, { 0 } } };

	h.e_ident[EI_CLASS] = ELFCLASS64;
	memset(&memory, 0, sizeof(memory));
	memory.size = MEMORY_BYTES;
	memory_put(&memory, IMAGE, &h, sizeof(h));
	memory_put(&memory, IMAGE + sizeof(h), p, sizeof(p));
	memory_put(&memory, DYNAMIC, d, sizeof(d));
	put_exports(version);
	memory_word(&memory, VERSION_WORD, version << 16 | 0x2f0);
}

static void expect_version(uint16_t version, bool loaded)
{
	put_image(version, loaded);
	if (row(version)->is_told)
		put_told(version);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_OK);
	assert_int_equal(runtime.address, RUNTIME);
	assert_int_equal(runtime.offsets.version, version);
}

UNIT_TEST(each_version_is_found_by_its_exported_symbols)
{
	for (size_t i = 0; i < python_offset_count; i++)
		expect_version(python_offsets[i].version, true);
	expect_version(0x0309, false);
	expect_version(0x030c, false);
}

UNIT_TEST(an_unknown_interpreter_is_left_alone)
{
	static const char *const other[SYMBOLS_MAX] = { "Py_Version" };

	put_image(0x0308, true);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
	put_image(0x03ff, true);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
	put_symbols(other);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_NONE);
	assert_int_equal(python_find(&runtime, &reader, IMAGE + 1), PYTHON_NONE);
	assert_int_equal(python_find(&runtime, &reader, 0), PYTHON_NONE);
}

UNIT_TEST(an_interpreter_tells_its_own_figures)
{
	const struct python_offsets *o = row(0x030d);

	expect_version(0x030d, true);
	assert_int_equal(runtime.offsets.interpreter_next, 7264);
	assert_int_equal(runtime.offsets.frame_mark, 70);
	assert_int_equal(runtime.offsets.text_ascii, 40);
	memory_word(&memory, RUNTIME + o->free_threaded, 1);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
	memory_word(&memory, RUNTIME + o->free_threaded, 0);
	memory_word(&memory, RUNTIME + o->frame_mark, 1 << 12);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
	memory_word(&memory, RUNTIME + o->frame_mark, 1ull << 32);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
	put_told(0x030d);
	memory_put(&memory, RUNTIME, "x", 2);
	assert_int_equal(python_find(&runtime, &reader, IMAGE), PYTHON_VERSION);
}

UNIT_TEST(names_of_files_tell_who_may_be_python)
{
	assert_true(python_is_name("python3.11"));
	assert_true(python_is_name("libpython3.13t.so.1.0"));
	assert_false(python_is_name("python3"));
	assert_false(python_is_name("python2.7"));
	assert_false(python_is_name("libpythonish3.11.so"));
	assert_false(python_is_name(""));
}

/* What a file with an evaluator is, beside its symbols. */
enum {
	EVALUATOR = CODE,
	EVALUATOR_BYTES = 0x100,
	PART = TEXT,
	PART_BYTES = 0x80,
	DESCRIPTIONS = CFRAMES,
	ENTRIES = CFRAMES + 0x100, /* 0x10 bytes each */
};

/* Three descriptions: of the evaluator, of its part, and of what is behind that. */
static void put_descriptions(void)
{
	const uint32_t starts[] = { EVALUATOR, PART, PART + PART_BYTES };
	const uint32_t sizes[] = { EVALUATOR_BYTES, PART_BYTES, 0x1000 };
	uint32_t table[9] = { 0x3b031b01, 0, 3 }, *row = table + 3;

	for (uint32_t i = 0; i < 3; i++, row += 2) {
		const uint32_t at = ENTRIES + 0x10 * i;
		const uint32_t entry[] = { 0x14, 0x14, starts[i] - (at + 8), sizes[i] };

		memory_put(&memory, at, entry, sizeof(entry));
		row[0] = starts[i] - DESCRIPTIONS;
		row[1] = at - DESCRIPTIONS;
	}
	memory_put(&memory, DESCRIPTIONS, table, sizeof(table));
}

/* An evaluator that jumps nowhere yet. */
static void put_evaluator(uint16_t machine)
{
	static const char *const names[SYMBOLS_MAX] = { "_PyEval_EvalFrameDefault" };
	const Elf64_Phdr p = { .p_type = PT_GNU_EH_FRAME, .p_vaddr = DESCRIPTIONS - IMAGE };
	const Elf64_Sym s = { .st_name = 1,
			      .st_value = EVALUATOR - IMAGE,
			      .st_size = EVALUATOR_BYTES,
			      .st_shndx = 5 };
	Elf64_Ehdr h;

	put_image(0x030e, true);
	put_symbols(names);
	memory_put(&memory, SYMBOLS + sizeof(s), &s, sizeof(s));
	memcpy(&h, memory.bytes, sizeof(h));
	h.e_machine = machine;
	h.e_phnum = 3;
	memory_put(&memory, IMAGE, &h, sizeof(h));
	memory_put(&memory, IMAGE + sizeof(h) + 2 * sizeof(p), &p, sizeof(p));
	put_descriptions();
}

/* Jump number I goes to TO: each kind in turn. */
static void put_jump(uint16_t machine, unsigned i, uint32_t to)
{
	const uint32_t at = EVALUATOR + 0x10 * i, distance = (to - at) / 4;
	const uint32_t aarch64[] = { 0x14000000 | distance, 0x54000000 | distance << 5,
				     0xb5000000 | distance << 5, 0x36000000 | distance << 5 };
	uint8_t x86_64[6] = { 0x0f, 0x84 };
	const size_t head = i % 2 ? 1 : 2;

	if (machine == EM_AARCH64) {
		memory_put(&memory, at, &aarch64[i % 4], sizeof(*aarch64));
		return;
	}
	if (i % 2)
		x86_64[0] = 0xe9;
	to -= at + (uint32_t)head + 4;
	memcpy(x86_64 + head, &to, sizeof(to));
	memory_put(&memory, at, x86_64, head + 4);
}

/* Whether a part is found by COUNT jumps to TO. */
static bool finds_part(uint16_t machine, unsigned count, uint32_t to)
{
	struct python_evaluator e;

	put_evaluator(machine);
	for (unsigned i = 0; i < count; i++)
		put_jump(machine, i, to);
	if (!python_evaluator_find(&e, &reader, IMAGE))
		return false;
	assert_int_equal(e.code.start, EVALUATOR);
	assert_int_equal(e.part.start, PART);
	assert_int_equal(e.part.end, PART + PART_BYTES);
	return true;
}

UNIT_TEST(a_part_of_the_evaluator_is_where_it_jumps_into)
{
	const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		assert_true(finds_part(machines[i], 4, PART + 4));
		assert_true(finds_part(machines[i], 9, PART + PART_BYTES - 4));
		assert_false(finds_part(machines[i], 3, PART + 4)); /* data may look so */
		assert_false(finds_part(machines[i], 9, PART));     /* another function */
		assert_false(finds_part(machines[i], 9, EVALUATOR + 4));
		assert_false(finds_part(machines[i], 9, EVALUATOR + EVALUATOR_BYTES + 4));
	}
	assert_false(finds_part(EM_RISCV, 9, PART + 4));
}

UNIT_TEST(an_evaluator_that_tells_nothing_has_no_part)
{
	struct python_evaluator e;
	Elf64_Sym s = { .st_name = 1, .st_value = EVALUATOR - IMAGE, .st_shndx = 5 };

	assert_true(finds_part(EM_X86_64, 9, PART + 4));
	memory_put(&memory, DESCRIPTIONS, "\1\3", 2); /* another encoding */
	assert_false(python_evaluator_find(&e, &reader, IMAGE));
	put_descriptions();
	memory_word(&memory, ENTRIES + 0x18, 0); /* code elsewhere than the table says */
	assert_false(python_evaluator_find(&e, &reader, IMAGE));
	put_descriptions();
	memory_put(&memory, SYMBOLS + sizeof(s), &s, sizeof(s)); /* of no size */
	assert_false(python_evaluator_find(&e, &reader, IMAGE));
	s.st_size = UINT64_MAX;
	memory_put(&memory, SYMBOLS + sizeof(s), &s, sizeof(s));
	assert_false(python_evaluator_find(&e, &reader, IMAGE));
}

/* Thread TID is number I. */
static void put_thread(unsigned i, uint32_t tid)
{
	const struct python_offsets *o = &runtime.offsets;
	const uint64_t pthread = PTHREADS + i * PTHREAD_STEP;

	memory_word(&memory, THREADS + i * THREAD_STEP + o->thread_id,
		    o->has_pthreads ? pthread : tid);
	memory_put(&memory, pthread + PTHREAD_TID, &tid, sizeof(tid));
}

/* Two threads, 41 and 42, of an interpreter. */
static void put_threads(uint16_t version)
{
	const struct python_offsets *o = &runtime.offsets;

	expect_version(version, true);
	memory_word(&memory, RUNTIME + o->interpreters, INTERPRETER);
	memory_word(&memory, INTERPRETER + o->threads, THREADS);
	put_thread(0, 41);
	put_thread(1, 42);
	memory_word(&memory, THREADS + o->thread_next, THREADS + THREAD_STEP);
}

UNIT_TEST(a_thread_is_found_by_its_number)
{
	for (size_t i = 0; i < python_offset_count; i++) {
		put_threads(python_offsets[i].version);
		assert_int_equal(python_thread(&runtime, &reader, 41), THREADS);
		assert_int_equal(python_thread(&runtime, &reader, 42), THREADS + THREAD_STEP);
		assert_int_equal(python_thread(&runtime, &reader, 43), 0);
	}
}

static uint64_t frame(unsigned i)
{
	return i ? FRAMES + i * FRAME_STEP : 0;
}

/* Frame I was called by frame I + 1, or, when I + 1 is AFTER, by nobody. */
static void put_frame(unsigned i, unsigned after, bool marked)
{
	const struct python_offsets *o = &runtime.offsets;

	memory_word(&memory, frame(i) + o->frame_code, (CODE + i * 8) | o->tag);
	memory_word(&memory, frame(i) + o->frame_previous, i + 1 < after ? frame(i + 1) : 0);
	if (marked)
		memory_put(&memory, frame(i) + o->frame_mark, &o->mark, 1);
}

static void put_cframe(unsigned i, unsigned innermost, bool last)
{
	const struct python_offsets *o = &runtime.offsets;
	const uint64_t at = CFRAMES + i * 0x20u;

	memory_word(&memory, at + o->cframe_frame, frame(innermost));
	memory_word(&memory, at + o->cframe_previous, last ? 0 : at + 0x20);
}

static void expect_level(unsigned i, unsigned innermost, unsigned count)
{
	assert_int_equal(stack.levels[i].count, count);
	for (unsigned f = 0; f < count; f++) {
		const struct python_frame *at = &stack.frames[stack.levels[i].first + f];

		assert_int_equal(at->address, frame(innermost + f));
		assert_int_equal(at->code, CODE + (innermost + f) * 8);
	}
}

/* Frames 1 and 2 in the first entry, 3 in the second; with shims 4 and 5 in their places. */
UNIT_TEST(entries_of_3_11_have_their_frames)
{
	put_threads(0x030b);
	for (unsigned i = 1; i <= 3; i++)
		put_frame(i, 4, i >= 2);
	put_cframe(0, 1, false);
	put_cframe(1, 3, false);
	put_cframe(2, 0, true);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, CFRAMES);
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_OK);
	assert_int_equal(stack.level_count, 2);
	expect_level(0, 1, 2);
	expect_level(1, 3, 1);
	assert_int_equal(stack.levels[0].anchor, CFRAMES);
	assert_int_equal(stack.levels[1].pointer, CFRAMES + 0x20 + runtime.offsets.cframe_frame);
}

UNIT_TEST(entries_of_3_13_have_their_frames)
{
	put_threads(0x030d);
	for (unsigned i = 1; i <= 5; i++)
		put_frame(i, 6, i == 3 || i == 5);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, frame(1));
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_OK);
	assert_int_equal(stack.level_count, 2);
	expect_level(0, 1, 2);
	expect_level(1, 4, 1);
	assert_int_equal(stack.levels[0].anchor, frame(3));
	assert_int_equal(stack.levels[0].pointer, 0);
	assert_int_equal(stack.levels[1].pointer, frame(3) + runtime.offsets.frame_previous);
}

UNIT_TEST(each_frame_of_3_9_is_an_entry)
{
	put_threads(0x0309);
	for (unsigned i = 1; i <= 3; i++)
		put_frame(i, 4, false);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, frame(1));
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_OK);
	assert_int_equal(stack.level_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		expect_level(i, i + 1, 1);
		assert_int_equal(stack.levels[i].anchor, 0);
		assert_int_equal(stack.levels[i].pointer, 0);
	}
}

/* A code object of 3.14 may be there with a mark that it lives for ever. */
UNIT_TEST(entries_of_3_14_have_their_frames)
{
	put_threads(0x030e);
	put_frame(1, 3, false);
	put_frame(2, 3, true);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, frame(1));
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_OK);
	assert_int_equal(stack.level_count, 1);
	expect_level(0, 1, 1);
	assert_int_equal(stack.levels[0].anchor, frame(2));
}

/* Without functions a thread has its own frame. */
UNIT_TEST(a_chain_of_3_15_ends_with_the_own_frame_of_its_thread)
{
	put_threads(0x030f);
	put_frame(1, 4, false);
	put_frame(2, 4, true);
	put_frame(3, 4, true);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, frame(1));
	memory_word(&memory, THREADS + runtime.offsets.thread_base, frame(3));
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_OK);
	assert_int_equal(stack.level_count, 1);
	expect_level(0, 1, 1);
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, frame(3));
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_NONE);
}

UNIT_TEST(a_chain_that_changed_is_none)
{
	put_threads(0x030b);
	put_frame(1, 3, true);
	put_frame(2, 3, true);
	put_cframe(0, 1, false);
	put_cframe(1, 3, true); /* and frame 1 was called by frame 2 */
	memory_word(&memory, THREADS + runtime.offsets.thread_entry, CFRAMES);
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack), PYTHON_CHANGED);
	assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 42, &stack), PYTHON_CHANGED);
	assert_int_equal(python_stack_read(&runtime, &reader, 0, 41, &stack), PYTHON_CHANGED);
}

/* A frame that called itself, a thread behind itself: forged, or read while it changed. */
UNIT_TEST(circles_end)
{
	for (size_t i = 0; i < python_offset_count; i++) {
		const struct python_offsets *o = &runtime.offsets;

		put_threads(python_offsets[i].version);
		put_frame(1, 2, false);
		put_cframe(0, 1, false);
		memory_word(&memory, frame(1) + o->frame_previous, frame(1));
		memory_word(&memory, THREADS + o->thread_entry,
			    o->has_cframes ? CFRAMES : frame(1));
		memory.reads = 0;
		assert_int_equal(python_stack_read(&runtime, &reader, THREADS, 41, &stack),
				 PYTHON_CHANGED);
		assert_true(memory.reads <= 7 + PYTHON_FRAMES);
		memory_word(&memory, THREADS + o->thread_next, THREADS);
		memory_word(&memory, INTERPRETER + o->interpreter_next, INTERPRETER);
		memory.reads = 0;
		assert_int_equal(python_thread(&runtime, &reader, 43), 0);
		assert_true(memory.reads <= 6 * PYTHON_THREADS);
	}
}

static void put_text(uint32_t kind, bool ascii, const void *characters, size_t length)
{
	const struct python_offsets *o = &runtime.offsets;
	uint32_t state = kind * (o->state_kind & -o->state_kind) | o->state_compact |
			 (ascii ? o->state_ascii : 0);

	memory_word(&memory, TEXT + o->text_length, length);
	memory_put(&memory, TEXT + o->text_state, &state, sizeof(state));
	memory_put(&memory, TEXT + o->text_ascii + (ascii ? 0 : o->text_wide), characters,
		   kind * length);
}

UNIT_TEST(texts_become_utf8)
{
	static const uint16_t wide[] = { 'f', 0xfc, 0x20ac };
	static const uint32_t wider[] = { 0x1f40d, 'x' };
	char text[PYTHON_TEXT + 1], many[PYTHON_TEXT + 40];

	put_threads(0x030b);
	put_text(1, true, "fib", 3);
	assert_true(python_text_read(&runtime, &reader, TEXT, text));
	assert_string_equal(text, "fib");
	put_text(1, false, "f\xfc", 2);
	assert_true(python_text_read(&runtime, &reader, TEXT, text));
	assert_string_equal(text, "f\xc3\xbc");
	put_text(2, false, wide, 3);
	assert_true(python_text_read(&runtime, &reader, TEXT, text));
	assert_string_equal(text, "f\xc3\xbc\xe2\x82\xac");
	put_text(4, false, wider, 2);
	assert_true(python_text_read(&runtime, &reader, TEXT, text));
	assert_string_equal(text, "\xf0\x9f\x90\x8dx");
	memset(many, 'a', sizeof(many));
	put_text(1, true, many, sizeof(many));
	assert_true(python_text_read(&runtime, &reader, TEXT, text));
	assert_int_equal(strlen(text), PYTHON_TEXT);
	put_text(3, false, wide, 2);
	assert_false(python_text_read(&runtime, &reader, TEXT, text));
	put_text(1, true, "a\0b", 3);
	assert_false(python_text_read(&runtime, &reader, TEXT, text));
}

UNIT_TEST(code_tells_its_place_and_its_instructions)
{
	const struct python_offsets *o;
	struct python_code code;
	const int32_t line = 12;

	put_threads(0x030c);
	o = &runtime.offsets;
	memory_word(&memory, CODE + o->code_words, 10);
	memory_put(&memory, CODE + o->code_line, &line, sizeof(line));
	memory_word(&memory, CODE + o->code_name, TEXT);
	memory_word(&memory, CODE + o->code_file, TEXT + 64);
	assert_true(python_code_read(&runtime, &reader, CODE, &code));
	assert_int_equal(code.line, 12);
	assert_int_equal(code.start, CODE + o->code_start);
	assert_int_equal(code.end, code.start + 20);
	assert_int_equal(code.name, TEXT);
	assert_int_equal(code.file, TEXT + 64);
	memory_word(&memory, CODE + o->code_words, UINT64_MAX / 2);
	assert_false(python_code_read(&runtime, &reader, CODE, &code));
	assert_false(python_code_read(&runtime, &reader, 0, &code));
}

UNIT_TEST(code_of_3_9_has_its_instructions_in_a_text_of_bytes)
{
	const struct python_offsets *o = &runtime.offsets;
	struct python_code code;

	put_threads(0x0309);
	memory_word(&memory, CODE + o->code_name, TEXT);
	memory_word(&memory, CODE + o->code_file, TEXT + 64);
	memory_word(&memory, CODE + o->code_bytes, TEXT + 128);
	memory_word(&memory, TEXT + 128 + o->code_words, 12);
	assert_true(python_code_read(&runtime, &reader, CODE, &code));
	assert_int_equal(code.start, TEXT + 128 + o->code_start);
	assert_int_equal(code.end, code.start + 12);
	memory_word(&memory, CODE + o->code_bytes, 1);
	assert_false(python_code_read(&runtime, &reader, CODE, &code));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_has_the_levels_of_its_version),
		cmocka_unit_test(each_version_is_found_by_its_exported_symbols),
		cmocka_unit_test(an_unknown_interpreter_is_left_alone),
		cmocka_unit_test(an_interpreter_tells_its_own_figures),
		cmocka_unit_test(names_of_files_tell_who_may_be_python),
		cmocka_unit_test(a_part_of_the_evaluator_is_where_it_jumps_into),
		cmocka_unit_test(an_evaluator_that_tells_nothing_has_no_part),
		cmocka_unit_test(a_thread_is_found_by_its_number),
		cmocka_unit_test(entries_of_3_11_have_their_frames),
		cmocka_unit_test(entries_of_3_13_have_their_frames),
		cmocka_unit_test(each_frame_of_3_9_is_an_entry),
		cmocka_unit_test(entries_of_3_14_have_their_frames),
		cmocka_unit_test(a_chain_of_3_15_ends_with_the_own_frame_of_its_thread),
		cmocka_unit_test(a_chain_that_changed_is_none),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(texts_become_utf8),
		cmocka_unit_test(code_tells_its_place_and_its_instructions),
		cmocka_unit_test(code_of_3_9_has_its_instructions_in_a_text_of_bytes),
	};

	return unit_run(tests);
}
