/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/build-id.h"

static const unsigned char bytes[BUILD_ID_MAX + 1] = { 0xab, 0x01, 0xff,
						       [BUILD_ID_MAX - 1] = 0x10 };

UNIT_TEST(equal_are_those_of_the_same_bytes)
{
	struct build_id a = build_id_of(bytes, 16), b = build_id_of(bytes, 16);
	struct build_id longer = build_id_of(bytes, 20), none = build_id_of(bytes, 0);

	b.bytes[16] = 1; /* behind its end */
	assert_true(build_id_equal(&a, &b));
	assert_false(build_id_equal(&a, &longer));
	assert_false(build_id_equal(&a, &none));
	assert_true(build_id_equal(&none, &none));
	b.bytes[15] ^= 1;
	assert_false(build_id_equal(&a, &b));
}

UNIT_TEST(what_is_too_long_is_none)
{
	assert_int_equal(build_id_of(bytes, BUILD_ID_MAX).size, BUILD_ID_MAX);
	assert_int_equal(build_id_of(bytes, BUILD_ID_MAX + 1).size, 0);
	assert_int_equal(build_id_of(NULL, SIZE_MAX).size, 0);
	assert_int_equal(build_id_of(NULL, 0).size, 0);
}

UNIT_TEST(texts_are_hexadecimal)
{
	struct build_id id = build_id_of(bytes, 3), none = { .size = 0 };
	char text[BUILD_ID_TEXT];

	assert_string_equal(build_id_format(&id, text), "ab01ff");
	assert_string_equal(build_id_format(&none, text), "");
	id = build_id_of(bytes, BUILD_ID_MAX);
	assert_string_equal(build_id_format(&id, text), "ab01ff0000000000000000000000000000000010");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_are_those_of_the_same_bytes),
		cmocka_unit_test(what_is_too_long_is_none),
		cmocka_unit_test(texts_are_hexadecimal),
	};

	return unit_run(tests);
}
