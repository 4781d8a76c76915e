/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "fixture.h"

#include <elf.h>
#include <poll.h>

#include "app/jobs.h"
#include "symbol/lines.h"
#include "worker/zygote.h"

#define DEADLINE_MS 30000
#define ADDRESSES_MAX 512

/* So that inner() of C++ is a type's, which may be in a unit of its own. */
static const char prelude[] = "#ifdef __cplusplus\n"
			      "#define LOCAL struct box { int size;\n"
			      "#define END };\n"
			      "#define IN_BOX box().\n"
			      "#define GLOBAL extern \"C\"\n"
			      "#else\n"
			      "#define LOCAL static\n"
			      "#define END\n"
			      "#define IN_BOX\n"
			      "#define GLOBAL\n"
			      "#endif\n";

/* The numbers in the comments are those of the lines. */
static const char source[] =
	"volatile int sink;\n"                                              /* 1 */
	"LOCAL inline __attribute__((always_inline)) void inner(int x)\n"   /* 2 */
	"{\n"                                                               /* 3 */
	"	sink = x * 7;\n"                                            /* 4 */
	"} END\n"                                                           /* 5 */
	"static inline __attribute__((always_inline)) void middle(int x)\n" /* 6 */
	"{\n"                                                               /* 7 */
	"	IN_BOX inner(x + 1);\n"                                     /* 8 */
	"}\n"                                                               /* 9 */
	"GLOBAL __attribute__((noinline, used)) void outer(int x)\n"        /* 10 */
	"{\n"                                                               /* 11 */
	"	sink = x;\n"                                                /* 12 */
	"	middle(x);\n"                                               /* 13 */
	"}\n"                                                               /* 14 */
	"__asm__(\".globl bytes\\n.type bytes, @function\\nbytes:\\n\"\n"   /* 15 */
	"	\".ascii \\\"twelve bytes\\\"\\n.size bytes, 12\\n\");\n"   /* 16 */
	"int main(void)\n"                                                  /* 17 */
	"{\n"                                                               /* 18 */
	"	outer(3);\n"                                                /* 19 */
	"	return 0;\n"                                                /* 20 */
	"}\n";

/* Its workers read the files; NULL: this process does. */
static struct zygote *zygote;

static struct fixture *fixture_of(void **state)
{
	return *state;
}

static const char *const compilers[] = { "${CC:-cc}", "clang" };

static bool compile_with(struct fixture *f, const char *compiler, const char *flags)
{
	fixture_write(f, "prelude.h", prelude, sizeof(prelude) - 1);
	fixture_write(f, "lines.c", source, sizeof(source) - 1);
	return fixture_run(f, "%s -O2 -include prelude.h -Wl,--build-id %s -o lines lines.c",
			   compiler, flags);
}

static bool compile(struct fixture *f, const char *flags)
{
	return compile_with(f, compilers[0], flags);
}

/* Where a function is, by the symbol table of the file as it was before anything was split off. */
static struct symbol where(struct fixture *f, const char *name)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	struct dso_key key = fixture_key(fixture_path(f, "lines"));
	uint32_t dso = dso_cache_get(c, &key);
	const struct symtab *t;
	struct symbol s;

	dso_request(c, dso);
	t = dso_symtab(c, dso);
	assert_non_null(t);
	s = symtab_at(t, symtab_find(t, fixture_address(t, name)));
	s.name = s.module = NULL;
	dso_cache_free(c);
	return s;
}

static struct lines_answer *wait_for(struct lines *l)
{
	struct pollfd fd = { .fd = lines_fd(l), .events = POLLIN };
	struct lines_answer *a;

	while (!(a = lines_take(l)))
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	return a;
}

/* The answer for every byte of the function. */
static struct lines_answer *ask_all(struct lines *l, struct fixture *f, struct symbol function)
{
	uint64_t addresses[ADDRESSES_MAX], id;
	struct lines_request r = { .key = fixture_key(fixture_path(f, "lines")),
				   .addresses = addresses };
	struct lines_answer *a;

