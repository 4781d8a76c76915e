/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "naming/name.h"

#define NUMBER 0x12345u

static void assert_kind(struct name n, bool placeholder, bool list, bool open)
{
	assert_int_equal(name_is_placeholder(n), placeholder);
	assert_int_equal(name_is_list(n), list);
	assert_int_equal(name_is_open(n), open);
	assert_int_equal(name_number(n), NUMBER);
}

UNIT_TEST(a_name_is_one_of_its_kinds)
{
	assert_kind(name_of_frame(NUMBER), false, false, false);
	assert_kind(name_of_open_frame(NUMBER), false, false, true);
	assert_kind(name_of_list(NUMBER), false, true, false);
	assert_kind(name_of_placeholder(NUMBER), true, false, false);
}

UNIT_TEST(the_bits_of_a_frame_are_its_number)
{
	assert_int_equal(name_of_frame(NUMBER).bits, NUMBER);
	assert_int_equal(name_of_bits(NUMBER).bits, NUMBER);
	assert_kind(name_of_bits(name_of_placeholder(NUMBER).bits), true, false, false);
}

UNIT_TEST(only_an_open_frame_can_be_closed)
{
	assert_int_equal(name_closed(name_of_open_frame(NUMBER)).bits, NUMBER);
	assert_int_equal(name_closed(name_of_frame(NUMBER)).bits, NUMBER);
	assert_int_equal(name_closed(name_of_list(NUMBER)).bits, name_of_list(NUMBER).bits);
	assert_int_equal(name_closed(name_of_placeholder(NUMBER)).bits,
			 name_of_placeholder(NUMBER).bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_one_of_its_kinds),
		cmocka_unit_test(the_bits_of_a_frame_are_its_number),
		cmocka_unit_test(only_an_open_frame_can_be_closed),
	};

	return unit_run(tests);
}
