/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "symbol/dso.h"
#include "symbol/dump.h"
#include "symbol/jitdump.h"
#include "symbol/jitlist.h"

struct code {
	uint64_t address, size, index;
	const char *name;
	size_t bytes;
};

static void put_load(struct dump *d, struct code c)
{
	static const char code[4096];
	size_t name_size = strlen(c.name) + 1;

	dump_put_record(d, 0, (uint32_t)(40 + name_size + c.bytes));
	dump_put(d, 77, 4);
	dump_put(d, 78, 4);
	dump_put(d, c.address, 8);
	dump_put(d, c.address, 8);
	dump_put(d, c.size, 8);
	dump_put(d, c.index, 8);
	buf_add(&d->bytes, c.name, name_size);
	buf_add(&d->bytes, code, c.bytes);
}

static void put_move(struct dump *d, uint64_t from, struct code to)
{
	dump_put_record(d, 1, 48);
	dump_put(d, 77, 4);
	dump_put(d, 78, 4);
	dump_put(d, to.address, 8);
	dump_put(d, from, 8);
	dump_put(d, to.address, 8);
	dump_put(d, to.size, 8);
	dump_put(d, to.index, 8);
}

static void put_rest(struct dump *d, uint32_t type, uint32_t size)
{
	static const char zero[256];

	dump_put_record(d, type, size);
	buf_add(&d->bytes, zero, size);
}

static const char *find(const struct symtab *t, uint64_t address)
{
	uint32_t number = symtab_find(t, address);

	return number == SYMBOL_NONE ? "-" : symtab_at(t, number).name;
}

/* All kinds of records. */
static void put_all(struct dump *d)
{
	dump_put_header(d);
	put_rest(d, 4, 100); /* unwinding information */
	put_rest(d, 2, 64);  /* lines */
	put_load(d, (struct code){ 0x1000, 0x100, 1, "first", 0x100 });
	put_load(d, (struct code){ 0x2000, 0x100, 2, "second", 0x100 });
	put_rest(d, 99, 24); /* of a future version */
	put_move(d, 0x1000, (struct code){ 0x3000, 0x80, 1, NULL, 0 });
	put_load(d, (struct code){ 0x2080, 0x10, 3, "over the second", 0x10 });
	put_load(d, (struct code){ 0x4000, 0x20, 4, "last", 0x20 });
}

static void assert_all(const struct symtab *t)
{
	assert_string_equal(find(t, 0x1000), "-");
	assert_string_equal(find(t, 0x3000), "first");
	assert_string_equal(find(t, 0x307f), "first");
	assert_string_equal(find(t, 0x3080), "-");
	assert_string_equal(find(t, 0x2000), "-"); /* what covered it was written over */
	assert_string_equal(find(t, 0x208f), "over the second");
	assert_string_equal(find(t, 0x2090), "-");
	assert_string_equal(find(t, 0x401f), "last");
}

/* Rules that are the description itself, behind where it was meant to be. */
static void *make_frames(const struct jit_description *d, size_t *size)
{
	char *made = malloc(sizeof(d->address) + d->size);

	assert_int_equal(d->machine, 62);
	memcpy(made, &d->address, sizeof(d->address));
	memcpy(made + sizeof(d->address), d->bytes, d->size);
	*size = sizeof(d->address) + d->size;
	return made;
}

/* Hands the dump over as a file that is read PIECE bytes at a time, or all that is needed. */
static uint64_t parse_in_pieces(struct jit_parser *p, const struct dump *d, size_t piece)
{
	uint64_t at = 0, used;

	do {
		size_t left = d->bytes.size - at;

		used = jitdump_parse(p, d->bytes.bytes + at, left < piece ? left : piece, left);
		at += used;
	} while (used && at < d->bytes.size);
	return at;
}

/* The list of what P has parsed, of which nothing is left. */
static struct jitlist *list_of(struct jit_parser *p)
{
	struct jitlist *j = jitlist_new(JIT_DUMP);

	jitlist_take(j, &p->entries);
	jit_entries_fini(&p->entries);
	free(p->frames);
	*p = (struct jit_parser){ .skipped = 0 };
	return j;
}

UNIT_TEST(records_are_taken_in_both_byte_orders)
{
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .swap = swap };
		struct jit_parser p = { .skipped = 0 };
		struct jitlist *j;
		struct symtab *t;

		put_all(&d);
		assert_int_equal(parse_in_pieces(&p, &d, SIZE_MAX), d.bytes.size);
		j = list_of(&p);
		t = jitlist_make(j);
		assert_all(t);
		symtab_free(t);
		jitlist_free(j);
		buf_fini(&d.bytes);
	}
}