	for (uint64_t at = function.start; at < function.end; at++)
		addresses[r.address_count++] = at;
	id = lines_ask(l, &r);
	a = wait_for(l);
	assert_int_equal(a->id, id);
	assert_int_equal(a->place_count, function.end - function.start);
	return a;
}

/* Names of C or of C++. */
static bool is_named(const char *function, const char *name)
{
	return !strcmp(function + (strncmp(function, "box::", 5) ? 0 : 5), name);
}

static bool frame_is(const struct srcline_frame *f, const char *function, uint32_t line,
		     bool inlined)
{
	const char *file = f->file ? strrchr(f->file, '/') : NULL;

	file = file ? file + 1 : f->file;
	return f->function && is_named(f->function, function) && file && !strcmp(file, "lines.c") &&
	       f->line == line && f->inlined == inlined;
}

static bool is_declared(const struct srcline_frame *f, uint32_t line)
{
	const char *file = f->declared_in ? strrchr(f->declared_in, '/') : NULL;

	return file && !strcmp(file, "/lines.c") && f->declared_at == line;
}

static bool is_inlined_place(const struct lines_place *p)
{
	return p->frame_count == 3 && frame_is(&p->frames[0], "inner", 4, true) &&
	       is_declared(&p->frames[0], 2) && is_declared(&p->frames[1], 6) &&
	       is_declared(&p->frames[2], 10) && frame_is(&p->frames[1], "middle", 8, true) &&
	       frame_is(&p->frames[2], "outer", 13, false);
}

static bool is_plain_place(const struct lines_place *p)
{
	return p->frame_count == 1 && frame_is(&p->frames[0], "outer", 12, false);
}

static void assert_places(const struct lines_answer *a)
{
	size_t inlined = 0, plain = 0;

	assert_true(a->has_lines);
	assert_string_equal(a->missing, "");
	for (size_t i = 0; i < a->place_count; i++) {
		const struct lines_place *p = &a->places[i];

		inlined += is_inlined_place(p);
		plain += is_plain_place(p);
		assert_true(p->frame_count >= 1);
		assert_string_equal(p->frames[p->frame_count - 1].function, "outer");
		assert_false(p->frames[p->frame_count - 1].inlined);
	}
	assert_true(inlined > 0);
	assert_true(plain > 0);
}

static const struct {
	const char *flags;
	bool maybe; /* not all compilers can do that */
} ways[] = {
	{ "-gdwarf-4", false },
	{ "-gdwarf-5", false },
	{ "-gdwarf-5 -fPIE -pie", false },
	{ "-gdwarf-5 -no-pie", false },
	{ "-g -gz=zlib", true },
	{ "-g -gz=zlib-gnu", true },
	{ "-gdwarf-4 -gsplit-dwarf", true },
	{ "-gdwarf-5 -gsplit-dwarf", true },
	{ "-gdwarf-5 -gsplit-dwarf -ffunction-sections", true },
	{ "-gdwarf-4 -gsplit-dwarf -gz=zlib", true },
	{ "-g -flto", true },
	{ "-gdwarf-4 -gdwarf64", true },
	{ "-gdwarf-5 -gdwarf64", true },
	{ "-gdwarf-4 -gdwarf64 -gsplit-dwarf", true },
	{ "-gdwarf-5 -gdwarf64 -gsplit-dwarf", true },
	{ "-x c++ -gdwarf-4 -fdebug-types-section", true },
	{ "-x c++ -gdwarf-5 -fdebug-types-section", true },
	{ "-x c++ -gdwarf-4 -fdebug-types-section -gsplit-dwarf", true },
	{ "-x c++ -gdwarf-5 -fdebug-types-section -gsplit-dwarf", true },
	{ "-x c++ -gdwarf-4 -fdebug-types-section -gdwarf64 -gsplit-dwarf", true },
	{ "-x c++ -gdwarf-5 -fdebug-types-section -gdwarf64 -gsplit-dwarf", true },
};

