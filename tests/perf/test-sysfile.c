/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "perf/event/sysfile.h"

static struct machine machine;

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", machine.root, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
	FILE *f = fopen(at(name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

UNIT_TEST(a_text_loses_its_last_newline)
{
	char text[16];

	put("a", "abc\n", 4);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), 3);
	assert_string_equal(text, "abc");
	put("a", "a\nb\n\n", 5);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), 4);
	assert_string_equal(text, "a\nb\n");
	put("a", "", 0);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), 0);
	assert_string_equal(text, "");
	put("a", "ab\0cd", 5);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), 2);
}

UNIT_TEST(a_text_that_does_not_fit_is_refused)
{
	char text[8];

	put("a", "1234567", 7);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), 7);
	put("a", "12345678", 8);
	assert_int_equal(sysfile_read(at("a"), text, sizeof(text)), -EFBIG);
}

UNIT_TEST(only_regular_files_are_read)
{
	char text[8];

	assert_int_equal(sysfile_read(at("nosuch"), text, sizeof(text)), -ENOENT);
	assert_int_equal(sysfile_read(at("."), text, sizeof(text)), -EINVAL);
	/* A pipe that nobody writes must not stop us. */
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_int_equal(sysfile_read(at("fifo"), text, sizeof(text)), -EINVAL);
}

UNIT_TEST(a_number_is_all_of_the_text)
{
	static const struct {
		const char *text;
		int status;
		uint64_t value;
	} numbers[] = {
		{ "0\n", 0, 0 },
		{ "314\n", 0, 314 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "\n", -EINVAL, 0 },
		{ "12x\n", -EINVAL, 0 },
		{ "x", -EINVAL, 0 },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		put("n", numbers[i].text, strlen(numbers[i].text));
		assert_int_equal(sysfile_number(at("n"), &value), numbers[i].status);
		if (!numbers[i].status)
			assert_int_equal(value, numbers[i].value);
	}
}

UNIT_TEST(names_are_sorted_and_matched)
{
	char **names;
	int count;

	count = sysfile_names(at("tracing/events/sched"), "sched_w*", &names);
	assert_int_equal(count, 2);
	assert_string_equal(names[0], "sched_wakeup");
	assert_string_equal(names[1], "sched_wakeup_new");
	sysfile_names_free(names, count);
	count = sysfile_names(at("tracing"), "*", &names);
	assert_int_equal(count, 1); /* neither "." nor ".." */
	sysfile_names_free(names, count);
	count = sysfile_names(at("nosuch"), "*", &names);
	assert_int_equal(count, -ENOENT);
	sysfile_names_free(names, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_loses_its_last_newline),
		cmocka_unit_test(a_text_that_does_not_fit_is_refused),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(a_number_is_all_of_the_text),
		cmocka_unit_test(names_are_sorted_and_matched),
	};
	int status;

	machine_init(&machine);
	status = unit_run(tests);
	machine_fini(&machine);
	return status;
}