UNIT_TEST(a_dump_that_is_being_written_is_taken_up_to_there)
{
	struct dump d = { .swap = false };

	put_all(&d);
	for (size_t size = 0; size <= d.bytes.size; size++) {
		struct dump cut = { .bytes = { .bytes = d.bytes.bytes, .size = size } };
		struct jit_parser p = { .skipped = 0 };
		uint64_t at = parse_in_pieces(&p, &cut, SIZE_MAX);
		struct jitlist *j;
		struct symtab *t;

		assert_true(at <= size);
		while (at < d.bytes.size) {
			uint64_t used = jitdump_parse(&p, d.bytes.bytes + at, d.bytes.size - at,
						      d.bytes.size - at);
			assert_int_not_equal(used, 0);
			at += used;
		}
		j = list_of(&p);
		t = jitlist_make(j);
		assert_all(t);
		symtab_free(t);
		jitlist_free(j);
	}
	buf_fini(&d.bytes);
}

UNIT_TEST(code_is_passed_over)
{
	struct dump d = { .swap = false };
	struct jit_parser p = { .skipped = 0 };
	struct jitlist *j;
	struct symtab *t;
	uint64_t used;

	dump_put_header(&d);
	put_load(&d, (struct code){ 0x1000, 1 << 20, 1, "huge", 0 });
	/* The record says that a MiB of code follows, which is not handed over. */
	d.bytes.bytes[44] = 0;
	d.bytes.bytes[46] = 0x10;
	buf_add(&d.bytes, (const char[65536]){ 0 }, 65536);
	used = jitdump_parse(&p, d.bytes.bytes, d.bytes.size, 4 << 20);
	assert_true(used >= 1 << 20);
	j = list_of(&p);
	t = jitlist_make(j);
	assert_string_equal(find(t, 0x1000 + (1 << 20) - 1), "huge");
	symtab_free(t);
	jitlist_free(j);
	buf_fini(&d.bytes);
}

UNIT_TEST(lies_end_the_dump_or_are_skipped)
{
	struct dump d = { .swap = false };
	struct jit_parser p = { .skipped = 0 };
	struct jitlist *j;
	struct symtab *t;

	dump_put_header(&d);
	put_load(&d, (struct code){ UINT64_MAX - 5, 100, 1, "over the end", 0 });
	put_load(&d, (struct code){ 0x1000, 0, 2, "empty", 0 });
	put_load(&d, (struct code){ 0x1000, 16, 3, "", 0 });
	put_move(&d, 0x1000, (struct code){ 0x3000, 0x80, 55, NULL, 0 });
	put_rest(&d, 0, 0);
	put_rest(&d, 1, 8);
	put_load(&d, (struct code){ 0x5000, 16, 5, "good", 0 });
	put_rest(&d, 3, 0);
	put_load(&d, (struct code){ 0x6000, 16, 6, "behind the end", 0 });
	parse_in_pieces(&p, &d, SIZE_MAX);
	assert_int_equal(p.skipped, 5);
	j = list_of(&p);
	t = jitlist_make(j);
	assert_int_equal(symtab_count(t), 1);
	assert_string_equal(find(t, 0x5000), "good");
	symtab_free(t);
	jitlist_free(j);
	buf_fini(&d.bytes);
}

/* As much of .eh_frame as TEXT has bytes, with an .eh_frame_hdr behind it. */
static void put_frames(struct dump *d, const char *text)
{
	dump_put_record(d, 4, (uint32_t)(24 + strlen(text) + 4));
	dump_put(d, strlen(text) + 4, 8);
	dump_put(d, 4, 8);
	dump_put(d, 0, 8);
	buf_add(&d->bytes, text, strlen(text));
	buf_add(&d->bytes, "head", 4);
}

static void put_lie(struct dump *d, uint64_t size, uint64_t header)
{
	dump_put_record(d, 4, 32);
	dump_put(d, size, 8);
	dump_put(d, header, 8);
	dump_put(d, 0, 8);
	dump_put(d, 0, 8);
}

static void expect_frames(const struct jitframe *f, const char *text, uint64_t address)
{
	assert_int_equal(f->bytes_size, 8 + strlen(text));
	assert_memory_equal(f->bytes + 8, text, strlen(text));
	assert_memory_equal(f->bytes, &address, 8);
}

