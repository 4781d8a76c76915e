/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>

#include "base/decimal.h"

UNIT_TEST(whole_numbers)
{
	uint64_t v = 7;

	assert_int_equal(decimal_parse_u64("0", 0, 10, &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(decimal_parse_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(decimal_parse_u64("18446744073709551616", 0, 10, &v), -ERANGE);
	assert_int_equal(decimal_parse_u64("99999999999999999999999999", 0, 10, &v), -ERANGE);
	assert_int_equal(decimal_parse_u64("11", 0, 10, &v), -ERANGE);
	assert_int_equal(decimal_parse_u64("1", 2, 10, &v), -ERANGE);
	assert_true(v == UINT64_MAX);
}

UNIT_TEST(what_is_no_whole_number)
{
	static const char *const texts[] = { "", " 1", "1 ", "-1", "+1", "0x1", "1.0", "1e3", "a" };
	uint64_t v = 7;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(decimal_parse_u64(texts[i], 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(v, 7);
}

UNIT_TEST(fractions)
{
	double v = 7;

	assert_int_equal(decimal_parse_double("0.25", 0.1, 3600, &v), 0);
	assert_true(v == 0.25);
	assert_int_equal(decimal_parse_double("3600", 0.1, 3600, &v), 0);
	assert_int_equal(decimal_parse_double(".5", 0.1, 3600, &v), 0);
	assert_true(v == 0.5);
	assert_int_equal(decimal_parse_double("0.1", 0.1, 3600, &v), 0);
	assert_int_equal(decimal_parse_double("0.09", 0.1, 3600, &v), -ERANGE);
	assert_int_equal(decimal_parse_double("3600.1", 0.1, 3600, &v), -ERANGE);
}

UNIT_TEST(what_is_no_fraction)
{
	static const char *const texts[] = { "",   ".",   "1.2.3", "nan", "inf",
					     "-1", "1e3", "0x1p3", "1,5", " 1" };
	double v = 7;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(decimal_parse_double(texts[i], 0, 1e9, &v), -EINVAL);
	assert_true(v == 7);
}

UNIT_TEST(endless_digits_are_out_of_range)
{
	char digits[1001];
	double v = 7;

	memset(digits, '9', 1000);
	digits[1000] = '\0';
	assert_int_equal(decimal_parse_double(digits, 0, 1e9, &v), -ERANGE);
	digits[1] = '.';
	assert_int_equal(decimal_parse_double(digits, 0, 1e9, &v), -ERANGE);
	assert_true(v == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(what_is_no_whole_number),
		cmocka_unit_test(fractions),
		cmocka_unit_test(what_is_no_fraction),
		cmocka_unit_test(endless_digits_are_out_of_range),
	};

	return unit_run(tests);
}
