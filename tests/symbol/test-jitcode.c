/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code and lines of a jitdump. */
#include "unit.h"

#include "symbol/dump.h"
#include "symbol/jitcode.h"

static void put_load(struct dump *d, uint64_t address, uint64_t index, const char *code)
{
	dump_put_record(d, 0, (uint32_t)(40 + 2 + strlen(code)));
	dump_put(d, 77, 4);
	dump_put(d, 78, 4);
	dump_put(d, address, 8);
	dump_put(d, address, 8);
	dump_put(d, strlen(code), 8);
	dump_put(d, index, 8);
	buf_add(&d->bytes, "f", 2);
	buf_add(&d->bytes, code, strlen(code));
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	dump_put_record(d, 1, 48);
	dump_put(d, 77, 4);
	dump_put(d, 78, 4);
	dump_put(d, to, 8);
	dump_put(d, from, 8);
	dump_put(d, to, 8);
	dump_put(d, size, 8);
	dump_put(d, index, 8);
}

struct entry {
	uint64_t address;
	uint32_t line;
	const char *file;
};

static void put_lines(struct dump *d, uint64_t code, const struct entry *entries, size_t count)
{
	size_t size = 16;

	for (size_t i = 0; i < count; i++)
		size += 16 + strlen(entries[i].file) + 1;
	dump_put_record(d, 2, (uint32_t)size);
	dump_put(d, code, 8);
	dump_put(d, count, 8);
	for (size_t i = 0; i < count; i++) {
		dump_put(d, entries[i].address, 8);
		dump_put(d, entries[i].line, 4);
		dump_put(d, 0, 4);
		buf_add(&d->bytes, entries[i].file, strlen(entries[i].file) + 1);
	}
}

#define PUT_LINES(d, code, ...)                                   \
	put_lines(d, code, (const struct entry[]){ __VA_ARGS__ }, \
		  sizeof((const struct entry[]){ __VA_ARGS__ }) / sizeof(struct entry))

/* As a file, so that code and lines can be read. */
static struct jitcode *open_dump(const struct dump *d)
{
	FILE *f = tmpfile();
	struct load l = { .checkpoint = NULL };
	struct jitcode *j;

	assert_non_null(f);
	assert_int_equal(fwrite(d->bytes.bytes, d->bytes.size, 1, f), 1);
	fflush(f);
	j = jitcode_new(dup(fileno(f)));
	fclose(f);
	jitcode_read_on(j, &l);
	return j;
}

static void assert_line(struct jitcode *j, uint64_t start, uint64_t offset, const char *file,
			uint32_t line)
{
	const struct jitfunction *f = jitcode_find(j, start);
	struct srcline_frame frame;

	assert_non_null(f);
	if (!line) {
		assert_false(jitcode_line(j, f, start + offset, &frame));
		return;
	}
	assert_true(jitcode_line(j, f, start + offset, &frame));
	assert_string_equal(frame.file, file);
	assert_int_equal(frame.line, line);
	assert_null(frame.function);
}

static void assert_code(const struct jitcode *j, uint64_t start, const char *code)
{
	const struct jitfunction *f = jitcode_find(j, start);
	char bytes[64];

	assert_non_null(f);
	assert_int_equal(jitcode_bytes(j, f, bytes, sizeof(bytes)), strlen(code));
	assert_memory_equal(bytes, code, strlen(code));
	assert_int_equal(jitcode_bytes(j, f, bytes, 3), 3);
}

UNIT_TEST(code_and_lines_are_those_of_the_last_load)
{
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .swap = swap };
		struct jitcode *j;

		dump_put_header(&d);
		PUT_LINES(&d, 0x1000, { 0x1000, 7, "old" });
		put_load(&d, 0x1000, 0, "former");
		PUT_LINES(&d, 0x9000, { 0x9000, 8, "of another" });
		put_load(&d, 0x2000, 1, "without lines");
		PUT_LINES(&d, 0x1000, { 0x1008, 3, "/src/b" }, { 0x1002, 1, "/src/a" },
			  { 0x1004, 2, "\xff" });
		put_load(&d, 0x1000, 2, "twelve bytes");
		j = open_dump(&d);
		assert_int_equal(jitcode_machine(j), 62);
		assert_code(j, 0x1000, "twelve bytes");
		assert_code(j, 0x2000, "without lines");
		assert_null(jitcode_find(j, 0x1001));
		assert_line(j, 0x1000, 0, "/src/a", 1);
		assert_line(j, 0x1000, 3, "/src/a", 1);
		assert_line(j, 0x1000, 5, "/src/a", 2);
		assert_line(j, 0x1000, 11, "/src/b", 3);
		assert_line(j, 0x1000, 12, NULL, 0);
		assert_line(j, 0x2000, 0, NULL, 0);
		jitcode_free(j);
		buf_fini(&d.bytes);
	}
}

