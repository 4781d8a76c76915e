/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "proc/space.h"

static void put(struct space *s, uint64_t start, uint64_t end, uint64_t pgoff, const char *path)
{
	const struct mapping m = { .start = start, .end = end, .pgoff = pgoff, .path = path };

	space_insert(s, &m);
}

UNIT_TEST(finds_what_covers_an_address)
{
	struct space *s = space_new(NULL);

	assert_null(space_find(s, 0));
	put(s, 100, 200, 0, "a");
	put(s, 300, 400, 0, "b");
	assert_null(space_find(s, 99));
	assert_string_equal(space_find(s, 100)->path, "a");
	assert_string_equal(space_find(s, 199)->path, "a");
	assert_null(space_find(s, 200));
	assert_string_equal(space_find(s, 300)->path, "b");
	assert_null(space_find(s, 400));
	assert_null(space_find(s, UINT64_MAX));
	space_free(s);
}

UNIT_TEST(empty_mappings_are_ignored)
{
	struct space *s = space_new(NULL);

	put(s, 100, 100, 0, "a");
	put(s, 200, 100, 0, "a");
	assert_int_equal(space_count(s), 0);
	assert_int_equal(space_generation(s), 0);
	put(s, UINT64_MAX - 1, UINT64_MAX, 0, "top");
	assert_string_equal(space_find(s, UINT64_MAX - 1)->path, "top");
	space_free(s);
	space_free(NULL);
}

/* mmap(2) into the middle leaves the front and the back, each at its place of the file. */
UNIT_TEST(a_hole_keeps_the_file_offsets)
{
	struct space *s = space_new(NULL);

	put(s, 1000, 2000, 50, "a");
	space_find(s, 1000)->dso = 9;
	put(s, 1200, 1300, 0, "b");
	assert_int_equal(space_count(s), 3);
	assert_int_equal(space_at(s, 0)->end, 1200);
	assert_int_equal(space_at(s, 0)->pgoff, 50);
	assert_string_equal(space_at(s, 1)->path, "b");
	assert_int_equal(space_at(s, 2)->start, 1300);
	assert_int_equal(space_at(s, 2)->pgoff, 350);
	assert_int_equal(space_at(s, 2)->dso, 9);
	space_free(s);
}

enum { WORLD = 64 };

/* The truth: for each address the mapping put there last, and its place in the file. */
struct model {
	int name[WORLD];
	int place[WORLD];
};

static const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", "7" };

static void model_put(struct model *m, int start, int end, int name, int pgoff)
{
	for (int i = start; i < end; i++) {
		m->name[i] = name;
		m->place[i] = pgoff + i - start;
	}
}

static void assert_equals_model(struct space *s, const struct model *m)
{
	for (int i = 0; i < WORLD; i++) {
		struct mapping *found = space_find(s, (uint64_t)i);

		assert_int_equal(!found, m->name[i] < 0);
		if (!found)
			continue;
		assert_string_equal(found->path, names[m->name[i]]);
		assert_int_equal(found->pgoff + (uint64_t)i - found->start, m->place[i]);
	}
	for (size_t i = 1; i < space_count(s); i++)
		assert_true(space_at(s, i - 1)->end <= space_at(s, i)->start);
}

UNIT_TEST(random_insertions_equal_a_plain_model)
{
	unsigned int seed = 7;

	for (int round = 0; round < 300; round++) {
		struct space *s = space_new(NULL);
		struct model m;

		memset(m.name, -1, sizeof(m.name));
		for (int i = 0; i < 60; i++) {
			int start = rand_r(&seed) % WORLD;
			int end = start + 1 + rand_r(&seed) % (i % 3 ? 6 : WORLD);
			int name = rand_r(&seed) % 8, pgoff = rand_r(&seed) % 1000;

			end = end > WORLD ? WORLD : end;
			put(s, (uint64_t)start, (uint64_t)end, (uint64_t)pgoff, names[name]);
			model_put(&m, start, end, name, pgoff);
			assert_int_equal(space_generation(s), i + 1);
		}
		assert_equals_model(s, &m);
		space_free(s);
	}
}

