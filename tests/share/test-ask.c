/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <string.h>

#include "share/ask.h"

static struct ask_message request(void)
{
	struct ask_message m;

	assert_true(ask_write(&m, ASK_DROP, "page-faults"));
	return m;
}

UNIT_TEST(a_request_comes_as_it_was)
{
	struct ask_message m = request();
	struct ask a;

	assert_true(ask_read(&m, sizeof(m), &a));
	assert_int_equal(a.kind, ASK_DROP);
	assert_string_equal(a.text, "page-faults");
}

UNIT_TEST(an_answer_comes_as_it_was)
{
	struct ask_answer_message m;
	struct ask_answer a;

	ask_answer_write(&m, ASK_WRONG, "no such event");
	assert_true(ask_answer_read(&m, sizeof(m), &a));
	assert_int_equal(a.result, ASK_WRONG);
	assert_string_equal(a.text, "no such event");
}

UNIT_TEST(texts_have_a_largest_size)
{
	char text[2 * ASK_TEXT_MAX];
	struct ask_answer_message answer;
	struct ask_message m;
	struct ask_answer a;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_false(ask_write(&m, ASK_ADD, text));
	ask_answer_write(&answer, ASK_WRONG, text);
	assert_true(ask_answer_read(&answer, sizeof(answer), &a));
	assert_int_equal(strlen(a.text), ASK_TEXT_MAX - 1);
	text[ASK_TEXT_MAX - 1] = '\0';
	assert_true(ask_write(&m, ASK_ADD, text));
}

/* No memory of the sender's is sent. */
UNIT_TEST(what_is_behind_a_text_is_zero)
{
	struct ask_message m;
	char zeros[ASK_TEXT_MAX] = "";

	memset(&m, 'x', sizeof(m));
	assert_true(ask_write(&m, ASK_ADD, "cs"));
	assert_memory_equal(m.ask.text + 2, zeros, ASK_TEXT_MAX - 2);
}

UNIT_TEST(a_half_and_one_byte_too_many_are_none)
{
	char bytes[sizeof(struct ask_answer_message) + 1] = "";
	struct ask_answer_message answer;
	struct ask_message m = request();
	struct ask_answer a;
	struct ask r;

	memcpy(bytes, &m, sizeof(m));
	for (size_t size = 0; size <= sizeof(m) + 1; size++)
		assert_int_equal(ask_read(bytes, size, &r), size == sizeof(m));
	ask_answer_write(&answer, ASK_DONE, "");
	memcpy(bytes, &answer, sizeof(answer));
	for (size_t size = 0; size <= sizeof(answer) + 1; size++)
		assert_int_equal(ask_answer_read(bytes, size, &a), size == sizeof(answer));
}

/* Each byte with each value: a message is refused, or its text is one that the server may look up. */
UNIT_TEST(each_byte_wrong_is_harmless)
{
	const struct ask_message good = request();

	for (size_t i = 0; i < sizeof(good); i++) {
		for (int value = 0; value < 256; value++) {
			struct ask_message m = good;
			struct ask a = { .kind = ASKS };
			bool read;

			((unsigned char *)&m)[i] = (unsigned char)value;
			read = ask_read(&m, sizeof(m), &a);
			if (i < sizeof(m.magic) && memcmp(&m, &good, sizeof(m)) != 0)
				assert_false(read);
			if (!read) {
				assert_int_equal(a.kind, ASKS);
				continue;
			}
			assert_true(a.kind < ASKS);
			assert_in_range(strlen(a.text), 1, ASK_TEXT_MAX - 1);
			for (const char *c = a.text; *c; c++)
				assert_in_range(*c, ' ', '~');
		}
	}
}

UNIT_TEST(a_text_without_end_is_refused)
{
	struct ask_message m = request();
	struct ask_answer_message answer;
	struct ask_answer a;
	struct ask r;

	memset(m.ask.text, 'x', sizeof(m.ask.text));
	assert_false(ask_read(&m, sizeof(m), &r));
	ask_answer_write(&answer, ASK_DONE, "");
	memset(answer.answer.text, 'x', sizeof(answer.answer.text));
	assert_false(ask_answer_read(&answer, sizeof(answer), &a));
	ask_answer_write(&answer, ASK_DONE, "");
	answer.answer.result = ASK_RESULTS;
	assert_false(ask_answer_read(&answer, sizeof(answer), &a));
}

/* One text for each, in one table. */
UNIT_TEST(each_refusal_has_a_text)
{
	for (int i = 0; i < ASK_RESULTS; i++) {
		bool refused = i != ASK_GIVEN && i != ASK_DONE && i != ASK_WRONG;

		assert_int_equal(ask_refusal(i) != NULL, refused);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_comes_as_it_was),
		cmocka_unit_test(an_answer_comes_as_it_was),
		cmocka_unit_test(texts_have_a_largest_size),
		cmocka_unit_test(what_is_behind_a_text_is_zero),
		cmocka_unit_test(a_half_and_one_byte_too_many_are_none),
		cmocka_unit_test(each_byte_wrong_is_harmless),
		cmocka_unit_test(a_text_without_end_is_refused),
		cmocka_unit_test(each_refusal_has_a_text),
	};

	return unit_run(tests);
}