UNIT_TEST(moved_code_has_its_lines)
{
	struct dump d = { .swap = false };
	struct jitcode *j;

	dump_put_header(&d);
	PUT_LINES(&d, 0x1000, { 0x1000, 1, "a" }, { 0x1004, 2, "a" });
	put_load(&d, 0x1000, 5, "eight by");
	put_move(&d, 0x1000, 0x3000, 8, 5);
	put_move(&d, 0x3000, 0x2000, 8, 5);
	put_move(&d, 0x3000, 0x4000, 8, 99); /* nobody's */
	j = open_dump(&d);
	assert_line(j, 0x1000, 5, "a", 2);
	assert_code(j, 0x2000, "eight by");
	assert_line(j, 0x2000, 3, "a", 1);
	assert_line(j, 0x2000, 5, "a", 2);
	assert_line(j, 0x3000, 4, "a", 2);
	assert_null(jitcode_find(j, 0x4000));
	jitcode_free(j);
	buf_fini(&d.bytes);
}

/* V8's addresses lie behind a header; where one does not, they are what they seem. */
UNIT_TEST(a_header_in_front_is_taken_off)
{
	for (int all = 0; all < 2; all++) {
		struct dump d = { .swap = false };
		struct jitcode *j;
		char code[129];

		memset(code, 'x', 128);
		code[128] = '\0';
		dump_put_header(&d);
		PUT_LINES(&d, 0x1000, { 0x1040, 1, "a" }, { 0x1050, 2, "a" });
		put_load(&d, 0x1000, 1, code);
		PUT_LINES(&d, 0x2000, { all ? 0x2040 : 0x2020, 5, "b" });
		put_load(&d, 0x2000, 2, code);
		j = open_dump(&d);
		assert_line(j, 0x1000, 0x10, "a", all ? 2 : 1);
		assert_line(j, 0x1000, 0x50, "a", 2);
		jitcode_free(j);
		buf_fini(&d.bytes);
	}
}

UNIT_TEST(lies_are_no_lines)
{
	struct dump d = { .swap = false };
	struct jitcode *j;

	dump_put_header(&d);
	PUT_LINES(&d, 0x1000, { 0x1000, 1, "a" }, { 0x5000, 2, "a" }); /* behind the code */
	put_load(&d, 0x1000, 1, "eight by");
	PUT_LINES(&d, 0x2000, { 0x2000, 1, "\xff" }); /* as none before it */
	put_load(&d, 0x2000, 2, "eight by");
	dump_put_record(&d, 2, 16); /* so many entries are not there */
	dump_put(&d, 0x3000, 8);
	dump_put(&d, UINT64_MAX, 8);
	put_load(&d, 0x3000, 3, "eight by");
	PUT_LINES(&d, 0x4000, { 0x4000, 1, "" }); /* a file without a name */
	put_load(&d, 0x4000, 4, "eight by");
	dump_put_record(&d, 0, 42 + 4); /* more code than the record has */
	dump_put(&d, 0, 8);
	dump_put(&d, 0x5000, 8);
	dump_put(&d, 0x5000, 8);
	dump_put(&d, 1 << 20, 8);
	dump_put(&d, 5, 8);
	buf_add(&d.bytes, "f\0four", 6);
	j = open_dump(&d);
	for (uint64_t start = 0x1000; start <= 0x4000; start += 0x1000)
		assert_line(j, start, 0, NULL, 0);
	assert_code(j, 0x5000, "four");
	jitcode_free(j);
	buf_fini(&d.bytes);
}

/* Appended code is read on; a file that begins anew is read from its beginning. */
UNIT_TEST(a_file_that_changes_is_read_on)
{
	struct dump d = { .swap = false };
	struct load l = { .checkpoint = NULL };
	FILE *f = tmpfile();
	struct jitcode *j;
	size_t half;

	assert_non_null(f);
	dump_put_header(&d);
	put_load(&d, 0x1000, 1, "first");
	half = d.bytes.size + 20;
	put_load(&d, 0x2000, 2, "second");
	fwrite(d.bytes.bytes, half, 1, f);
	fflush(f);
	j = jitcode_new(dup(fileno(f)));
	jitcode_read_on(j, &l);
	assert_code(j, 0x1000, "first");
	assert_null(jitcode_find(j, 0x2000));
	fwrite(d.bytes.bytes + half, d.bytes.size - half, 1, f);
	fflush(f);
	jitcode_read_on(j, &l);
	assert_code(j, 0x2000, "second");
	assert_int_equal(ftruncate(fileno(f), 40), 0);
	jitcode_read_on(j, &l);
	assert_null(jitcode_find(j, 0x1000));
	jitcode_free(j);
	fclose(f);
	buf_fini(&d.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_and_lines_are_those_of_the_last_load),
		cmocka_unit_test(moved_code_has_its_lines),
		cmocka_unit_test(a_header_in_front_is_taken_off),
		cmocka_unit_test(lies_are_no_lines),
		cmocka_unit_test(a_file_that_changes_is_read_on),
	};

	return unit_run(tests);
}