UNIT_TEST(a_copy_is_independent)
{
	struct space *a = space_new(NULL), *b, *c;

	put(a, 100, 200, 0, "a");
	b = space_copy(a);
	c = space_copy(b);
	put(b, 150, 160, 0, "b");
	assert_string_equal(space_find(a, 155)->path, "a");
	assert_string_equal(space_find(b, 155)->path, "b");
	assert_string_equal(space_find(c, 155)->path, "a");
	assert_true(space_generation(b) > space_generation(a));
	space_clear(a);
	assert_int_equal(space_count(a), 0);
	assert_null(space_find(a, 155));
	assert_int_equal(space_count(c), 1);
	space_free(b);
	put(c, 100, 200, 0, "c");
	assert_string_equal(space_find(c, 100)->path, "c");
	space_free(a);
	space_free(c);
}

UNIT_TEST(many_mappings_in_any_direction)
{
	enum { COUNT = 100000 };
	struct space *up = space_new(NULL), *down = space_new(NULL);

	for (uint64_t i = 0; i < COUNT; i++) {
		put(up, 10 * i, 10 * i + 5, 0, "m");
		put(down, 10 * (COUNT - i), 10 * (COUNT - i) + 5, 0, "m");
	}
	assert_int_equal(space_count(up), COUNT);
	assert_int_equal(space_count(down), COUNT);
	for (uint64_t i = 1; i < COUNT; i += 997) {
		assert_int_equal(space_find(up, 10 * i + 4)->start, 10 * i);
		assert_int_equal(space_find(down, 10 * i)->start, 10 * i);
		assert_null(space_find(up, 10 * i + 5));
	}
	space_free(up);
	space_free(down);
}

UNIT_TEST(paths_go_with_their_last_mapping)
{
	struct space_store *store = space_store_new(SIZE_MAX);
	struct space *a = space_new(store), *b;
	size_t empty = space_store_bytes(store), one;
	char path[64] = "/a/path";

	put(a, 100, 200, 0, path);
	one = space_store_bytes(store);
	memset(path, 'x', 7); /* it was copied */
	assert_string_equal(space_find(a, 100)->path, "/a/path");
	b = space_copy(a);
	put(b, 140, 150, 0, "/a/path"); /* cut in two, and a third one between them */
	assert_int_equal(space_count(b), 3);
	assert_int_equal(space_store_bytes(store) - one, space_bytes(b));
	space_free(a);
	for (uint64_t i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "/another/%llu", (unsigned long long)i);
		put(b, 100, 200, 0, path);
	}
	assert_int_equal(space_count(b), 1);
	assert_true(space_store_bytes(store) < 2 * one);
	space_clear(b);
	assert_int_equal(space_store_bytes(store), empty);
	space_free(b);
	space_store_free(store);
}

UNIT_TEST(a_full_store_refuses_and_counts)
{
	struct space_store *store = space_store_new(64 * 1024);
	struct space *a = space_new(store), *b = space_new(store);
	uint64_t i = 0;
	char path[64];

	while (!space_store_refused(store) && i < 100000) {
		snprintf(path, sizeof(path), "/m/%llu", (unsigned long long)i);
		put(a, 2 * i, 2 * i + 1, 0, path);
		i++;
	}
	assert_int_equal(space_count(a), i - 1);
	assert_int_equal(space_refused(a), 1);
	assert_true(space_store_bytes(store) < 128 * 1024);
	put(b, 1, 2, 0, "/other");
	assert_int_equal(space_count(b), 0);
	space_clear(a);
	put(b, 1, 2, 0, "/other");
	assert_int_equal(space_count(b), 1);
	assert_int_equal(space_store_refused(store), 2);
	space_free(a);
	space_free(b);
	space_store_free(store);
}

UNIT_TEST(past_the_limit_is_counted)
{
	struct space *s = space_new(NULL);

	for (uint64_t i = 0; i < SPACE_LIMIT + 3; i++)
		put(s, 2 * i, 2 * i + 1, 0, "m");
	assert_int_equal(space_count(s), SPACE_LIMIT);
	assert_int_equal(space_refused(s), 3);
	space_free(s);
}

struct seen {
	struct mapping items[16];
	char paths[16][64];
	size_t count;
};

static void see(void *context, const struct mapping *m)
{
	struct seen *seen = context;

	assert_in_range(seen->count, 0, 15);
	seen->items[seen->count] = *m;
	snprintf(seen->paths[seen->count++], 64, "%s", m->path);
}

