/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <pthread.h>

#include "base/account.h"
#include "base/alloc.h"
#include "profile/frame.h"

static char *bracketed(const char *raw)
{
	return *raw == '_' ? mem_printf("<%s>", raw) : NULL;
}

static struct frame_key key_of(uint32_t object, uint32_t symbol, const char *raw)
{
	return (struct frame_key){ .object = object,
				   .symbol = symbol,
				   .raw = raw,
				   .object_path = "/usr/lib/x.so",
				   .object_name = "x.so" };
}

UNIT_TEST(equal_keys_are_one_frame)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	struct frame_key k = key_of(1, 2, "_Z1f"), other = key_of(1, 3, "_Z1f");
	uint32_t frame = frame_table_add(t, &k);

	assert_int_equal(frame_table_add(t, &k), frame);
	assert_int_not_equal(frame_table_add(t, &other), frame);
	assert_int_not_equal(frame, FRAME_NONE);
	assert_int_not_equal(frame, FRAME_REST);
	assert_string_equal(frame_symbol(t, frame), "<_Z1f>");
	assert_ptr_equal(frame_symbol(t, frame), frame_symbol(t, frame));
	assert_string_equal(frame_raw_symbol(t, frame), "_Z1f");
	assert_string_equal(frame_object_path(t, frame), "/usr/lib/x.so");
	assert_string_equal(frame_object_name(t, frame), "x.so");
	assert_int_equal(frame_object(t, frame), 1);
	assert_int_equal(frame_table_count(t), 4); /* none, rest and two */
	frame_table_free(t);
}

UNIT_TEST(an_object_has_its_share_of_the_names)
{
	enum { NAME_BYTES = 16 * 1024 };
	struct frame_table *t = frame_table_new(NULL, 0);
	char name[NAME_BYTES + 1];
	struct frame_key k = key_of(1, 0, name), other = key_of(2, 0, "main");
	uint32_t first;

	memset(name, 'n', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	first = frame_table_add(t, &k);
	while (frame_table_add(t, &k) != FRAME_REST && k.symbol < 100000)
		k.symbol++;
	assert_in_range(k.symbol, account_user(0, ACCOUNT_FUNCTIONS) / NAME_BYTES / 2,
			account_user(0, ACCOUNT_FUNCTIONS) / NAME_BYTES);
	assert_int_equal(frame_table_merged(t), 1);
	k.symbol = 0; /* what is known stays */
	assert_int_equal(frame_table_add(t, &k), first);
	assert_string_equal(frame_symbol(t, frame_table_add(t, &other)), "main");
	assert_int_equal(frame_table_merged(t), 1);
	frame_table_free(t);
}

UNIT_TEST(a_name_that_is_not_mangled_stays)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	struct frame_key k = key_of(1, 2, "main");

	assert_string_equal(frame_symbol(t, frame_table_add(t, &k)), "main");
	frame_table_free(t);
}

UNIT_TEST(an_inlined_function_is_marked)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	struct frame_key k = key_of(1, FRAME_INLINED_SYMBOLS, "_f(int)");
	uint32_t frame;

	k.flags = FRAME_INLINED;
	frame = frame_table_add(t, &k);
	assert_string_equal(frame_symbol(t, frame), "_f(int) (inlined)");
	assert_string_equal(frame_function(t, frame), "_f(int)");
	k.symbol = 5;
	k.flags = 0;
	assert_string_equal(frame_function(t, frame_table_add(t, &k)), "<_f(int)>");
	frame_table_free(t);
}

UNIT_TEST(a_function_without_a_name_is_a_place_in_its_object)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	struct frame_key k = key_of(1, 7, "");
	uint32_t frame;

	k.object_name = "_cc1";
	k.address = 0x5e0a40;
	k.flags = FRAME_UNNAMED;
	frame = frame_table_add(t, &k);
	assert_string_equal(frame_symbol(t, frame), "_cc1+0x5e0a40");
	assert_string_equal(frame_raw_symbol(t, frame), "_cc1+0x5e0a40");
	assert_int_equal(frame_table_add(t, &k), frame);
	k.symbol = 8;
	k.raw = "cc1+0x10"; /* of a base, whose text is made already */
	assert_string_equal(frame_symbol(t, frame_table_add(t, &k)), "cc1+0x10");
	frame_table_free(t);
}

