/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

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

UNIT_TEST(integers_are_as_printf_has_them)
{
	static const int64_t values[] = { 0,         7,        -7, 10, 99, 1000, -1234567890123,
					  INT64_MAX, INT64_MIN };
	struct buf b = { 0 };
	char expected[32];

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		buf_clear(&b);
		buf_add_integer(&b, values[i]);
		snprintf(expected, sizeof(expected), "%" PRId64, values[i]);
		assert_string_equal(b.bytes, expected);
	}
	buf_fini(&b);
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
		cmocka_unit_test(integers_are_as_printf_has_them),
	};

	return unit_run(tests);
}
