/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading what processes have in memory, by a thread, from a /proc of the test's own. */
#include "unit.h"

#include <errno.h>
#include <sched.h>

#include "base/clock.h"
#include "engine/memory.h"
#include "proc/tree.h"

#define DEADLINE_NS (30 * NS_PER_S)

struct bench {
	struct tree tree;
	struct memory *memory;
};

static struct bench bench_open(void)
{
	struct bench b;

	tree_init(&b.tree);
	return b;
}

/* The tree does not move any more. */
static void bench_start(struct bench *b)
{
	b->memory = memory_new(&b->tree.procfs, &clock_system);
}

static void bench_close(struct bench *b)
{
	memory_free(b->memory);
	tree_fini(&b->tree);
}

static void write_rollup(struct bench *b, uint32_t pid, uint64_t kib)
{
	char name[32];

	snprintf(name, sizeof(name), "%u/smaps_rollup", pid);
	tree_printf(&b->tree, name, "Rss: %llu kB\nPss: 1 kB\nSwap: 2 kB\n",
		    (unsigned long long)kib);
}

/* Waits until it was read. */
static struct memory_answer answer_of(struct bench *b, uint32_t serial)
{
	uint64_t end = clock_monotonic_ns(&clock_system) + DEADLINE_NS;
	struct memory_answer a = { .read_ns = 0 };

	while (!a.read_ns) {
		assert_true(memory_find(b->memory, serial, &a));
		assert_true(clock_monotonic_ns(&clock_system) < end);
		sched_yield();
	}
	return a;
}

UNIT_TEST(reads_all_that_are_wished_for)
{
	struct memory_wish wishes[] = { { 7, 100 }, { 8, 101 }, { 9, 102 } };
	struct bench b = bench_open();
	struct memory_answer a;

	write_rollup(&b, 7, 70);
	write_rollup(&b, 8, 80);
	bench_start(&b);
	assert_false(memory_find(b.memory, 100, &a));
	memory_want(b.memory, wishes, 3, false);
	assert_int_equal(answer_of(&b, 100).usage.resident, 70 * 1024);
	assert_int_equal(answer_of(&b, 101).usage.resident, 80 * 1024);
	assert_int_equal(answer_of(&b, 102).error, -ENOENT);
	memory_want(b.memory, wishes + 1, 1, false);
	assert_false(memory_find(b.memory, 100, &a));
	assert_true(memory_find(b.memory, 101, &a)); /* known before, and still */
	assert_int_equal(a.usage.swap, 2048);
	memory_want(b.memory, NULL, 0, false);
	assert_false(memory_find(b.memory, 101, &a));
	bench_close(&b);
}

struct seen {
	size_t rows;
	uint64_t mappings, others;
	struct smaps_usage sum, heap;
	uint64_t heaps;
};

static void see(void *context, const char *path, uint64_t count, const struct smaps_usage *usage)
{
	struct seen *seen = context;

	seen->rows++;
	seen->mappings += count;
	smaps_usage_add(&seen->sum, usage);
	if (!strcmp(path, "[others]"))
		seen->others += count;
	if (!strcmp(path, "[heap]")) {
		seen->heaps += count;
		smaps_usage_add(&seen->heap, usage);
	}
}

static struct memory_answer mappings_of(struct bench *b, uint32_t serial, struct seen *seen)
{
	uint64_t end = clock_monotonic_ns(&clock_system) + DEADLINE_NS;
	struct memory_answer a = { .read_ns = 0 };

	while (!a.read_ns) {
		*seen = (struct seen){ .sum = smaps_unknown, .heap = smaps_unknown };
		assert_true(memory_mappings(b->memory, serial, see, seen, &a));
		assert_true(clock_monotonic_ns(&clock_system) < end);
		sched_yield();
	}
	return a;
}

