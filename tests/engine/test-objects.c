/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a snapshot is told of the objects that its cells are in. */
#include "unit.h"

#include "engine/objects.h"

static struct snapshot *snapshot_of(struct frame_table *frames, const uint32_t *objects, size_t count)
{
	struct snapshot *s = snapshot_new();

	s->frames = frames;
	snapshot_alloc_cells(s, count);
	for (size_t i = 0; i < count; i++) {
		struct frame_key key = { .object = objects[i], .symbol = (uint32_t)i, .raw = "f",
					 .object_path = "path", .object_name = "name" };

		s->cells[i].frame = frame_table_add(frames, &key);
	}
	return s;
}

/* Each once, by number; what is no object, as frames that wait are not, is left out. */
static void test_objects(void **state)
{
	const struct dso_cache_options options = { .synchronous = true, .kallsyms = "" };
	const struct dso_key key = { .kind = DSO_UNKNOWN, .path = "[stack]" };
	struct dso_cache *cache = dso_cache_new(&options);
	struct frame_table *frames = frame_table_new(NULL);
	uint32_t known = dso_cache_get(cache, &key);
	const uint32_t objects[] = { 0x7fffff00u, known, 0x80000001u, known, known + 1, 0 };
	struct snapshot *s = snapshot_of(frames, objects, 6);

	(void)state;
	objects_describe(s, cache);
	assert_int_equal(s->object_count, 1);
	assert_string_equal(snapshot_object_find(s, known)->path, "[stack]");
	assert_null(snapshot_object_find(s, 0x7fffff00u));
	snapshot_free(s);
	frame_table_free(frames);
	dso_cache_free(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
	};

	return unit_run(tests);
}
