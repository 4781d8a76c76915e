/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory: the parts of the limit, and what tables give back beyond it. */
#include "unit.h"

#include <unistd.h>

#include "base/alloc.h"
#include "engine/rig.h"
#include "proc/tree.h"

#define S NS_PER_S

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOREIGN_ALLOCATOR true
#else
#define FOREIGN_ALLOCATOR false
#endif

/* All that cannot be given back, and the least of the rest, fit into the limit.  Workers are told what is left. */
UNIT_TEST(what_stays_fits_into_the_limit)
{
	uint64_t least = 0;

	for (enum account_table i = 0; i < ACCOUNT_TABLES; i++) {
		assert_true(account_least(0, i) <= account_most(0, i));
		assert_true(account_user(0, i) <= account_most(0, i));
		least += i == ACCOUNT_WORKERS ? 0 : account_rows[i].least;
	}
	assert_true(least <= 1000);
	assert_int_equal(account_most(1000000, ACCOUNT_SYMBOLS), 500000);
	assert_int_equal(account_most(0, ACCOUNT_SYMBOLS),
			 account_most(ACCOUNT_BYTES, ACCOUNT_SYMBOLS));
}

/* Each thread is a cell, and a key of the past. */
static void run_threads(struct rig *rig, uint32_t count, uint32_t second)
{
	for (uint32_t i = 0; i < count; i++)
		rig_receive(rig, fake_sample(50, 50 + i, 0, second * S + i, 0x10000, 0));
	rig->now_ns = (second + 1) * S;
	engine_drained(rig->engine, rig->now_ns);
}

static void open_with(struct rig *rig, uint64_t memory_bytes)
{
	rig_init(rig, "cpu-clock", TIER_CPU_GROUP);
	rig->options.past = true;
	rig->options.memory_bytes = memory_bytes;
	rig_open(rig);
}

UNIT_TEST(a_full_account_sheds_the_past)
{
	struct rig rig;
	uint64_t shed_kib = 0, shed = 0;

	open_with(&rig, 512 << 10);
	for (uint32_t second = 3; second < 103; second++) {
		run_threads(&rig, 1000, second);
		rig_snapshot(&rig);
		shed += rig.snapshot->sampling.account.shed[ACCOUNT_PAST];
		shed_kib += rig.snapshot->sampling.losses[LOSS_MEMORY];
	}
	assert_true(shed > 0);
	assert_true(shed_kib > 0);
	assert_int_equal(rig.snapshot->sampling.account.limit, 512 << 10);
	rig_fini(&rig);
}

UNIT_TEST(an_account_with_room_sheds_nothing)
{
	struct rig rig;

	open_with(&rig, 0);
	for (uint32_t second = 3; second < 8; second++) {
		run_threads(&rig, 1000, second);
		rig_snapshot(&rig);
		assert_int_equal(rig.snapshot->sampling.losses[LOSS_MEMORY], 0);
	}
	assert_int_equal(rig.snapshot->sampling.account.limit, ACCOUNT_BYTES);
	assert_true(rig.snapshot->sampling.account.bytes[ACCOUNT_PAST] > 0);
	assert_true(rig.snapshot->sampling.account.bytes[ACCOUNT_TASKS] > 0);
	rig_fini(&rig);
}

static size_t resident_kib(void)
{
	unsigned long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
	fclose(f);
	return resident * ((size_t)sysconf(_SC_PAGESIZE) >> 10);
}

/* Pages between blocks that are in use, as after a storm of processes.  Nothing has to shed for that. */
UNIT_TEST(free_memory_goes_back)
{
	enum { BLOCKS = 2000, BLOCK_KIB = 32 };
	struct rig rig;
	char *large[BLOCKS], *small[BLOCKS];
	size_t before;

	if (FOREIGN_ALLOCATOR || unit_under_valgrind())
		skip();
	open_with(&rig, 0);
	for (size_t i = 0; i < BLOCKS; i++) {
		large[i] = memset(mem_alloc(BLOCK_KIB << 10), 1, BLOCK_KIB << 10);
		small[i] = mem_alloc(64);
	}
	mem_free_each((void **)large, BLOCKS);
	before = resident_kib();
	for (uint32_t second = 3; second < 20; second++)
		run_threads(&rig, 1, second);
	assert_in_range(resident_kib(), 1, before - BLOCKS * BLOCK_KIB / 4 * 3);
	assert_int_equal(rig_snapshot(&rig)->sampling.losses[LOSS_MEMORY], 0);
	mem_free_each((void **)small, BLOCKS);
	rig_fini(&rig);
}

/* Users may make thousands of control groups, whose files are read, too. */
UNIT_TEST(control_groups_have_a_part)
{
	struct rig rig;
	struct tree t;
	char path[64];
	const struct account_sums *a;
	uint64_t shed = 0, refused = 0;

	tree_init(&t);
	tree_printf(&t, "mounts", "cgroup2 %s/tree cgroup2 rw 0 0\n", t.root);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "tree/user/%u/memory.current", i);
		tree_printf(&t, path, "1\n");
	}
	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.options.proc_root = t.root;
	rig.options.extras = EXTRA_GROUPS | EXTRA_GROUP_MEMORY;
	rig.options.memory_bytes = 4 << 20;
	rig_open(&rig);
	engine_set_groups(rig.engine, NULL, 0, true);
	for (unsigned second = 3; second < 60; second++) {
		run_threads(&rig, 1, second);
		rig_snapshot(&rig);
		a = &rig.snapshot->sampling.account;
		shed += a->shed[ACCOUNT_GROUPS];
		refused += rig.snapshot->sampling.losses[LOSS_GROUPS];
		assert_true(a->bytes[ACCOUNT_GROUPS] <= account_most(4 << 20, ACCOUNT_GROUPS));
	}
	assert_true(a->bytes[ACCOUNT_GROUPS] > account_most(4 << 20, ACCOUNT_GROUPS) / 2);
	assert_true(rig.snapshot->group_count > 50 && rig.snapshot->group_count < 1000);
	assert_true(shed > 0);
	assert_true(refused > 0);
	rig_fini(&rig);
	tree_fini(&t);
}

/* What it holds does not come again. */
UNIT_TEST(a_recording_sheds_nothing)
{
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_FILE);
	rig.options.past = true;
	rig.options.memory_bytes = 2 << 20;
	rig_open(&rig);
	run_threads(&rig, 1000, 3);
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->sampling.account.limit, 0);
	assert_int_equal(rig.snapshot->sampling.losses[LOSS_MEMORY], 0);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stays_fits_into_the_limit),
		cmocka_unit_test(a_full_account_sheds_the_past),
		cmocka_unit_test(an_account_with_room_sheds_nothing),
		cmocka_unit_test(free_memory_goes_back),
		cmocka_unit_test(control_groups_have_a_part),
		cmocka_unit_test(a_recording_sheds_nothing),
	};

	return unit_run(tests);
}
