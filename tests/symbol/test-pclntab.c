/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "fixture.h"

#include <fcntl.h>

#include "symbol/pclntab.h"

/*
 * Tables of each form with main.main at 0x401000, main.hot at 0x401040, runtime.goexit at 0x4010a0 up
 * to 0x4010c0: the seeds of fuzz-pclntab.
 */
static const struct {
	const char *name;
	bool big;
} seeds[] = {
	{ "go1.2-64", false },  { "go1.2-32-big", true }, { "go1.16-64", false },
	{ "go1.16-32", false }, { "go1.18-64", false },   { "go1.20-64-big", true },
	{ "go1.20-32", false },
};

#define BYTES_MAX 4096

static size_t read_seed(const char *name, unsigned char bytes[BYTES_MAX])
{
	const char *source = getenv("abs_srcdir");
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/tests/corpus/pclntab/%s", source ? source : ".", name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	n = read(fd, bytes, BYTES_MAX);
	close(fd);
	assert_true(n > 0);
	return (size_t)n;
}

static struct pclntab_bytes table_of(const unsigned char *bytes, size_t size, bool big)
{
	return (struct pclntab_bytes){ bytes, size, big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
				       0x401000, NULL };
}

UNIT_TEST(every_form_is_read)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		unsigned char bytes[BYTES_MAX];
		struct pclntab_bytes table =
			table_of(bytes, read_seed(seeds[i].name, bytes), seeds[i].big);
		struct symtab_builder *b = symtab_builder_new();
		struct symtab *t;

		assert_int_equal(pclntab_parse(b, &table), 3);
		t = symtab_builder_finish(b);
		assert_string_equal(fixture_find(t, 0x400fff), "-");
		assert_string_equal(fixture_find(t, 0x40103f), "main.main");
		assert_string_equal(fixture_find(t, 0x401040), "main.hot");
		assert_string_equal(fixture_find(t, 0x4010bf), "runtime.goexit");
		assert_string_equal(fixture_find(t, 0x4010c0), "-");
		symtab_free(t);
	}
}

/* Newer Go leaves it out, and in a position-independent program it is not known yet. */
UNIT_TEST(code_starts_at_the_section_when_the_table_does_not_say)
{
	unsigned char bytes[BYTES_MAX];
	struct pclntab_bytes table = table_of(bytes, read_seed("go1.18-64", bytes), false);
	struct symtab_builder *b = symtab_builder_new();
	struct symtab *t;

	memset(bytes + 8 + 2 * 8, 0, 8);
	table.text = 0x7000;
	assert_int_equal(pclntab_parse(b, &table), 3);
	t = symtab_builder_finish(b);
	assert_string_equal(fixture_find(t, 0x7040), "main.hot");
	symtab_free(t);
}

static const char program[] =
	"package main\n"
	"//go:noinline\n"
	"func hot_go(n int) int { x := 1; for i := 0; i < n; i++ { x = x*31 + i }; return x }\n"
	"func main() { println(hot_go(100)) }\n";

static struct dso_description load(struct dso_cache *c, struct fixture *f, const char *name,
				   uint32_t *dso)
{
	struct dso_key key = fixture_key(fixture_path(f, name));
	struct dso_description d;

	*dso = dso_cache_get(c, &key);
	dso_request(c, *dso);
	dso_describe(c, *dso, &d);
	assert_int_equal(d.state, DSO_READY);
	return d;
}

/* The table tells of each function what the symbol table told before it was stripped. */
UNIT_TEST(a_stripped_program_has_its_functions)
{
	struct dso_cache *c =
		dso_cache_new(&(struct dso_cache_options){ .synchronous = true, .kallsyms = "" });
	struct fixture f;
	struct dso_description d;
	uint32_t whole, stripped;
	uint64_t address;

	if (!fixture_init(&f)) {
		dso_cache_free(c);
		skip();
	}
	fixture_write(&f, "hot.go", program, sizeof(program) - 1);
	if (!fixture_run(
		    &f,
		    "env HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off go build -o whole hot.go")) {
		fixture_fini(&f);
		dso_cache_free(c);
		skip();
	}
	assert_true(fixture_run(&f, "strip -o stripped whole"));
	d = load(c, &f, "whole", &whole);
	assert_string_equal(d.source, ".symtab");
	d = load(c, &f, "stripped", &stripped);
	assert_string_equal(d.source, ".gopclntab");
	assert_string_equal(d.missing, "");
	assert_true(d.symbols > 1000);
	address = fixture_address(dso_symtab(c, whole), "main.hot_go");
	assert_int_not_equal(address, 0);
	assert_int_equal(fixture_address(dso_symtab(c, stripped), "main.hot_go"), address);
	address = fixture_address(dso_symtab(c, whole), "runtime.mallocgc");
	assert_string_equal(fixture_find(dso_symtab(c, stripped), address + 5), "runtime.mallocgc");
	fixture_run(&f, "chmod -R u+w cache");
	fixture_fini(&f);
	dso_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(code_starts_at_the_section_when_the_table_does_not_say),
		cmocka_unit_test(a_stripped_program_has_its_functions),
	};

	return unit_run(tests);
}
