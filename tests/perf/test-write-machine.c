/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <ftw.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "perf/data/write-machine.h"

/* The description of a machine with two sockets of two threads, of which the last one is off. */
static const struct {
	const char *path, *text;
} files[] = {
#define CPU "devices/system/cpu/cpu"
	{ CPU "0/topology/core_siblings_list", "0-1\n" },
	{ CPU "0/topology/thread_siblings_list", "0-1\n" },
	{ CPU "0/topology/die_cpus_list", "0-1\n" },
	{ CPU "0/topology/core_id", "4\n" },
	{ CPU "0/topology/physical_package_id", "0\n" },
	{ CPU "0/topology/die_id", "7\n" },
	{ CPU "1/topology/core_siblings_list", "0-1\n" },
	{ CPU "1/topology/thread_siblings_list", "0-1\n" },
	{ CPU "1/topology/die_cpus_list", "0-1\n" },
	{ CPU "1/topology/core_id", "4\n" },
	{ CPU "1/topology/physical_package_id", "0\n" },
	{ CPU "1/topology/die_id", "7\n" },
	{ CPU "2/topology/core_siblings_list", "2\n" },
	{ CPU "2/topology/thread_siblings_list", "2\n" },
	{ CPU "2/topology/die_cpus_list", "2\n" },
	{ CPU "2/topology/core_id", "5\n" },
	{ CPU "2/topology/physical_package_id", "1\n" },
	{ CPU "2/topology/die_id", "8\n" },
	{ "bus/event_source/devices/cpu/type", "4\n" },
	{ "bus/event_source/devices/uprobe/type", "8\n" },
	{ "bus/event_source/devices/broken/typo", "8\n" },
};
#define FILES (sizeof(files) / sizeof(*files))

static void tree_init(char root[64], size_t count)
{
	strcpy(root, "/tmp/ptop-machine-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < count; i++) {
		char *command = mem_printf("mkdir -p $(dirname %s/%s) && printf '%s' >%s/%s", root,
					   files[i].path, files[i].text, root, files[i].path);

		assert_int_equal(system(command), 0);
		free(command);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static void assert_text(struct bytes *b, const char *expected)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	assert_non_null(text);
	assert_int_equal(size % 64, 0);
	assert_string_equal(text, expected);
}

static void assert_sets(struct bytes *b)
{
	assert_int_equal(bytes_u32(b), 2);
	assert_text(b, "0-1");
	assert_text(b, "2");
}

UNIT_TEST(topology_is_of_all_cpus)
{
	static const uint32_t places[][2] = {
		{ 4, 0 }, { 4, 0 }, { 5, 1 }, { UINT32_MAX, UINT32_MAX }
	};
	static const uint32_t dies[] = { 7, 7, 8, UINT32_MAX };
	struct buf made = { 0 };
	struct bytes b;
	char root[64];

	tree_init(root, FILES);
	write_topology(&made, root, 4);
	b = bytes_of(made.bytes, made.size);
	assert_sets(&b);
	assert_sets(&b);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(bytes_u32(&b), places[i][0]);
		assert_int_equal(bytes_u32(&b), places[i][1]);
	}
	assert_sets(&b);
	for (int i = 0; i < 4; i++)
		assert_int_equal(bytes_u32(&b), dies[i]);
	assert_false(b.failed);
	assert_int_equal(b.left, 0);
	buf_clear(&made);
	write_pmus(&made, root);
	b = bytes_of(made.bytes, made.size);
	assert_int_equal(bytes_u32(&b), 2);
	assert_int_equal(bytes_u32(&b), 4);
	assert_text(&b, "cpu");
	assert_int_equal(bytes_u32(&b), 8);
	assert_text(&b, "uprobe");
	assert_int_equal(b.left, 0);
	buf_fini(&made);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

UNIT_TEST(a_machine_that_says_nothing_has_no_section)
{
	struct buf made = { 0 };
	char root[64];

	tree_init(root, 0);
	write_topology(&made, root, 4);
	write_pmus(&made, root);
	assert_int_equal(made.size, 0);
	buf_fini(&made);
	rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topology_is_of_all_cpus),
		cmocka_unit_test(a_machine_that_says_nothing_has_no_section),
	};

	return unit_run(tests);
}
