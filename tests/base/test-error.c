/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/error.h"

UNIT_TEST(formats_and_fails)
{
	struct error err = { "" };

	assert_int_equal(error_set(&err, "cannot open %s: %d", "x", 7), -1);
	assert_string_equal(err.text, "cannot open x: 7");
	assert_int_equal(error_set(NULL, "nobody reads %s", "this"), -1);
}

/* No escape sequence gets through, in one byte, in two, or in eight-bit form. */
UNIT_TEST(control_bytes_become_question_marks)
{
	struct error err;

	error_set(&err, "%s", "a\033[2Jb\nc\rd\te\177f");
	assert_string_equal(err.text, "a?[2Jb?c?d?e?f");
	error_set(&err, "%s",
		  "a\xc2\x9b"
		  "2Jb"); /* U+009B, CSI */
	assert_string_equal(err.text, "a??2Jb");
	error_set(&err, "%s",
		  "a\x9b"
		  "2Jb"); /* CSI of an 8-bit terminal */
	assert_string_equal(err.text, "a?2Jb");
	error_set(&err, "%s",
		  "stra\xc3\x9f"
		  "e \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_string_equal(err.text, "stra\xc3\x9f"
				      "e \xe2\x82\xac \xf0\x9f\x98\x80");
	error_set(&err, "%s", "cut \xe2\x82");
	assert_string_equal(err.text, "cut ??");
}

/* A text that does not fit ends between two characters. */
UNIT_TEST(long_texts_are_cut)
{
	char text[1024] = "";
	struct error err;

	for (size_t lead = 0; lead < 3; lead++) {
		memset(text, 'x', lead);
		for (size_t i = lead; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 4);
		error_set(&err, "%s", text);
		assert_in_range(strlen(err.text), sizeof(err.text) - 4, sizeof(err.text) - 1);
		assert_null(strchr(err.text, '?'));
		assert_memory_equal(err.text + strlen(err.text) - 3, "\xe2\x82\xac", 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_and_fails),
		cmocka_unit_test(control_bytes_become_question_marks),
		cmocka_unit_test(long_texts_are_cut),
	};

	return unit_run(tests);
}