UNIT_TEST(frames_are_those_of_the_next_code)
{
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .swap = swap };
		struct jit_parser p = { .make = make_frames };
		struct jitlist *j;
		struct jitframe **frames;
		size_t count;

		dump_put_header(&d);
		put_load(&d, (struct code){ 0x500, 0x10, 1, "before any", 0x10 });
		put_frames(&d, "of another");
		put_frames(&d, "frames");
		put_load(&d, (struct code){ 0x1000, 0x1e, 2, "described", 0x1e });
		put_load(&d, (struct code){ 0x2000, 0x10, 3, "not described", 0x10 });
		put_move(&d, 0x1000, (struct code){ 0x3000, 0x1e, 2, NULL, 0 });
		assert_int_equal(parse_in_pieces(&p, &d, SIZE_MAX), d.bytes.size);
		j = list_of(&p);
		frames = jitlist_take_frames(j, &count);
		assert_int_equal(count, 3);
		assert_int_equal(frames[0]->start, 0x1000);
		assert_int_equal(frames[0]->size, 0x1e);
		expect_frames(frames[0], "frames", 0x1020);
		assert_int_equal(frames[1]->start, 0x2000);
		assert_int_equal(frames[1]->bytes_size, 0);
		assert_int_equal(frames[2]->from, 0x1000);
		assert_int_equal(frames[2]->bytes_size, 0);
		while (count)
			jitframe_free(frames[--count]);
		free(frames);
		assert_null(jitlist_take_frames(j, &count));
		jitlist_free(j);
		buf_fini(&d.bytes);
	}
}

UNIT_TEST(frames_that_lie_are_none)
{
	static const uint64_t lies[][2] = { { 8, 9 },
					    { 9, 0 },
					    { UINT64_MAX, 0 },
					    { 0, UINT64_MAX },
					    { UINT64_MAX, UINT64_MAX - 9 },
					    { 5, 5 } };

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct dump d = { .swap = false };
		struct jit_parser p = { .make = make_frames };
		struct jitlist *j;
		size_t count;

		dump_put_header(&d);
		put_lie(&d, lies[i][0], lies[i][1]);
		put_load(&d, (struct code){ 0x1000, 0x10, 1, "code", 0x10 });
		assert_int_equal(parse_in_pieces(&p, &d, SIZE_MAX), d.bytes.size);
		j = list_of(&p);
		assert_null(jitlist_take_frames(j, &count));
		assert_true(jitlist_has_code(j));
		jitlist_free(j);
		buf_fini(&d.bytes);
	}
}

UNIT_TEST(paths_of_dumps_are_known)
{
	assert_true(jitdump_is_path("/root/.debug/jit/llvm-IR-jit-20/jit-77.dump"));
	assert_true(jitdump_is_path("/tmp/jit-77.dump (deleted)"));
	assert_true(jitdump_is_path("jit-0.dump"));
	assert_false(jitdump_is_path("/tmp/jit-.dump"));
	assert_false(jitdump_is_path("/tmp/jit-77.dumps"));
	assert_false(jitdump_is_path("/tmp/jit-77x.dump"));
	assert_false(jitdump_is_path("/jit-77.dump/libfoo.so"));
}

/* Asks until the dump was looked at: it is left alone for a while after each time. */
static void request_until(struct dso_cache *c, uint32_t dso, uint64_t address, const char *name)
{
	for (int i = 0; i < 20000; i++) {
		dso_request(c, dso);
		while (dso_cache_loaded(c))
			;
		if (dso_symtab(c, dso) && !strcmp(find(dso_symtab(c, dso), address), name))
			return;
		usleep(1000);
	}
	fail_msg("no %s at %lx", name, (unsigned long)address);
}

static void append(const char *path, const struct dump *d, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, d->bytes.bytes, d->bytes.size), d->bytes.size);
	close(fd);
}

static struct dso_cache *new_cache(void)
{
	return dso_cache_new(&(struct dso_cache_options){ .synchronous = true,
							  .make_frames = make_frames,
							  .kallsyms = "",
							  .proc_root = "/nonexistent" });
}

/* Writes D to a file, whose name goes to PATH, and reads it: the object's number. */
static uint32_t open_dump(struct dso_cache *c, char *path, size_t size, const struct dump *d)
{
	uint32_t dso = dso_cache_get(c, &(struct dso_key){ .kind = DSO_JIT, .pid = 77 });
	struct dso_key file = { .kind = DSO_FILE, .path = path };
	char directory[4096];

	assert_non_null(getcwd(directory, sizeof(directory)));
	snprintf(path, size, "%s/test-jitdump-%d.dump", directory, (int)getpid());
	append(path, d, O_TRUNC);
	dso_set_jitdump(c, dso, &file);
	dso_request(c, dso);
	assert_int_equal(dso_state(c, dso), DSO_READY);
	return dso;
}

