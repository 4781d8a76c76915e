/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "profile/calltree.h"
#include "profile/frame.h"

static uint32_t add_stack(struct calltree *t, const uint32_t *frames, size_t count)
{
	uint32_t node = CALL_ROOT;

	for (size_t i = 0; i < count; i++)
		node = calltree_add(t, node, frames[i]);
	return node;
}

#define STACK(t, ...)                                   \
	add_stack(t, (const uint32_t[]){ __VA_ARGS__ }, \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

UNIT_TEST(the_same_stack_is_the_same_node)
{
	struct calltree *t = calltree_new(0);
	uint32_t a = STACK(t, 5, 6, 7), b = STACK(t, 5, 6, 8), c = STACK(t, 9, 6, 7);

	assert_int_equal(calltree_count(t), 2 + 4 + 3);
	assert_int_equal(STACK(t, 5, 6, 7), a);
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, c);
	assert_int_equal(calltree_at(t, a).parent, calltree_at(t, b).parent);
	assert_int_equal(calltree_at(t, c).frame, 7);
	assert_int_equal(calltree_at(t, CALL_ROOT).frame, FRAME_NONE);
	assert_int_equal(STACK(t, FRAME_REST), CALL_OTHERS);
	calltree_free(t);
	calltree_free(NULL);
}

/* Recursion is as deep as it was. */
UNIT_TEST(callers_are_numbered_first)
{
	struct calltree *t = calltree_new(0);

	for (uint32_t i = 0; i < 5000; i++)
		STACK(t, 3 + i % 7, 20 + i % 11, 20 + i % 11, 40 + i);
	for (uint32_t i = 1; i < calltree_count(t); i++)
		assert_true(calltree_at(t, i).parent < i);
	assert_int_equal(calltree_count(t), 2 + 7 + 77 + 77 + 5000);
	assert_true(calltree_bytes(t) < 200000);
	calltree_free(t);
}

UNIT_TEST(room_ends_at_the_limit)
{
	struct calltree *t = calltree_new(1);

	assert_true(calltree_has_room(t, CALLTREE_NODES_MIN - 2));
	assert_false(calltree_has_room(t, CALLTREE_NODES_MIN - 1));
	assert_false(calltree_has_room(t, SIZE_MAX));
	for (uint32_t i = 0; i < CALLTREE_NODES_MIN; i++)
		STACK(t, 10 + i);
	assert_false(calltree_has_room(t, 0));
	calltree_free(t);
}

UNIT_TEST(what_nobody_needs_is_dropped)
{
	struct calltree *t = calltree_new(0);
	uint32_t gone = STACK(t, 4, 5, 6), kept = STACK(t, 4, 7, 8), map[16];
	unsigned char keep[16] = { 0 };

	keep[kept] = 1;
	calltree_collect(t, keep, map);
	assert_int_equal(calltree_count(t), 2 + 3);
	assert_int_equal(map[gone], CALL_ROOT);
	assert_int_equal(map[CALL_OTHERS], CALL_OTHERS);
	assert_int_equal(calltree_at(t, map[kept]).frame, 8);
	assert_int_equal(STACK(t, 4, 7, 8), map[kept]);
	assert_int_equal(calltree_count(t), 2 + 3);
	assert_int_equal(STACK(t, 4, 5, 6), 6);
	calltree_free(t);
}

/* 6 and 7 turn out to be the same function. */
static const uint32_t *one_name(void *context, const uint32_t *frame, size_t *count)
{
	static const uint32_t six = 6;

	(void)context;
	*count = 1;
	return *frame == 7 ? &six : frame;
}

UNIT_TEST(equal_names_make_equal_stacks)
{
	struct calltree *t = calltree_new(0), *named;
	uint32_t a = STACK(t, 5, 6, 8), b = STACK(t, 5, 7, 8), c = STACK(t, 5, 7, 9), map[16];

	named = calltree_renamed(t, one_name, NULL, map);
	assert_int_equal(map[a], map[b]);
	assert_int_not_equal(map[b], map[c]);
	assert_int_equal(calltree_at(named, calltree_at(named, map[c]).parent).frame, 6);
	assert_int_equal(calltree_count(named), 2 + 4);
	calltree_free(named);
	calltree_free(t);
}

/* 7 turns out to be 10 within 7. */
static const uint32_t *two_names(void *context, const uint32_t *frame, size_t *count)
{
	static const uint32_t both[] = { 7, 10 };

	(void)context;
	*count = *frame == 7 ? 2 : 1;
	return *frame == 7 ? both : frame;
}