static void every_frame_is_told(void **state)
{
	struct fixture *f = fixture_of(state);
	const size_t count = sizeof(ways) / sizeof(*ways);

	for (size_t i = 0; i < count * 2; i++) {
		struct lines *l = lines_new(
			&(struct lines_options){ .zygote = zygote, .synchronous = i & 1 });
		struct lines_answer *a;

		if (compile_with(f, compilers[i / count], ways[i % count].flags)) {
			print_message("%s %s\n", compilers[i / count], ways[i % count].flags);
			a = ask_all(l, f, where(f, "outer"));
			assert_places(a);
			lines_answer_free(a);
		} else {
			assert_true(ways[i % count].maybe || i >= count);
		}
		lines_free(l);
	}
}

/* False where the compiler leaves no unit in a file of its own. */
static bool compile_split(struct fixture *f, const char *flags)
{
	return fixture_run(f, "rm -f *.dwo *.dwp") && compile(f, flags) &&
	       fixture_run(f, "test -f *.dwo");
}

static const char *const split_ways[] = { "-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf" };

/* MISSING: what is said to be; NULL: nothing is, and all functions are known. */
static void assert_answer(struct fixture *f, struct symbol outer, const char *missing)
{
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_answer *a = ask_all(l, f, outer);
	size_t named = 0;

	if (!missing)
		assert_places(a);
	else if (!strstr(a->missing, missing))
		fail_msg("'%s' is not said: '%s'", missing, a->missing);
	assert_true(a->has_lines);
	for (size_t i = 0; i < a->place_count; i++)
		named += a->places[i].frame_count && a->places[i].frames->function;
	assert_int_equal(named, missing ? 0 : a->place_count);
	lines_answer_free(a);
	lines_free(l);
}

/* The program stays as it is; what the compiler writes beside it is of another source. */
static bool compile_another(struct fixture *f, const char *flags)
{
	return fixture_run(f,
			   "cp lines first && sed -i '1iint another;' lines.c && "
			   "${CC:-cc} -O2 -include prelude.h -Wl,--build-id %s -o lines lines.c && "
			   "mv first lines",
			   flags);
}

/* Without its file a skeleton has lines, but no functions; another compilation's file is not its. */
static void split_units_are_found(void **state)
{
	struct fixture *f = fixture_of(state);
	size_t done = 0;

	for (size_t i = 0; i < sizeof(split_ways) / sizeof(*split_ways); i++) {
		struct symbol outer;

		if (!compile_split(f, split_ways[i]))
			continue;
		outer = where(f, "outer");
		assert_true(fixture_run(f, "mkdir -p away && mv *.dwo away/kept"));
		assert_answer(f, outer, "debug information not found: /");
		assert_true(fixture_run(f, "mkfifo $(strings lines | grep '[.]dwo$')"));
		assert_answer(f, outer, "debug information not found: /");
		assert_true(fixture_run(f, "rm *.dwo") && compile_another(f, split_ways[i]));
		assert_answer(f, outer, "debug information of another build: /");
		done++;
	}
	if (!done)
		skip();
}

/*
 * All units of a program in one file: a second one makes the first one's parts begin somewhere.  Not
 * every maker of packages can read what every compiler writes: some never end.
 */
