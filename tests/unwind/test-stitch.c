/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks that are larger than their copies. */
#include "unit.h"

#include "unwind/stitch.h"

#define FRAMES 6

/* main() at the end, each frame 256 bytes above the one that it called. */
static const uint64_t frames[FRAMES] = { 0x1001, 0x2001, 0x3001, 0x4001, 0x5001, 0x6001 };
static const uint64_t sps[FRAMES] = { 0x100, 0x200, 0x300, 0x400, 0x500, 0x600 };

static struct stitch_stack stack_of(size_t first, size_t count)
{
	return (struct stitch_stack){ .thread = 7,
				      .generation = 1,
				      .frames = frames + first,
				      .sps = sps + first,
				      .count = count };
}

static struct stitches *with_one(void)
{
	struct stitches *s = stitches_new();
	struct stitch_stack whole = stack_of(0, FRAMES);

	stitches_keep(s, &whole);
	return s;
}

UNIT_TEST(callers_are_those_of_the_last_whole_stack)
{
	struct stitches *s = with_one();
	struct stitch_stack cut = stack_of(1, 2);
	uint64_t to[FRAMES] = { 0 };

	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 3);
	assert_memory_equal(to, frames + 3, 3 * sizeof(*to));
	stitches_free(s);
}

/* Deeper and deeper, while nothing returns: each is completed by the one before it. */
UNIT_TEST(what_was_completed_completes_the_next)
{
	const uint64_t deep[] = { 0xa001, 0xb001, 0x1001, 0x2001 },
		       at[] = { 0x10, 0x80, 0x100, 0x200 };
	struct stitch_stack cut = {
		.thread = 7, .generation = 1, .frames = deep, .sps = at, .count = 4
	};
	struct stitches *s = with_one();
	uint64_t to[FRAMES];

	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 4);
	cut.count = 2;
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 6);
	assert_memory_equal(to, frames, sizeof(to));
	stitches_free(s);
}

UNIT_TEST(other_stacks_are_left_alone)
{
	const uint64_t moved[] = { 0x100, 0x208 }, called[] = { 0x1001, 0x2005 };
	struct stitch_stack cut, same = stack_of(0, 2);
	struct stitches *s = with_one();
	uint64_t to[FRAMES];

	cut = same;
	cut.sps = moved; /* another stack pointer in its last frame */
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	cut = same;
	cut.frames = called; /* called from elsewhere */
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	cut = same;
	cut.thread++;
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	cut = same;
	cut.generation++;
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	cut = stack_of(1, 1); /* one frame alone is no evidence */
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	cut = stack_of(FRAMES - 2, 2); /* nobody called main() */
	assert_int_equal(stitches_complete(s, &cut, to, FRAMES), 0);
	assert_int_equal(stitches_complete(s, &same, to, FRAMES), 4);
	stitches_free(s);
}

UNIT_TEST(frames_of_a_stack_are_limited)
{
	struct stitches *s = with_one();
	struct stitch_stack cut = stack_of(0, 2);
	uint64_t to[FRAMES] = { 0 };

	assert_int_equal(stitches_complete(s, &cut, to, 3), 0);
	assert_int_equal(to[0], 0);
	assert_int_equal(stitches_complete(s, &cut, to, 4), 4);
	stitches_free(s);
}

UNIT_TEST(more_threads_than_have_room)
{
	struct stitches *s = stitches_new();
	size_t known = 0;
	uint64_t to[FRAMES];

	for (uint64_t thread = 0; thread < 5000; thread++) {
		struct stitch_stack whole = stack_of(0, FRAMES);

		whole.thread = thread;
		stitches_keep(s, &whole);
	}
	for (uint64_t thread = 0; thread < 5000; thread++) {
		struct stitch_stack cut = stack_of(0, 2);

		cut.thread = thread;
		known += stitches_complete(s, &cut, to, FRAMES) == 4;
	}
	assert_in_range(known, 500, 1024);
	stitches_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_those_of_the_last_whole_stack),
		cmocka_unit_test(what_was_completed_completes_the_next),
		cmocka_unit_test(other_stacks_are_left_alone),
		cmocka_unit_test(frames_of_a_stack_are_limited),
		cmocka_unit_test(more_threads_than_have_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