static const char maps[] =
	"559c9e3cd000-559c9e3cf000 r--p 00000000 fe:00 247134                     /usr/bin/cat\n"
	"559c9e3cf000-559c9e3d4000 r-xp 00002000 fe:0a 247134                     /usr/bin/cat\n"
	"7f2c4a000000-7f2c4a022000 rwxp 00000000 00:00 0 \n"
	"7f2c4b000000-7f2c4b022000 --xs 00000000 00:05 77   /memfd:a b\\012c (deleted)\n"
	"7ffd1a3f2000-7ffd1a3f4000 r-xp 00000000 00:00 0                          [vdso]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

UNIT_TEST(reads_maps)
{
	struct seen seen = { .count = 0 };

	assert_int_equal(maps_parse(maps, strlen(maps), false, see, &seen), 0);
	assert_int_equal(seen.count, 5);
	assert_true(seen.items[0].start == 0x559c9e3cf000);
	assert_true(seen.items[0].end == 0x559c9e3d4000);
	assert_int_equal(seen.items[0].pgoff, 0x2000);
	assert_int_equal(seen.items[0].major, 0xfe);
	assert_int_equal(seen.items[0].minor, 0x0a);
	assert_int_equal(seen.items[0].inode, 247134);
	assert_string_equal(seen.paths[0], "/usr/bin/cat");
	assert_string_equal(seen.paths[1], "//anon");
	assert_string_equal(seen.paths[2], "/memfd:a b\\012c (deleted)");
	assert_string_equal(seen.paths[3], "[vdso]");
	assert_string_equal(seen.paths[4], "[vsyscall]");
	assert_true(seen.items[4].end == 0xffffffffff601000);

	seen.count = 0;
	maps_parse(maps, strlen(maps), true, see, &seen);
	assert_int_equal(seen.count, 6);
}

UNIT_TEST(every_truncation_of_maps)
{
	for (size_t size = 0; size < strlen(maps); size++) {
		struct seen seen = { .count = 0 };
		char *text = malloc(size ? size : 1);
		size_t skipped;

		memcpy(text, maps, size);
		skipped = maps_parse(text, size, true, see, &seen);
		assert_in_range(skipped, 0, 1);
		for (size_t i = 0; i < seen.count; i++)
			assert_true(seen.items[i].start < seen.items[i].end);
		free(text);
	}
}

UNIT_TEST(damaged_lines_are_skipped_and_counted)
{
	static const char text[] = "\n"
				   "x\n"
				   "2000-1000 r-xp 0 0:0 0 /a\n"
				   "1000-1000 r-xp 0 0:0 0 /a\n"
				   "1000-2000 r-x\n"
				   "1000-2000 r-xp 0 0 0 /a\n"
				   "1000-2000 r-xp 0 0:0 /a\n"
				   "1000-2000 r-xp 0 0:0 0 /good\n";
	struct seen seen = { .count = 0 };
	char *lengthy = malloc(70000);

	assert_int_equal(maps_parse(text, strlen(text), false, see, &seen), 7);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.paths[0], "/good");
	assert_int_equal(maps_parse("1-2 r-xp 0 0:0 0 /a\0b\n", 22, false, see, &seen), 1);

	snprintf(lengthy, 70000, "1000-2000 r-xp 0 0:0 0 /%060000d\n", 0);
	assert_int_equal(maps_parse(lengthy, strlen(lengthy), false, see, &seen), 1);
	assert_int_equal(seen.count, 1);
	free(lengthy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_covers_an_address),
		cmocka_unit_test(empty_mappings_are_ignored),
		cmocka_unit_test(a_hole_keeps_the_file_offsets),
		cmocka_unit_test(random_insertions_equal_a_plain_model),
		cmocka_unit_test(a_copy_is_independent),
		cmocka_unit_test(many_mappings_in_any_direction),
		cmocka_unit_test(paths_go_with_their_last_mapping),
		cmocka_unit_test(a_full_store_refuses_and_counts),
		cmocka_unit_test(past_the_limit_is_counted),
		cmocka_unit_test(reads_maps),
		cmocka_unit_test(every_truncation_of_maps),
		cmocka_unit_test(damaged_lines_are_skipped_and_counted),
	};

	return unit_run(tests);
}
