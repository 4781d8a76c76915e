/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/bytes.h"

static const unsigned char data[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

UNIT_TEST(reads_in_order)
{
	struct bytes b = bytes_of(data, sizeof(data));
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	assert_true(bytes_u64(&b) == word);
	assert_int_equal(b.left, 8);
	bytes_u32(&b);
	bytes_u16(&b);
	assert_int_equal(bytes_u8(&b), 15);
	assert_int_equal(bytes_u8(&b), 16);
	assert_int_equal(b.left, 0);
	assert_false(b.failed);
}

UNIT_TEST(reads_the_other_byte_order)
{
	struct bytes native = bytes_of(data, sizeof(data)), swapped = native;

	swapped.swap = true;
	assert_true(bytes_u64(&swapped) == __builtin_bswap64(bytes_u64(&native)));
	assert_true(bytes_u32(&swapped) == __builtin_bswap32(bytes_u32(&native)));
	assert_true(bytes_u16(&swapped) == __builtin_bswap16(bytes_u16(&native)));
	assert_int_equal(bytes_u8(&swapped), bytes_u8(&native));
}

/* The sizes of the readers, from every place near the end. */
UNIT_TEST(past_the_end_is_zero_and_stays_failed)
{
	for (size_t left = 0; left < 8; left++) {
		struct bytes b = bytes_of(data, left);

		assert_true(bytes_u64(&b) == 0);
		assert_true(b.failed);
		assert_int_equal(b.left, 0);
		assert_int_equal(bytes_u8(&b), 0);
		assert_null(bytes_take(&b, 1));
	}
	for (size_t left = 0; left < 4; left++) {
		struct bytes b = bytes_of(data, left);

		assert_int_equal(bytes_u32(&b), 0);
		assert_true(b.failed);
	}
	for (size_t left = 0; left < 2; left++) {
		struct bytes b = bytes_of(data, left);

		assert_int_equal(bytes_u16(&b), 0);
		assert_true(b.failed);
	}
}

UNIT_TEST(a_count_of_the_data_cannot_overflow)
{
	struct bytes b = bytes_of(data, sizeof(data));

	assert_null(bytes_take(&b, SIZE_MAX));
	assert_true(b.failed);
	b = bytes_of(data, sizeof(data));
	assert_ptr_equal(bytes_take(&b, 16), data);
	assert_non_null(bytes_take(&b, 0));
	assert_false(b.failed);
}

UNIT_TEST(text_needs_its_nul)
{
	struct bytes b = bytes_of("ab\0cd", 5);

	assert_string_equal(bytes_text(&b, 4), "ab");
	assert_int_equal(b.left, 1);
	assert_null(bytes_text(&b, 1));
	assert_true(b.failed);
	b = bytes_of("ab", 2);
	assert_null(bytes_text(&b, 3));
	assert_true(b.failed);
	b = bytes_of("ab", 2);
	assert_null(bytes_text(&b, 0));
	assert_true(b.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_in_order),
		cmocka_unit_test(reads_the_other_byte_order),
		cmocka_unit_test(past_the_end_is_zero_and_stays_failed),
		cmocka_unit_test(a_count_of_the_data_cannot_overflow),
		cmocka_unit_test(text_needs_its_nul),
	};

	return unit_run(tests);
}