static void packages_are_read(void **state)
{
	static const char other[] = "int other(int x) { return x * 3; }\n";
	static const struct {
		const char *compiler, *flags, *packer;
	} rows[] = {
		{ "${CC:-cc}", "-gdwarf-4", "dwp" },
		{ "clang", "-gdwarf-4", "llvm-dwp" },
		{ "clang", "-gdwarf-5", "llvm-dwp" },
		{ "clang", "-gdwarf-4 -gdwarf64", "llvm-dwp" },
		{ "clang", "-gdwarf-5 -gdwarf64", "llvm-dwp" },
		{ "${CC:-cc}", "-x c++ -gdwarf-4 -fdebug-types-section", "dwp" },
		{ "clang", "-x c++ -gdwarf-4 -fdebug-types-section", "llvm-dwp" },
		{ "clang", "-x c++ -gdwarf-5 -fdebug-types-section", "llvm-dwp" },
	};
	struct fixture *f = fixture_of(state);
	size_t done = 0;

	fixture_write(f, "other.c", other, sizeof(other) - 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fixture_write(f, "lines.c", source, sizeof(source) - 1);
		if (!fixture_run(
			    f,
			    "rm -f *.dwo *.dwp; %s -O2 -include prelude.h -Wl,--build-id %s "
			    "-gsplit-dwarf -c other.c lines.c && %s -o lines other.o lines.o && "
			    "timeout 20 %s -e lines -o lines.dwp && rm *.dwo",
			    rows[i].compiler, rows[i].flags, rows[i].compiler, rows[i].packer))
			continue;
		print_message("%s %s, %s\n", rows[i].compiler, rows[i].flags, rows[i].packer);
		assert_answer(f, where(f, "outer"), NULL);
		assert_true(fixture_run(
			f,
			"sed -i '1iint another;' lines.c && %s -O2 -include prelude.h "
			"-Wl,--build-id %s -gsplit-dwarf -o lines other.c lines.c && rm *.dwo",
			rows[i].compiler, rows[i].flags));
		assert_answer(f, where(f, "outer"), "of another build");
		done++;
	}
	if (!done)
		skip();
}

static void debug_files_are_found(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_answer *a;
	struct symbol outer;

	assert_true(compile(f, "-g"));
	outer = where(f, "outer");
	assert_true(fixture_run(f, "objcopy --only-keep-debug lines lines.debug && "
				   "objcopy -g -x --add-gnu-debuglink=lines.debug lines"));
	a = ask_all(l, f, outer);
	assert_places(a);
	lines_answer_free(a);
	lines_free(l);
}

/*
 * dwz(1) moves what programs have in common into a file of its own, as in a distribution's debug
 * files.  That file is never loaded, and so has sections alone.
 */
static void shared_files_are_read(void **state)
{
	struct fixture *f = fixture_of(state);
	static const char *const names[] = { "shared", "$PWD/shared" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct symbol outer;

		assert_true(compile(f, "-gdwarf-4"));
		outer = where(f, "outer");
		if (!fixture_run(
			    f,
			    "cp lines second && dwz -m shared -M %s lines second && test -s shared",
			    names[i]))
			skip();
		assert_answer(f, outer, NULL);
	}
}

/* Names of C++, Rust (both ways) and D, as in symbols. */
static void names_are_demangled(void **state)
{
	static const char text[] =
		"volatile int sink;\n"
		"extern \"C\" {\n"
		"#define IN(name, label) inline __attribute__((always_inline)) void name(int) \\\n"
		"	__asm__(label); inline __attribute__((always_inline)) void name(int x)\n"
		"IN(v0, \"_RNvCs1234_7mycrate3foo\") { sink = x; }\n"
		"IN(legacy, \"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE\") { v0(x + 1); }\n"
		"IN(d, \"_D4work3hotFiZv\") { legacy(x * 2); }\n"
		"IN(cc, \"_ZN4work5mixerIlE4stepEl\") { d(x + 3); }\n"
		"__attribute__((noinline, used)) void outer(int x) { cc(x); }\n"
		"}\n"
		"int main() { outer(3); }\n";
	static const char *const names[] = { "mycrate::foo", "core::fmt::Write::write_fmt",
					     "work.hot(int)", "work::mixer<long>::step", "outer" };
	struct fixture *f = fixture_of(state);
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_answer *a;
	size_t whole = 0;

	fixture_write(f, "names.cc", text, sizeof(text) - 1);
	if (!fixture_run(f, "${CXX:-c++} -O2 -g -Wl,--build-id -o lines names.cc"))
		skip();
	a = ask_all(l, f, where(f, "outer"));
	for (size_t i = 0; i < a->place_count; i++) {
		const struct lines_place *p = &a->places[i];

		if (p->frame_count != sizeof(names) / sizeof(*names))
			continue;
		for (size_t n = 0; n < p->frame_count; n++)
			assert_string_equal(p->frames[n].function, names[n]);
		whole++;
	}
	assert_true(whole > 0);
	lines_answer_free(a);
	lines_free(l);
}

