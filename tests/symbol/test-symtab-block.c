/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table in a block equals the table it was made of, and no change of a block is believed that could
 * lead outside of it.
 */
#include "unit.h"
#include "fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/symtab-block.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* Walks over all that a reader may ask for; returns a sum, so that nothing is left out. */
static uint64_t walk(const struct symtab *t)
{
	uint64_t sum = 0, address = 0;

	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		sum = sum * 31 + s.start + s.end + strlen(s.name);
		sum += symtab_find(t, s.start) + symtab_find(t, s.end) * 3;
	}
	for (uint64_t offset = 0; offset < 64 * 4096; offset += 1024)
		if (symtab_address_of_offset(t, offset, &address))
			sum += address;
	return sum;
}

static struct symtab *load(const char *path)
{
	struct load l = { .key = fixture_key(path),
			  .proc_root = "/proc",
			  .debug_root = "/nonexistent" };
	struct symtab *t = load_run(&l);

	load_fini(&l);
	return t;
}

static void expect_equal(const struct symtab *a, const struct symtab *b)
{
	assert_int_equal(symtab_count(a), symtab_count(b));
	assert_true(symtab_fingerprint(a) == symtab_fingerprint(b));
	assert_true(symtab_dropped(a) == symtab_dropped(b));
	for (uint32_t i = 0; i < symtab_count(a); i++)
		assert_string_equal(symtab_at(a, i).name, symtab_at(b, i).name);
	for (uint32_t i = 0; i < symtab_count(a); i++)
		assert_int_equal(symtab_at(a, i).named_by, symtab_at(b, i).named_by);
	assert_true(walk(a) == walk(b));
}

static void expect_round_trip(struct symtab *t)
{
	int fd = symtab_block_write(t);
	struct symtab *copy;

	assert_true(fd >= 0);
	copy = symtab_block_open(fd);
	close(fd);
	assert_non_null(copy);
	expect_equal(t, copy);
	assert_true(symtab_bytes(copy) > symtab_count(copy) * 16);
	symtab_free(copy);
	symtab_free(t);
}

UNIT_TEST(an_empty_table_survives)
{
	expect_round_trip(symtab_builder_finish(symtab_builder_new()));
}

UNIT_TEST(the_symbols_of_programs_survive)
{
	static const char *const paths[] = { "/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",
					     "/usr/lib/go/bin/go",
					     "/usr/lib/go/pkg/tool/linux_amd64/link" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char *path = realpath(paths[i], NULL);
		struct symtab *t = path ? load(path) : NULL;

		if (t)
			expect_round_trip(t);
		assert_true(t || i);
		free(path);
	}
}

/* Nested symbols of two sources, names over several chunks, a segment. */
static struct symtab *small_table(void)
{
	struct symtab_builder *b = symtab_builder_new();
	char name[4096];

	memset(name, 'n', sizeof(name));
	for (uint64_t i = 0; i < 40; i++) {
		struct symtab_entry e = { .start = 4096 + i * 16,
					  .name = name,
					  .name_size = 2000 + i };

		e.size = i % 4 ? 16 : 64;
		symtab_builder_set_source(b, i % 3 ? NAMED_BY_DYNSYM : NAMED_BY_PLT);
		symtab_builder_add(b, &e);
	}
	symtab_builder_segment(b, 0, 65536, 4096);
	return symtab_builder_finish(b);
}

/* The block of small_table(), to be changed; *SIZE bytes, owned by the caller. */
static char *small_block(size_t *size)
{
	struct symtab *t = small_table();
	int fd = symtab_block_write(t);
	struct stat st;
	char *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	assert_int_equal(pread(fd, bytes, *size, 0), (ssize_t)*size);
	close(fd);
	symtab_free(t);
	return bytes;
}

/* Opens a block with these bytes; walks over what is believed. */
static bool is_believed(const char *bytes, size_t size, int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct symtab *t;

	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	t = symtab_block_open(fd);
	close(fd);
	if (t)
		walk(t);
	symtab_free(t);
	return t;
}

UNIT_TEST(only_a_sealed_block_is_believed)
{
	size_t size;
	char *bytes = small_block(&size);

	assert_true(is_believed(bytes, size, SEALS));
	assert_false(is_believed(bytes, size, F_SEAL_SHRINK | F_SEAL_GROW));
	assert_false(is_believed(bytes, size, F_SEAL_GROW | F_SEAL_WRITE));
	assert_false(is_believed(bytes, size - 1, SEALS));
	assert_false(is_believed(bytes, 16, SEALS));
	assert_null(symtab_block_open(0));
	free(bytes);
}

/* Where the members of a block begin, as symtab-block.c has them. */
enum { MAGIC = 0, COUNT = 8, SEGMENTS = 16, TEXT_BYTES = 24, HAS_PARENTS = 40 };
enum { HAS_SOURCES = 48, SOURCE = 56, STARTS = 64 };
#define SIZES (STARTS + 40 * 8 + 24)
#define NAMES (SIZES + 40 * 4)
#define PARENTS (NAMES + 40 * 4)
#define SOURCES (PARENTS + 40 * 4)

UNIT_TEST(a_changed_word_is_refused_or_harmless)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
	size_t size;
	char *bytes = small_block(&size);

	for (size_t at = 0; at < SOURCES + 40 + 64; at += 4)
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			uint32_t before;

			memcpy(&before, bytes + at, 4);
			memcpy(bytes + at, &values[i], 4);
			is_believed(bytes, size, SEALS);
			memcpy(bytes + at, &before, 4);
		}
	assert_true(is_believed(bytes, size, SEALS));
	free(bytes);
}

UNIT_TEST(what_leads_outside_is_refused)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} changes[] = {
		{ MAGIC, 8, 0 },
		{ COUNT, 8, 41 },
		{ COUNT, 8, 0x2000000000000000 },
		{ SEGMENTS, 8, UINT64_MAX },
		{ TEXT_BYTES, 8, UINT64_MAX },
		{ HAS_PARENTS, 8, 2 },
		{ HAS_SOURCES, 8, 0 },
		{ HAS_SOURCES, 8, 2 },
		{ SOURCE, 8, NAMED_BY_COUNT },
		{ STARTS + 8, 8, 4096 },            /* not sorted */
		{ STARTS + 39 * 8, 8, UINT64_MAX }, /* its end would wrap around */
		{ NAMES + 8, 4, 1u << 30 },
		{ PARENTS + 4, 4, 1 }, /* its own parent */
		{ PARENTS + 4, 4, 30 },
		{ SOURCES + 39, 1, NAMED_BY_COUNT },
	};
	size_t size;
	char *bytes = small_block(&size);

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		uint64_t before;

		memcpy(&before, bytes + changes[i].at, changes[i].size);
		memcpy(bytes + changes[i].at, &changes[i].value, changes[i].size);
		assert_false(is_believed(bytes, size, SEALS));
		memcpy(bytes + changes[i].at, &before, changes[i].size);
	}
	bytes[size - 1] = 'x'; /* the last text does not end */
	assert_false(is_believed(bytes, size, SEALS));
	memset(bytes + size - 40000, 'x', 39999); /* longer than a name may be */
	bytes[size - 1] = 0;
	assert_false(is_believed(bytes, size, SEALS));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_survives),
		cmocka_unit_test(the_symbols_of_programs_survive),
		cmocka_unit_test(only_a_sealed_block_is_believed),
		cmocka_unit_test(a_changed_word_is_refused_or_harmless),
		cmocka_unit_test(what_leads_outside_is_refused),
	};

	return unit_run(tests);
}