UNIT_TEST(folds_mappings_by_path)
{
	const struct memory_wish wish = { 7, 100 }, other = { 8, 101 };
	struct bench b = bench_open();
	struct memory_answer a;
	struct seen seen;

	write_rollup(&b, 7, 12);
	tree_printf(&b.tree, "7/smaps",
		    "1000-2000 r--p 0 0:0 0 /a\nRss: 4 kB\n"
		    "2000-3000 rw-p 0 0:0 0 [heap]\nRss: 4 kB\nSwap: 8 kB\n"
		    "3000-4000 rw-p 0 0:0 0 [heap]\nRss: 4 kB\n");
	bench_start(&b);
	memory_want(b.memory, &wish, 1, true);
	a = mappings_of(&b, 100, &seen);
	assert_int_equal(seen.rows, 2);
	assert_int_equal(seen.mappings, 3);
	assert_int_equal(seen.heaps, 2);
	assert_int_equal(seen.heap.resident, 8192);
	assert_int_equal(seen.heap.swap, 8192);
	assert_int_equal(a.usage.resident, answer_of(&b, 100).usage.resident);
	assert_int_equal(a.merged, 0);
	memory_want(b.memory, &other, 1, true);
	assert_int_equal(mappings_of(&b, 101, &seen).error, -ENOENT);
	assert_int_equal(seen.rows, 0);
	memory_want(b.memory, &wish, 1, false);
	assert_false(memory_mappings(b.memory, 100, see, &seen, &a));
	bench_close(&b);
}

/* A process chooses how many names there are; what they hold is not lost. */
UNIT_TEST(too_many_names_are_merged)
{
	enum { NAMES = MEMORY_NAMES + 1000 };
	const struct memory_wish wish = { 7, 100 };
	struct bench b = bench_open();
	struct buf text = { 0 };
	struct memory_answer a;
	struct seen seen;

	for (unsigned i = 0; i < NAMES; i++)
		buf_printf(&text, "%x000-%x000 rw-p 0 0:0 0 /n%u\nRss: 4 kB\n", i + 1, i + 2, i);
	tree_write(&b.tree, "7/smaps", text.bytes, text.size);
	bench_start(&b);
	memory_want(b.memory, &wish, 1, true);
	a = mappings_of(&b, 100, &seen);
	assert_int_equal(seen.rows, MEMORY_NAMES + 1);
	assert_int_equal(seen.mappings, NAMES);
	assert_int_equal(seen.others, 1000);
	assert_int_equal(a.merged, 1000);
	assert_int_equal(seen.sum.resident, NAMES * 4096);
	buf_fini(&text);
	bench_close(&b);
}

/* Another program, or another process with that pid: what was known is not true of it. */
UNIT_TEST(forgets)
{
	const struct memory_wish wish = { 7, 100 }, again = { 7, 101 };
	struct bench b = bench_open();
	struct memory_answer a;
	struct seen seen;

	write_rollup(&b, 7, 12);
	tree_printf(&b.tree, "7/smaps", "1000-2000 r--p 0 0:0 0 /a\nRss: 4 kB\n");
	bench_start(&b);
	memory_want(b.memory, &wish, 1, true);
	a = answer_of(&b, 100);
	mappings_of(&b, 100, &seen);
	write_rollup(&b, 7, 99);
	memory_forget(b.memory, 100);
	assert_int_equal(answer_of(&b, 100).usage.resident, 99 * 1024);
	assert_true(answer_of(&b, 100).read_ns > a.read_ns);
	memory_forget(b.memory, 12345);
	memory_want(b.memory, &again, 1, true);
	assert_false(memory_find(b.memory, 100, &a));
	assert_int_equal(answer_of(&b, 101).usage.resident, 99 * 1024);
	bench_close(&b);
}

/* A second reading is a second later at least, and is not waited for when it ends. */
UNIT_TEST(rests)
{
	const struct memory_wish wish = { 7, 100 };
	struct bench b = bench_open();
	struct memory_answer first, later;

	write_rollup(&b, 7, 12);
	bench_start(&b);
	memory_want(b.memory, &wish, 1, false);
	first = later = answer_of(&b, 100);
	while (later.read_ns == first.read_ns)
		memory_find(b.memory, 100, &later);
	assert_true(later.read_ns - first.read_ns >= MEMORY_INTERVAL_NS);
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_that_are_wished_for),
		cmocka_unit_test(folds_mappings_by_path),
		cmocka_unit_test(too_many_names_are_merged),
		cmocka_unit_test(forgets),
		cmocka_unit_test(rests),
	};

	return unit_run(tests);
}