/* The offset of a byte of the function in the file, by bytes that are beside it. */
static uint64_t offset_of(struct fixture *f, struct symbol function, size_t *size)
{
	char *bytes = fixture_read(f, "lines", size);
	const char *found = memmem(bytes, *size, "twelve bytes", 12);
	uint64_t offset;

	assert_non_null(found);
	offset = found - bytes + (function.start - where(f, "bytes").start);
	free(bytes);
	return offset;
}

static void offsets_are_addresses_too(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_request r = { .address_count = 2, .offsets = true };
	struct lines_answer *a;
	uint64_t offsets[2];
	size_t size;

	assert_true(compile(f, "-g -no-pie"));
	offsets[0] = offset_of(f, where(f, "outer"), &size);
	offsets[1] = size;
	r.key = fixture_key(fixture_path(f, "lines"));
	r.addresses = offsets;
	lines_ask(l, &r);
	a = lines_take(l);
	assert_int_equal(a->place_count, 2);
	assert_int_equal(a->places[0].address, offsets[0]);
	assert_int_equal(a->places[0].frame_count, 1);
	assert_string_equal(a->places[0].frames[0].function, "outer");
	assert_int_equal(a->places[1].frame_count, 0);
	lines_answer_free(a);
	lines_free(l);
}

static void code_is_read(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l = lines_new(&(struct lines_options){ .zygote = zygote });
	struct lines_request r = { 0 };
	struct symbol bytes;
	struct lines_answer *a;

	for (int stripped = 0; stripped < 2; stripped++) {
		assert_true(compile(f, "-g"));
		bytes = where(f, "bytes");
		assert_true(!stripped || fixture_run(f, "strip lines"));
		r.key = fixture_key(fixture_path(f, "lines"));
		r.code_start = bytes.start;
		r.code_size = bytes.end - bytes.start;
		lines_ask(l, &r);
		a = wait_for(l);
		assert_int_equal(a->code_size, 12);
		assert_memory_equal(a->code, "twelve bytes", 12);
		assert_int_not_equal(a->machine, EM_NONE);
		assert_int_equal(a->has_lines, !stripped);
		lines_answer_free(a);
	}
	r.code_start = 1ull << 60;
	r.code_size = UINT64_MAX;
	lines_ask(l, &r);
	a = wait_for(l);
	assert_int_equal(a->code_size, 0);
	lines_answer_free(a);
	lines_free(l);
}

static struct lines_answer *ask_instructions(struct lines *l, struct fixture *f,
					     struct symbol function)
{
	const struct lines_request r = { .key = fixture_key(fixture_path(f, "lines")),
					 .code_start = function.start,
					 .code_size = function.end - function.start,
					 .instructions = true };

	lines_ask(l, &r);
	return wait_for(l);
}

/* Their places are those of the instructions, with the text of the lines. */
static void instructions_have_lines(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l = lines_new(&(struct lines_options){ .zygote = zygote });
	struct symbol outer;
	struct lines_answer *a;
	size_t inlined = 0;

	assert_true(compile(f, "-g"));
	outer = where(f, "outer");
	a = ask_instructions(l, f, outer);
	if (!a->instruction_count) {
		assert_string_not_equal(a->no_code, ""); /* built without capstone */
		lines_answer_free(a);
		lines_free(l);
		skip();
	}
	assert_places(a);
	assert_string_equal(a->no_code, "");
	assert_int_equal(a->place_count, a->instruction_count);
	assert_int_equal(a->instructions[0].address, outer.start);
	for (size_t i = 0; i < a->place_count; i++) {
		assert_int_equal(a->places[i].address, a->instructions[i].address);
		assert_true(a->places[i].text || a->places[i].frames->line == 0);
		inlined += a->places[i].text && !strcmp(a->places[i].text, "\tsink = x * 7;");
	}
	assert_true(inlined > 0);
	lines_answer_free(a);
	lines_free(l);
}

