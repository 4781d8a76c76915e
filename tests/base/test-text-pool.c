/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/text-pool.h"

UNIT_TEST(equal_texts_are_one)
{
	struct text_pool *p = text_pool_new();
	char text[] = "/usr/lib/libc.so.6";
	const char *a = text_pool_take(p, text), *b;

	text[1] = 'U';
	b = text_pool_take(p, "/usr/lib/libc.so.6");
	assert_ptr_equal(a, b);
	assert_string_equal(a, "/usr/lib/libc.so.6");
	assert_ptr_not_equal(text_pool_take(p, text), a);
	text_pool_free(p);
}

UNIT_TEST(the_last_holder_frees)
{
	struct text_pool *p = text_pool_new();
	const char *a = text_pool_take(p, "a");
	size_t one = text_pool_bytes(p);

	text_pool_hold(a);
	text_pool_drop(p, a);
	assert_int_equal(text_pool_bytes(p), one);
	assert_ptr_equal(text_pool_take(p, "a"), a);
	text_pool_drop(p, a);
	text_pool_drop(p, a);
	assert_int_equal(text_pool_bytes(p), 0);
	text_pool_free(p);
}

UNIT_TEST(many_come_and_go)
{
	struct text_pool *p = text_pool_new();
	const char *held[64] = { NULL };
	char text[32];

	for (unsigned i = 0; i < 100000; i++) {
		if (held[i % 64])
			text_pool_drop(p, held[i % 64]);
		snprintf(text, sizeof(text), "%u", i % 1000);
		held[i % 64] = text_pool_take(p, text);
		assert_string_equal(held[i % 64], text);
	}
	assert_true(text_pool_bytes(p) < 64 * 64);
	text_pool_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_are_one),
		cmocka_unit_test(the_last_holder_frees),
		cmocka_unit_test(many_come_and_go),
	};

	return unit_run(tests);
}
