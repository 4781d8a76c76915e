/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/buf.h"

UNIT_TEST(starts_empty)
{
	struct buf b = { 0 };

	buf_clear(&b);
	assert_null(b.bytes);
	buf_add(&b, NULL, 0);
	assert_int_equal(b.size, 0);
	assert_string_equal(b.bytes, "");
	buf_fini(&b);
	assert_null(b.bytes);
}

UNIT_TEST(keeps_bytes_across_growth)
{
	struct buf b = { 0 };

	for (int i = 0; i < 10000; i++)
		buf_add_char(&b, (char)('a' + i % 26));
	assert_int_equal(b.size, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(b.bytes[i], 'a' + i % 26);
	assert_int_equal(b.bytes[10000], '\0');
	buf_fini(&b);
}

UNIT_TEST(takes_nul_bytes)
{
	struct buf b = { 0 };

	buf_add(&b, "a\0b", 3);
	buf_add_str(&b, "c");
	assert_int_equal(b.size, 4);
	assert_memory_equal(b.bytes, "a\0bc", 5);
	buf_fini(&b);
}

UNIT_TEST(clear_keeps_the_memory)
{
	struct buf b = { 0 };
	size_t capacity;

	buf_printf(&b, "%0100d", 7);
	capacity = b.capacity;
	buf_clear(&b);
	assert_int_equal(b.size, 0);
	assert_string_equal(b.bytes, "");
	assert_int_equal(b.capacity, capacity);
	buf_fini(&b);
}

/* Every length around the places where the room ends. */
UNIT_TEST(truncation_keeps_the_beginning)
{
	struct buf b = { 0 };

	buf_truncate(&b, 0);
	assert_null(b.bytes);
	buf_add_str(&b, "abcdef");
	buf_truncate(&b, 3);
	assert_int_equal(b.size, 3);
	assert_string_equal(b.bytes, "abc");
	buf_add_char(&b, 'x');
	assert_string_equal(b.bytes, "abcx");
	buf_fini(&b);
}

UNIT_TEST(printf_appends_at_every_size)
{
	for (int before = 0; before < 40; before++) {
		for (int width = 1; width < 40; width++) {
			struct buf b = { 0 };

			for (int i = 0; i < before; i++)
				buf_add_char(&b, '.');
			buf_printf(&b, "%*d", width, 5);
			assert_int_equal(b.size, before + width);
			assert_int_equal(b.bytes[b.size - 1], '5');
			assert_int_equal(b.bytes[b.size], '\0');
			buf_fini(&b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(keeps_bytes_across_growth),
		cmocka_unit_test(takes_nul_bytes),
		cmocka_unit_test(clear_keeps_the_memory),
		cmocka_unit_test(truncation_keeps_the_beginning),
		cmocka_unit_test(printf_appends_at_every_size),
	};

	return unit_run(tests);
}