/* Another program has its path now: nothing of that is told. */
static void changed_files_are_left_alone(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_request r = { .instructions = true };
	struct symbol outer;
	struct lines_answer *a;

	assert_true(compile(f, "-g"));
	outer = where(f, "outer");
	r.key = fixture_key(fixture_path(f, "lines"));
	r.key.build_id = build_id_of("another program's id", 20);
	r.code_start = outer.start;
	r.code_size = outer.end - outer.start;
	lines_ask(l, &r);
	a = lines_take(l);
	assert_int_equal(a->code_size, 0);
	assert_int_equal(a->instruction_count, 0);
	assert_non_null(strstr(a->no_code, "lines"));
	lines_answer_free(a);
	lines_free(l);
}

static void what_is_missing_is_said(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l =
		lines_new(&(struct lines_options){ .zygote = zygote, .synchronous = true });
	struct lines_answer *a;
	struct symbol outer;

	assert_true(compile(f, ""));
	outer = where(f, "outer");
	assert_true(fixture_run(f, "strip lines"));
	a = ask_all(l, f, outer);
	assert_false(a->has_lines);
	assert_non_null(strstr(a->missing, "debug"));
	assert_int_equal(a->places[0].frame_count, 0);
	lines_answer_free(a);
	lines_free(l);
}

/* With room for nothing, the second object closes the first one's information. */
static void memory_is_bounded(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l = lines_new(
		&(struct lines_options){ .zygote = zygote, .synchronous = true, .bytes_max = 1 });
	struct lines_answer *a;
	size_t files = 0;

	for (int i = 0; i < 3; i++) {
		assert_true(fixture_run(f, "rm -f kept; ln lines kept"));
		assert_true(compile(f, i & 1 ? "-g" : "-g -no-pie"));
		a = ask_all(l, f, where(f, "outer"));
		assert_places(a);
		lines_answer_free(a);
		assert_int_equal(unit_open_files(), files ? files : unit_open_files());
		files = unit_open_files();
	}
	lines_free(l);
}

static void it_ends_with_requests_open(void **state)
{
	struct fixture *f = fixture_of(state);
	struct lines *l = lines_new(&(struct lines_options){ .zygote = zygote });
	uint64_t address = 0;
	struct lines_request r = { .addresses = &address, .address_count = 1 };
	char *path;

	assert_true(compile(f, "-g"));
	path = strdup(fixture_path(f, "lines"));
	r.key = fixture_key(path);
	for (int i = 0; i < 100; i++)
		assert_int_equal(lines_ask(l, &r), i + 1);
	lines_free(l);
	free(path);
}

int main(void)
{
	struct fixture f;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(every_frame_is_told, &f),
		cmocka_unit_test_prestate(split_units_are_found, &f),
		cmocka_unit_test_prestate(packages_are_read, &f),
		cmocka_unit_test_prestate(debug_files_are_found, &f),
		cmocka_unit_test_prestate(shared_files_are_read, &f),
		cmocka_unit_test_prestate(names_are_demangled, &f),
		cmocka_unit_test_prestate(offsets_are_addresses_too, &f),
		cmocka_unit_test_prestate(code_is_read, &f),
		cmocka_unit_test_prestate(instructions_have_lines, &f),
		cmocka_unit_test_prestate(changed_files_are_left_alone, &f),
		cmocka_unit_test_prestate(what_is_missing_is_said, &f),
		cmocka_unit_test_prestate(memory_is_bounded, &f),
		cmocka_unit_test_prestate(it_ends_with_requests_open, &f),
	};
	int result;

	if (!fixture_init(&f)) {
		puts("skipped: needs a C compiler and strip");
		return UNIT_SKIP;
	}
	/* First, as main() does it: no library has been used yet. */
	zygote = unit_under_valgrind() ? NULL : zygote_start(app_jobs, app_job_count);
	result = zygote ? unit_run(tests) : EXIT_SUCCESS;
	zygote_free(zygote);
	zygote = NULL;
	puts("and by this process:");
	if (!result)
		result = unit_run(tests);
	fixture_fini(&f);
	return result;
}
