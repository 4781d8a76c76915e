/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects of a snapshot's cells, as the snapshot describes them. */
#include "unit.h"

#include "naming/object-facts.h"

static struct snapshot *snapshot_of(struct frame_table *frames, const uint32_t *objects,
				    size_t count)
{
	struct snapshot *s = snapshot_new();

	s->frames = frames;
	snapshot_alloc_cells(s, count);
	for (size_t i = 0; i < count; i++) {
		struct frame_key key = { .object = objects[i],
					 .symbol = (uint32_t)i,
					 .raw = "f",
					 .object_path = "path",
					 .object_name = "name" };

		s->cells[i].frame = frame_table_add(frames, &key);
	}
	return s;
}

/* Each once, by number; what is no object, as frames that wait are not, is left out. */
UNIT_TEST(test_objects)
{
	const struct dso_cache_options options = { .synchronous = true, .kallsyms = "" };
	const struct dso_key key = { .kind = DSO_UNKNOWN, .path = "[stack]" };
	struct dso_cache *cache = dso_cache_new(&options);
	struct frame_table *frames = frame_table_new(NULL, 0);
	uint32_t known = dso_cache_get(cache, &key);
	const uint32_t objects[] = { 0x7fffff00u, known, 0x80000001u, known, known + 1, 0 };
	struct snapshot *s = snapshot_of(frames, objects, 6);

	objects_describe(s, cache);
	assert_int_equal(s->object_count, 1);
	assert_string_equal(snapshot_object_find(s, known)->path, "[stack]");
	assert_null(snapshot_object_find(s, 0x7fffff00u));
	snapshot_free(s);
	frame_table_free(frames);
	dso_cache_free(cache);
}

static const char *said_of(struct dso_cache *cache, uint32_t object, const struct lines_answer *a,
			   char out[200])
{
	struct frame_table *frames = frame_table_new(NULL, 0);
	struct snapshot *s = snapshot_of(frames, &object, 1);

	objects_take_lines(cache, object, a);
	objects_describe(s, cache);
	snprintf(out, 200, "%s", snapshot_object_find(s, object)->missing);
	snapshot_free(s);
	frame_table_free(frames);
	return out;
}

/* Missing lines are named beside missing symbols, unless both lack the same debug file. */
UNIT_TEST(test_missing_lines)
{
	const struct dso_cache_options options = { .synchronous = true, .kallsyms = "" };
	const struct dso_key keys[] = { { .kind = DSO_FILE, .path = "/nonexistent/a" },
					{ .kind = DSO_FILE, .path = "/nonexistent/b" } };
	const struct lines_answer nothing = { .has_lines = true, .missing = "" };
	const struct lines_answer some = { .has_lines = true, .missing = "no a.dwo" };
	const struct lines_answer none = { .missing = "no lines" };
	struct dso_cache *cache = dso_cache_new(&options);
	uint32_t object = dso_cache_get(cache, &keys[0]), failed = dso_cache_get(cache, &keys[1]);
	char text[200], before[200];

	assert_string_equal(said_of(cache, object, &nothing, text), "");
	assert_string_equal(said_of(cache, object, &none, text), "no lines");
	assert_string_equal(said_of(cache, object, &some, text), "no a.dwo");
	assert_string_equal(said_of(cache, object, &nothing, text), "no a.dwo");

	dso_request(cache, failed);
	assert_string_not_equal(said_of(cache, failed, &nothing, before), "");
	assert_string_equal(said_of(cache, failed, &none, text), before);
	said_of(cache, failed, &some, text);
	assert_memory_equal(text, before, strlen(before));
	assert_string_equal(text + strlen(before), "; no a.dwo");
	dso_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_missing_lines),
	};

	return unit_run(tests);
}