UNIT_TEST(a_frame_can_become_several)
{
	struct calltree *t = calltree_new(0), *named;
	uint32_t a = STACK(t, 5, 7, 8), b = STACK(t, 5, 7, 10, 8), map[16];

	named = calltree_renamed(t, two_names, NULL, map);
	assert_int_equal(calltree_count(named), 2 + 3 + 1 + 2);
	assert_int_equal(calltree_at(named, map[a]).frame, 8);
	assert_int_equal(calltree_at(named, calltree_at(named, map[a]).parent).frame, 10);
	assert_int_equal(map[a], STACK(named, 5, 7, 10, 8));
	assert_int_equal(map[b], STACK(named, 5, 7, 10, 10, 8));
	calltree_free(named);
	calltree_free(t);
}

#define FRAMES 24 /* from FIRST on */
#define FIRST 4
#define STACKS 3000
#define DEEP 6

struct random_names {
	uint32_t lists[FIRST + FRAMES][3];
	size_t counts[FIRST + FRAMES];
};

static const uint32_t *random_name(void *context, const uint32_t *frame, size_t *count)
{
	const struct random_names *names = context;

	*count = names->counts[*frame];
	return names->lists[*frame];
}

static uint32_t random_frame(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return FIRST + (*seed >> 16) % FRAMES;
}

/* Most frames stay; the others become one, two or three. */
static void make_names(struct random_names *names, uint32_t *seed)
{
	for (uint32_t frame = 0; frame < FIRST + FRAMES; frame++) {
		bool stays = frame < FIRST || random_frame(seed) % 4;

		names->counts[frame] = stays ? 1 : 1 + random_frame(seed) % 3;
		for (size_t i = 0; i < names->counts[frame]; i++)
			names->lists[frame][i] = stays ? frame : random_frame(seed);
	}
}

/* The same, each node looked for. */
static struct calltree *renamed_one_by_one(const struct calltree *t, struct random_names *names,
					   uint32_t *map)
{
	struct calltree *to = calltree_new(0);
	size_t count;

	map[CALL_ROOT] = CALL_ROOT;
	map[CALL_OTHERS] = CALL_OTHERS;
	for (uint32_t i = CALL_OTHERS + 1; i < calltree_count(t); i++) {
		struct call_node n = calltree_at(t, i);
		const uint32_t *frames = random_name(names, &n.frame, &count);

		map[i] = map[n.parent];
		for (size_t f = 0; f < count; f++)
			map[i] = calltree_add(to, map[i], frames[f]);
	}
	return to;
}

UNIT_TEST(names_make_the_tree_that_its_stacks_make)
{
	static uint32_t mine[STACKS * DEEP * 27], truth[STACKS * DEEP * 27];

	for (uint32_t seed = 1; seed < 40; seed++) {
		struct calltree *t = calltree_new(0);
		uint32_t random = seed;

		for (unsigned i = 0; i < seed * STACKS / 40; i++) {
			uint32_t node = CALL_ROOT;

			for (unsigned deep = 0; deep < DEEP; deep++)
				node = calltree_add(t, node, random_frame(&random));
		}
		for (unsigned round = 0; round < 3; round++) {
			struct random_names names;
			struct calltree *named, *expected;

			make_names(&names, &random);
			named = calltree_renamed(t, random_name, &names, mine);
			expected = renamed_one_by_one(t, &names, truth);
			assert_int_equal(calltree_count(named), calltree_count(expected));
			assert_memory_equal(mine, truth, calltree_count(t) * sizeof(*mine));
			assert_memory_equal(calltree_nodes(named), calltree_nodes(expected),
					    calltree_count(named) * sizeof(struct call_node));
			calltree_free(expected);
			calltree_free(t);
			t = named;
		}
		calltree_free(t);
	}
}

UNIT_TEST(the_nodes_can_be_taken)
{
	struct calltree *t = calltree_new(0);
	uint32_t node = STACK(t, 5, 6);
	struct call_node *nodes;
	size_t count;

	nodes = calltree_take(t, &count);
	assert_int_equal(count, 4);
	assert_int_equal(nodes[node].frame, 6);
	assert_int_equal(nodes[nodes[node].parent].frame, 5);
	assert_int_equal(calltree_count(t), 2);
	assert_int_equal(STACK(t, 7), 2);
	free(nodes);
	calltree_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_stack_is_the_same_node),
		cmocka_unit_test(callers_are_numbered_first),
		cmocka_unit_test(room_ends_at_the_limit),
		cmocka_unit_test(what_nobody_needs_is_dropped),
		cmocka_unit_test(equal_names_make_equal_stacks),
		cmocka_unit_test(a_frame_can_become_several),
		cmocka_unit_test(names_make_the_tree_that_its_stacks_make),
		cmocka_unit_test(the_nodes_can_be_taken),
	};

	return unit_run(tests);
}