UNIT_TEST(a_source_is_told_once)
{
	struct frame_table *t = frame_table_new(NULL, 0);
	struct frame_key k = key_of(1, 2, "f");
	char file[] = "/src/a.c";
	uint32_t frame;

	k.address = 0x40;
	frame = frame_table_add(t, &k);
	assert_int_equal(frame_address(t, frame), 0x40);
	assert_null(frame_source(t, frame));
	frame_set_source(t, frame, file, 7);
	file[5] = 'b';
	frame_set_source(t, frame, file, 8);
	assert_string_equal(frame_source(t, frame)->file, "/src/a.c");
	assert_string_equal(frame_source(t, frame)->text, "a.c:7");
	assert_int_equal(frame_source(t, frame)->line, 7);
	assert_null(frame_source(t, 99));
	frame_table_free(t);
}

UNIT_TEST(the_table_keeps_the_name)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	char raw[] = "_Z1f";
	struct frame_key k = key_of(1, 2, raw);
	uint32_t frame = frame_table_add(t, &k);

	memset(raw, 'x', sizeof(raw) - 1);
	assert_string_equal(frame_raw_symbol(t, frame), "_Z1f");
	assert_string_equal(frame_symbol(t, frame), "<_Z1f>");
	frame_table_free(t);
}

UNIT_TEST(an_object_has_one_frame_for_each_lack_of_a_name)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	struct frame_key k = key_of(7, 1, NULL);
	uint32_t unknown, pending;

	k.flags = FRAME_UNKNOWN;
	unknown = frame_table_add(t, &k);
	k.symbol = 2;
	assert_int_equal(frame_table_add(t, &k), unknown);
	k.flags = FRAME_PENDING;
	pending = frame_table_add(t, &k);
	assert_int_not_equal(pending, unknown);
	k.flags = FRAME_OTHERS;
	assert_int_equal(frame_table_add(t, &k), FRAME_REST);
	assert_string_equal(frame_symbol(t, unknown), "[unknown]");
	assert_string_equal(frame_symbol(t, pending), "[loading]");
	assert_string_equal(frame_symbol(t, FRAME_REST), "[others]");
	assert_int_equal(frame_flags(t, pending), FRAME_PENDING);
	k = key_of(8, 1, NULL);
	k.flags = FRAME_UNKNOWN;
	assert_int_not_equal(frame_table_add(t, &k), unknown);
	frame_table_free(t);
}

UNIT_TEST(numbers_that_are_not_there_read_as_others)
{
	struct frame_table *t = frame_table_new(NULL, 0);

	assert_string_equal(frame_symbol(t, FRAME_NONE), "[others]");
	assert_string_equal(frame_symbol(t, 12345), "[others]");
	assert_string_equal(frame_object_path(t, UINT32_MAX), "[others]");
	assert_int_equal(frame_flags(t, UINT32_MAX), FRAME_OTHERS);
	frame_table_free(t);
	frame_table_free(NULL);
}

#define MANY 20000

static void *read_all(void *context)
{
	struct frame_table *t = context;

	for (uint32_t frame = FRAME_REST + 1; frame < MANY; frame++) {
		while (frame_table_count(t) <= frame)
			;
		if (strcmp(frame_symbol(t, frame), "<_x>"))
			return t;
	}
	return NULL;
}

UNIT_TEST(another_thread_reads_while_frames_are_added)
{
	struct frame_table *t = frame_table_new(bracketed, 0);
	pthread_t readers[2];

	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_all, t), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		struct frame_key k = key_of(i, i, "_x");

		frame_table_add(t, &k);
	}
	for (size_t i = 0; i < 2; i++) {
		void *bad;

		assert_int_equal(pthread_join(readers[i], &bad), 0);
		assert_null(bad);
	}
	frame_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_one_frame),
		cmocka_unit_test(an_object_has_its_share_of_the_names),
		cmocka_unit_test(a_name_that_is_not_mangled_stays),
		cmocka_unit_test(an_inlined_function_is_marked),
		cmocka_unit_test(a_function_without_a_name_is_a_place_in_its_object),
		cmocka_unit_test(a_source_is_told_once),
		cmocka_unit_test(the_table_keeps_the_name),
		cmocka_unit_test(an_object_has_one_frame_for_each_lack_of_a_name),
		cmocka_unit_test(numbers_that_are_not_there_read_as_others),
		cmocka_unit_test(another_thread_reads_while_frames_are_added),
	};

	return unit_run(tests);
}
