/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/alloc.h"
#include "share/wire.h"

#define DELAY_NS 7000000ull

/* Bytes that do not repeat, by SEED, of which every 64th is different for each ROUND. */
static struct buf block_of(size_t size, uint32_t seed, uint32_t round)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		buf_add_char(&b, (char)(i % 64 ? seed >> 24 : seed / 7 * (round + 1)));
	}
	return b;
}

/* The greeting, and a message for each of COUNT blocks of SIZE bytes. */
static struct buf stream_of(size_t size, uint32_t count)
{
	struct wire_writer *w = wire_writer_new();
	struct buf out = { 0 };

	wire_greet(DELAY_NS, 1000, &out);
	for (uint32_t i = 0; i < count; i++) {
		struct buf block = block_of(size, 1, i);

		wire_write(w, &block, 2000 + i, &out);
		buf_fini(&block);
	}
	wire_writer_free(w);
	return out;
}

static void assert_block(const struct wire_message *m, size_t size, uint32_t round)
{
	struct buf expected = block_of(size, 1, round);

	assert_int_equal(m->sent_ns, 2000 + round);
	assert_int_equal(m->size, size);
	assert_memory_equal(m->block, expected.bytes, size);
	buf_fini(&expected);
}

/* Reads S in pieces of STEP bytes; returns the number of blocks, which are all as they were. */
static uint32_t read_in_pieces(const struct buf *s, size_t step, size_t size)
{
	struct wire_reader *r = wire_reader_new();
	enum wire_event event;
	struct wire_message m;
	uint32_t blocks = 0;
	bool greeted = false;

	for (size_t at = 0; at < s->size; at += step) {
		wire_feed(r, s->bytes + at, s->size - at < step ? s->size - at : step);
		while ((event = wire_next(r, &m)) != WIRE_NOTHING) {
			assert_int_equal(event, greeted ? WIRE_BLOCK : WIRE_GREETING);
			if (greeted)
				assert_block(&m, size, blocks++);
			else
				assert_int_equal(m.delay_ns, DELAY_NS);
			greeted = true;
		}
	}
	wire_reader_free(r);
	return blocks;
}

UNIT_TEST(blocks_come_as_they_were_however_they_are_cut)
{
	static const size_t steps[] = { 1, 7, 24, 4096, 1 << 20 };
	struct buf s = stream_of(3000, 5);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		assert_int_equal(read_in_pieces(&s, steps[i], 3000), 5);
	buf_fini(&s);
}

UNIT_TEST(an_empty_and_a_large_block_come)
{
	struct buf none = stream_of(0, 2), large = stream_of(WIRE_BLOCK_MAX, 1);

	assert_int_equal(read_in_pieces(&none, 100, 0), 2);
	assert_int_equal(read_in_pieces(&large, 65536, WIRE_BLOCK_MAX), 1);
	buf_fini(&none);
	buf_fini(&large);
}

/* Noise cannot be compressed, so all that is saved is from the block before. */
UNIT_TEST(what_did_not_change_is_not_sent_again)
{
	struct buf one = stream_of(100000, 1), two = stream_of(100000, 2);

#ifdef HAVE_ZSTD
	assert_true(one.size > 90000);
	assert_true(two.size - one.size < one.size / 5);
#else
	assert_true(two.size - one.size >= 100000);
#endif
	buf_fini(&one);
	buf_fini(&two);
}

