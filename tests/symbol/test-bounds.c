/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions without a name in programs of this and of other machines: those of a stripped program begin and end where
 * the symbols of the same program say.  Its code is mostly that of a C library, with its assembly.
 */
#include "unit.h"
#include "fixture.h"

#define SHARE_MIN 0.999 /* of all addresses that a symbol covers */
#define STEP 4

static const char program[] =
	"#include <netdb.h>\n"
	"#include <regex.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#include <time.h>\n"
	"#define F(n) __attribute__((noinline)) int own_##n(int a) { if (__builtin_expect(a == n, "
	"0)) \\\n"
	"	{ static volatile int c; for (int i = 0; i < n; i++) c += i; abort(); } return a * "
	"n + 1; }\n"
	"#define T(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) "
	"F(n##9)\n"
	"T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9)\n"
	"static int own_compare(const void *a, const void *b)\n"
	"{ return strcmp(a, b); }\n"
	"int main(int count, char **words)\n"
	"{\n"
	"	regex_t r;\n"
	"	regcomp(&r, words[0], 0);\n"
	"	printf(\"%f %ls %d\", atof(words[0]), L\"x\", own_10(count) + own_99(count));\n"
	"	qsort(words, count, sizeof(*words), own_compare);\n"
	"	getaddrinfo(words[0], 0, 0, 0);\n"
	"	return time(0) & 1;\n"
	"}\n";

static const char *const machines[] = { "", "aarch64-linux-gnu-", "riscv64-linux-gnu-" };

#define MACHINES (sizeof(machines) / sizeof(*machines))

static struct fixture *fixture_of(void **state)
{
	return *state;
}

/* Returns false without a compiler for that machine. */
static bool build(struct fixture *f, const char *machine, const char *flags)
{
	fixture_write(f, "bounds.c", program, sizeof(program) - 1);
	return fixture_run(
		f, "rm -f whole bare; %sgcc -O2 %s -o whole bounds.c && %sstrip -o bare whole",
		machine, flags, machine);
}

static const struct symtab *table_of(struct dso_cache *c, struct fixture *f, const char *name)
{
	struct dso_key key = fixture_key(fixture_path(f, name));
	uint32_t dso = dso_cache_get(c, &key);

	dso_request(c, dso);
	assert_non_null(dso_symtab(c, dso));
	return dso_symtab(c, dso);
}

struct count {
	uint64_t all, equal; /* addresses, and those in a function with the same bounds, */
	uint64_t begin;      /* the same start, */
	uint64_t unknown;    /* or in none */
};

/* Counts an address of S, by the function that the stripped program has there. */
static void compare_address(const struct symtab *bare, struct symbol s, uint64_t address,
			    struct count *n)
{
	const uint32_t number = symtab_find(bare, address);
	struct symbol function;

	n->all++;
	n->unknown += number == SYMBOL_NONE;
	if (number == SYMBOL_NONE)
		return;
	function = symtab_at(bare, number);
	n->begin += function.start == s.start;
	n->equal += function.start == s.start && function.end == s.end;
}

static struct dso_cache *cache_of(struct fixture *f)
{
	return dso_cache_new(&(struct dso_cache_options){
		.synchronous = true, .debug_root = f->directory, .kallsyms = "" });
}

/* OWN: only functions of the program itself, whose names begin with "own_". */
static struct count compare(struct fixture *f, bool own)
{
	struct dso_cache *c = cache_of(f);
	const struct symtab *whole = table_of(c, f, "whole"), *bare = table_of(c, f, "bare");
	struct count n = { 0 };

	for (uint32_t i = 0; i < symtab_count(whole); i++) {
		const struct symbol s = symtab_at(whole, i);

		if (s.named_by != NAMED_BY_SYMTAB || (own && strncmp(s.name, "own_", 4)))
			continue;
		for (uint64_t at = s.start; at < s.end; at += STEP)
			compare_address(bare, s, at, &n);
	}
	dso_cache_free(c);
	return n;
}