/* A program chooses how large its descriptions are, so their memory is told with that of its symbols. */
UNIT_TEST(the_memory_of_rules_is_told)
{
	enum { CODES = 500, RULES = 2000 };
	struct dso_cache *c = new_cache();
	struct dump d = { .swap = false };
	char path[4200], text[RULES + 1];

	memset(text, 'r', RULES);
	text[RULES] = '\0';
	dump_put_header(&d);
	for (uint64_t i = 1; i <= CODES; i++) {
		put_frames(&d, text);
		put_load(&d, (struct code){ i * 0x1000, 0x10, i, "f", 0x10 });
	}
	open_dump(c, path, sizeof(path), &d);
	assert_in_range(dso_cache_symbol_bytes(c), CODES * RULES, 4 * CODES * RULES);

	/* The same code without a description, in its place. */
	buf_clear(&d.bytes);
	for (uint64_t i = 1; i <= CODES; i++)
		put_load(&d, (struct code){ i * 0x1000, 0x10, CODES + i, "g", 0x10 });
	append(path, &d, 0);
	request_until(c, 1, CODES * 0x1000, "g");
	assert_in_range(dso_cache_symbol_bytes(c), 1, CODES * RULES / 2);
	dso_cache_shed(c, UINT64_MAX, 0);
	assert_int_equal(dso_cache_symbol_bytes(c), 0);
	dso_cache_free(c);
	buf_fini(&d.bytes);
	unlink(path);
}

UNIT_TEST(a_growing_dump_is_read_on)
{
	char path[4200];
	struct dso_cache *c = new_cache();
	struct dump d = { .swap = false };
	uint32_t dso, number;

	dump_put_header(&d);
	put_load(&d, (struct code){ 0x1000, 0x10, 1, "one", 0x10 });
	dso = open_dump(c, path, sizeof(path), &d);
	assert_string_equal(dso_symbol_source(c, dso), "jitdump");
	number = symtab_find(dso_symtab(c, dso), 0x1000);
	assert_string_equal(symtab_at(dso_symtab(c, dso), number).name, "one");

	buf_clear(&d.bytes);
	put_frames(&d, "frames");
	put_load(&d, (struct code){ 0x500, 0x10, 2, "two", 0x10 });
	append(path, &d, 0);
	request_until(c, dso, 0x500, "two");
	assert_null(dso_jitframe(c, dso, 0x1000));
	assert_int_equal(dso_jitframe(c, dso, 0x50f)->start, 0x500);
	assert_int_equal(symtab_find(dso_symtab(c, dso), 0x1000), number);
	assert_int_equal(dso_symbol_id(c, dso, number), number);

	/* Moved code takes its frames along; new code in its place has none. */
	buf_clear(&d.bytes);
	put_move(&d, 0x500, (struct code){ 0x600, 0x10, 2, NULL, 0 });
	put_load(&d, (struct code){ 0x500, 0x10, 3, "new", 0x10 });
	append(path, &d, 0);
	request_until(c, dso, 0x500, "new");
	assert_null(dso_jitframe(c, dso, 0x500));
	expect_frames(dso_jitframe(c, dso, 0x600), "frames", 0x510);
	assert_int_equal(dso_jitframe(c, dso, 0x600)->made_at, 0x500);

	/* Begun anew. */
	buf_clear(&d.bytes);
	dump_put_header(&d);
	put_load(&d, (struct code){ 0x700, 0x10, 1, "three", 0 });
	append(path, &d, O_TRUNC);
	request_until(c, dso, 0x700, "three");
	assert_string_equal(find(dso_symtab(c, dso), 0x1000), "-");
	dso_cache_free(c);
	buf_fini(&d.bytes);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_taken_in_both_byte_orders),
		cmocka_unit_test(a_dump_that_is_being_written_is_taken_up_to_there),
		cmocka_unit_test(code_is_passed_over),
		cmocka_unit_test(lies_end_the_dump_or_are_skipped),
		cmocka_unit_test(frames_are_those_of_the_next_code),
		cmocka_unit_test(frames_that_lie_are_none),
		cmocka_unit_test(paths_of_dumps_are_known),
		cmocka_unit_test(the_memory_of_rules_is_told),
		cmocka_unit_test(a_growing_dump_is_read_on),
	};

	return unit_run(tests);
}
