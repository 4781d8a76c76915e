/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

UNIT_TEST(memory_is_zeroed)
{
	unsigned char *a = mem_alloc(4096), *b = mem_array(64, 64), *empty = mem_alloc(0);

	for (int i = 0; i < 4096; i++)
		assert_int_equal(a[i] | b[i], 0);
	assert_non_null(empty);
	free(a);
	free(b);
	free(empty);
	free(mem_array(0, 8));
}

UNIT_TEST(texts_are_copied)
{
	char *a = mem_strdup("abc"), *b = mem_strndup("abcdef", 2),
	     *c = mem_printf("%d-%s", 7, "x");

	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_string_equal(c, "7-x");
	free(a);
	free(b);
	free(c);
}

UNIT_TEST(growth_zeroes_what_is_new_on_request)
{
	size_t capacity = 0, had;
	unsigned char *items = NULL;

	mem_grow_zeroed((void **)&items, &capacity, 1, 1);
	memset(items, 1, capacity);
	had = capacity;
	mem_grow_zeroed((void **)&items, &capacity, had + 1000, 1);
	for (size_t i = 0; i < capacity; i++)
		assert_int_equal(items[i], i < had);
	free(items);
}

UNIT_TEST(growth_at_least_doubles_and_keeps)
{
	size_t capacity = 0, moves = 0;
	uint32_t *items = NULL;

	for (size_t i = 0; i < 100000; i++) {
		size_t before = capacity;

		mem_grow((void **)&items, &capacity, i + 1, sizeof(*items));
		moves += capacity != before;
		assert_true(capacity > i);
		items[i] = (uint32_t)i;
	}
	assert_in_range(moves, 1, 20);
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(items[i], i);
	mem_grow((void **)&items, &capacity, capacity * 5, sizeof(*items));
	assert_true(capacity >= 5 * 65536);
	free(items);
}

/* Returns true if a child that calls WHAT gets to its end; a sanitizer ends it in its own way. */
static bool survives(void (*what)(void))
{
	static const struct rlimit no_core;
	pid_t child = unit_fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		setrlimit(RLIMIT_CORE, &no_core);
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status == 0;
}

static void overflowing_array(void)
{
	volatile size_t many = SIZE_MAX / 2;

	free(mem_array(many, 4));
}

static void overflowing_growth(void)
{
	size_t capacity = 0;
	void *items = NULL;

	mem_grow(&items, &capacity, SIZE_MAX - 1, 1);
}

static void harmless(void)
{
	free(mem_array(4, 4));
}

UNIT_TEST(overflow_ends_the_process)
{
	assert_true(survives(harmless));
	assert_false(survives(overflowing_array));
	assert_false(survives(overflowing_growth));
}

static void end_with_seven(void)
{
	_exit(7);
}

UNIT_TEST(a_failure_is_told_before_the_end)
{
	pid_t child = unit_fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		size_t capacity = 0;
		void *items = NULL;

		mem_on_failure(end_with_seven);
		mem_grow(&items, &capacity, SIZE_MAX - 1, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static uint64_t seven(void *context)
{
	return 7 + *(uint64_t *)context;
}

UNIT_TEST(clocks_are_asked)
{
	uint64_t more = 1, first;
	struct clock mine = { .monotonic_ns = seven, .realtime_ns = seven, .context = &more };

	assert_int_equal(clock_monotonic_ns(&mine), 8);
	assert_int_equal(clock_realtime_ns(&mine), 8);
	first = clock_monotonic_ns(&clock_system);
	assert_true(clock_monotonic_ns(&clock_system) >= first);
	assert_true(clock_realtime_ns(&clock_system) / NS_PER_S > 1700000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(growth_zeroes_what_is_new_on_request),
		cmocka_unit_test(growth_at_least_doubles_and_keeps),
		cmocka_unit_test(overflow_ends_the_process),
		cmocka_unit_test(a_failure_is_told_before_the_end),
		cmocka_unit_test(clocks_are_asked),
	};

	return unit_run(tests);
}