static void assert_equal(const char *machine, struct count n)
{
	const double share = n.all ? (double)n.equal / (double)n.all : 0;

	print_message("%s: %llu addresses, %.3f %% equal\n", machine, (unsigned long long)n.all,
		      100 * share);
	assert_true(share >= SHARE_MIN);
}

static bool is_riscv(const char *machine)
{
#ifdef __riscv
	if (!*machine)
		return true;
#endif
	return !strncmp(machine, "riscv64", strlen("riscv64"));
}

/* On riscv64 gcc writes call frame information only where it is told to: a C library there has little. */
static void stripped_functions_have_the_bounds_of_their_symbols(void **state)
{
	struct fixture *f = fixture_of(state);

	for (size_t i = 0; i < MACHINES; i++) {
		const bool own = is_riscv(machines[i]);

		if (!build(f, machines[i], own ? "-fasynchronous-unwind-tables" : "-static"))
			continue;
		assert_equal(machines[i], compare(f, own));
	}
}

/* Returns the share of functions told by calls that begin within one that a symbol names. */
static double false_share(struct fixture *f)
{
	struct dso_cache *c = cache_of(f);
	const struct symtab *whole = table_of(c, f, "whole"), *bare = table_of(c, f, "bare");
	unsigned all = 0, within = 0;

	for (uint32_t i = 0; i < symtab_count(bare); i++) {
		const struct symbol s = symtab_at(bare, i);
		uint32_t number;

		if (s.named_by != NAMED_BY_CALLS)
			continue;
		all++;
		number = symtab_find(whole, s.start);
		within += number != SYMBOL_NONE && symtab_at(whole, number).start != s.start;
	}
	dso_cache_free(c);
	assert_true(all > 500);
	print_message("  %u functions, %u of them false\n", all, within);
	return (double)within / all;
}

/*
 * Code that no call frame information tells of is split where calls lead to.  A function that only pointers and jumps
 * lead to is a part of the one before it: of the C library's string functions most are, since they are chosen at the start.
 */
static void without_it_functions_begin_where_calls_lead_to(void **state)
{
	struct fixture *f = fixture_of(state);

	for (size_t i = 0; i < MACHINES; i++) {
		struct count n;

		if (!build(f, machines[i], "-static") ||
		    !fixture_run(f, "%sobjcopy -R .eh_frame -R .eh_frame_hdr bare", machines[i]))
			continue;
		n = compare(f, false);
		print_message("%s: of %llu addresses %.1f %% with their function's start, %.3f %% "
			      "in none\n",
			      machines[i], (unsigned long long)n.all,
			      100 * (double)n.begin / (double)n.all,
			      100 * (double)n.unknown / (double)n.all);
		assert_true((double)n.begin > 0.5 * (double)n.all);
		assert_true((double)n.unknown < 0.005 * (double)n.all);
		assert_true(false_share(f) < 0.01);
	}
}

/* Each function that the program imports has an entry. */
static void entries_of_other_machines_are_named(void **state)
{
	static const char *const names[] = { "regcomp@plt", "printf@plt", "qsort@plt",
					     "getaddrinfo@plt", "time@plt" };
	static const char *const ways[] = { "-Wl,-z,lazy", "-Wl,-z,now", "-fPIE -pie" };
	struct fixture *f = fixture_of(state);

	for (size_t i = 0; i < MACHINES * 3; i++) {
		struct dso_cache *c = cache_of(f);
		const struct symtab *bare;

		if (build(f, machines[i / 3], ways[i % 3])) {
			bare = table_of(c, f, "bare");
			for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
				if (!fixture_address(bare, names[n]))
					fail_msg("%s%s: no %s", machines[i / 3], ways[i % 3],
						 names[n]);
		}
		dso_cache_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(stripped_functions_have_the_bounds_of_their_symbols),
		FIXTURE_TEST(without_it_functions_begin_where_calls_lead_to),
		FIXTURE_TEST(entries_of_other_machines_are_named),
	};

	if (!fixture_machine_is_known())
		return UNIT_SKIP;
	return unit_run(tests);
}