/* An answer is between two blocks, the second of which is compressed with the first. */
UNIT_TEST(an_answer_comes_between_blocks)
{
	struct wire_writer *w = wire_writer_new();
	struct wire_reader *r = wire_reader_new();
	struct ask_answer_message answer;
	struct ask_answer read;
	struct wire_message m;
	struct buf out = { 0 };

	ask_answer_write(&answer, ASK_NOT_NAMED, "cycles:u");
	wire_greet(DELAY_NS, 1000, &out);
	for (uint32_t i = 0; i < 2; i++) {
		struct buf block = block_of(3000, 1, i);

		wire_write(w, &block, 2000 + i, &out);
		wire_answer(&answer, &out);
		buf_fini(&block);
	}
	for (size_t i = 0; i < out.size; i++) {
		static const enum wire_event expected[] = { WIRE_GREETING, WIRE_BLOCK, WIRE_ANSWER,
							    WIRE_BLOCK, WIRE_ANSWER };
		static size_t events;
		enum wire_event event;

		wire_feed(r, out.bytes + i, 1);
		event = wire_next(r, &m);
		if (event == WIRE_NOTHING)
			continue;
		assert_int_equal(event, expected[events++]);
		if (event == WIRE_BLOCK)
			assert_block(&m, 3000, events > 2);
		if (event != WIRE_ANSWER)
			continue;
		assert_true(ask_answer_read(&m.answer, sizeof(m.answer), &read));
		assert_int_equal(read.result, ASK_NOT_NAMED);
		assert_string_equal(read.text, "cycles:u");
		assert_int_equal(i == out.size - 1, events == 5);
	}
	wire_reader_free(r);
	wire_writer_free(w);
	buf_fini(&out);
}

/* The event of SIZE bytes that have come, behind any number of good ones. */
static enum wire_event last_event(const void *bytes, size_t size)
{
	struct wire_reader *r = wire_reader_new();
	enum wire_event event, last = WIRE_NOTHING;
	struct wire_message m;

	wire_feed(r, bytes, size);
	while ((event = wire_next(r, &m)) != WIRE_NOTHING && event <= WIRE_BLOCK)
		last = event;
	if (event != WIRE_NOTHING) {
		last = event;
		assert_int_equal(wire_next(r, &m), event); /* for good */
	}
	wire_reader_free(r);
	return last;
}

UNIT_TEST(another_program_is_told_by_its_first_bytes)
{
	assert_int_equal(last_event("bash: ptop: command not found", 29), WIRE_FOREIGN);
	assert_int_equal(last_event("b", 1), WIRE_FOREIGN);
	assert_int_equal(last_event("", 0), WIRE_NOTHING);
}

UNIT_TEST(a_stream_that_is_cut_waits_for_the_rest)
{
	struct buf s = stream_of(500, 1);

	for (size_t size = 1; size < s.size; size++)
		assert_true(last_event(s.bytes, size) <= WIRE_GREETING);
	assert_int_equal(last_event(s.bytes, s.size), WIRE_BLOCK);
	buf_fini(&s);
}

/* The head behind the greeting: method, bytes, and the bytes of the block. */
UNIT_TEST(sizes_that_no_writer_sends_are_damage)
{
	struct buf s = stream_of(500, 1);
	uint32_t *words = (uint32_t *)(s.bytes + 3 * sizeof(uint64_t));
	const uint32_t good[3] = { words[0], words[1], words[2] };

	for (words[0] = 2; words[0] < 4; words[0]++) /* an answer of another size, and no method */
		assert_int_equal(last_event(s.bytes, s.size), WIRE_DAMAGED);
	words[0] = good[0];
	words[1] = UINT32_MAX;
	assert_int_equal(last_event(s.bytes, s.size), WIRE_DAMAGED);
	words[1] = good[1];
	words[2] = good[2] + 1;
	assert_int_equal(last_event(s.bytes, s.size), WIRE_DAMAGED);
	words[2] = good[2] - 1;
	assert_int_equal(last_event(s.bytes, s.size), WIRE_DAMAGED);
	words[2] = WIRE_BLOCK_MAX + 1;
	assert_int_equal(last_event(s.bytes, s.size), WIRE_DAMAGED);
	words[2] = good[2];
	assert_int_equal(last_event(s.bytes, s.size), WIRE_BLOCK);
	buf_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_come_as_they_were_however_they_are_cut),
		cmocka_unit_test(an_empty_and_a_large_block_come),
		cmocka_unit_test(what_did_not_change_is_not_sent_again),
		cmocka_unit_test(an_answer_comes_between_blocks),
		cmocka_unit_test(another_program_is_told_by_its_first_bytes),
		cmocka_unit_test(a_stream_that_is_cut_waits_for_the_rest),
		cmocka_unit_test(sizes_that_no_writer_sends_are_damage),
	};

	return unit_run(tests);
}
