/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "fixture.h"

#include <dlfcn.h>

#include "symbol/function.h"

/* Where functions are in files that a compiler made: what is there must be their code. */
static struct fixture *fixture_of(void **state)
{
	return *state;
}

static int look_up(struct fixture *f, const char *file, const char *name, uint64_t *offset,
		   struct error *err)
{
	char debug_root[128];

	snprintf(debug_root, sizeof(debug_root), "%s/debug", f->directory);
	return function_offset(fixture_path(f, file), name, debug_root, offset, err);
}

static uint64_t offset_in(struct fixture *f, const char *file, const char *name)
{
	struct error err;
	uint64_t offset = 0;

	if (look_up(f, file, name, &offset, &err))
		fail_msg("%s", err.text);
	return offset;
}

static void assert_error(struct fixture *f, const char *file, const char *name,
			 const char *expected)
{
	struct error err;
	uint64_t offset;

	assert_int_equal(look_up(f, file, name, &offset, &err), -1);
	if (!strstr(err.text, expected))
		fail_msg("'%s' is not in '%s'", expected, err.text);
}

/* The code of hot_function is the same wherever it lies; nothing else in the file is like it. */
static bool same_code(struct fixture *f, const char *one, uint64_t one_at, const char *other,
		      uint64_t other_at)
{
	size_t one_size, other_size;
	char *a = fixture_read(f, one, &one_size), *b = fixture_read(f, other, &other_size);
	bool same = one_at + 4 <= one_size && other_at + 4 <= other_size &&
		    !memcmp(a + one_at, b + other_at, 4);

	free(a);
	free(b);
	return same;
}

static void each_kind_of_file(void **state)
{
	static const char *const flags[] = { "-no-pie", "-fPIE -pie",
					     "-no-pie -Wl,-Ttext-segment=0x70000000",
					     "-fPIE -pie -Wl,-z,noseparate-code" };
	struct fixture *f = fixture_of(state);
	uint64_t first;

	assert_true(fixture_compile(f, "first", "-no-pie"));
	first = offset_in(f, "first", "hot_function");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		assert_true(fixture_compile(f, "program", flags[i]));
		assert_true(same_code(f, "first", first, "program",
				      offset_in(f, "program", "hot_function")));
		assert_int_equal(offset_in(f, "program", "weak_alias_of_it"),
				 offset_in(f, "program", "hot_function"));
		assert_int_not_equal(offset_in(f, "program", "local_function"),
				     offset_in(f, "program", "hot_function"));
	}
}

static void stripped_files(void **state)
{
	struct fixture *f = fixture_of(state);
	uint64_t whole;

	assert_true(fixture_compile(f, "whole", "-fPIC -shared"));
	whole = offset_in(f, "whole", "hot_function");
	assert_true(fixture_run(f, "strip -o bare whole"));
	assert_int_equal(offset_in(f, "bare", "hot_function"), whole); /* .dynsym */
	assert_error(f, "bare", "local_function", "no function local_function");
	assert_true(fixture_run(f, "id=$(readelf -n whole | sed -n 's/.*Build ID: //p');"
				   "d=debug/.build-id/$(echo $id | cut -c1-2); mkdir -p $d;"
				   "objcopy --only-keep-debug whole "
				   "$d/$(echo $id | cut -c3-).debug"));
	assert_int_equal(offset_in(f, "bare", "local_function"),
			 offset_in(f, "whole", "local_function"));
}

/* Whose names may have versions. */
UNIT_TEST(a_library)
{
	const char *libc = NULL;
	struct error err;
	uint64_t offset;
	Dl_info info;

	if (dladdr(dlsym(RTLD_DEFAULT, "printf"), &info))
		libc = info.dli_fname;
	if (!libc || libc[0] != '/')
		skip();
	assert_int_equal(function_offset(libc, "printf", NULL, &offset, &err), 0);
	assert_int_equal(function_offset(libc, "print", NULL, &offset, &err), -1);
}

static void mistakes(void **state)
{
	struct fixture *f = fixture_of(state);

	assert_true(fixture_compile(f, "program", ""));
	assert_error(f, "program", "hot_functoin", "did you mean hot_function?");
	assert_error(f, "program", "data_object", "no function data_object");
	assert_error(f, "program", "atoi", "no function atoi"); /* of a library */
	assert_error(f, "program", "zzzzzzzzzzzzzzz", "no debug file");
	assert_error(f, "nothing", "main", "No such file");
	assert_error(f, "program.c", "main", "is no ELF file");
	assert_error(f, ".", "main", "cannot open");
}

/* Cut anywhere, it is an error or a place in the file. */
static void truncated_files(void **state)
{
	struct fixture *f = fixture_of(state);
	size_t size;
	char *bytes;

	assert_true(fixture_compile(f, "program", "-s -rdynamic"));
	bytes = fixture_read(f, "program", &size);
	for (size_t cut = 0; cut < size; cut += 97) {
		struct error err;
		uint64_t offset;

		fixture_write(f, "cut", bytes, cut);
		if (!look_up(f, "cut", "hot_function", &offset, &err))
			assert_true(offset < cut);
	}
	free(bytes);
}

int main(void)
{
	struct fixture f;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(each_kind_of_file, &f),
		cmocka_unit_test_prestate(stripped_files, &f),
		cmocka_unit_test(a_library),
		cmocka_unit_test_prestate(mistakes, &f),
		cmocka_unit_test_prestate(truncated_files, &f),
	};
	int status;

	if (!fixture_init(&f)) {
		puts("skipped: no compiler or no binutils");
		return UNIT_SKIP;
	}
	status = unit_run(tests);
	fixture_fini(&f);
	return status;
}
