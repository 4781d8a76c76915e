/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "app/audiences.h"

/* Lines of /proc/self/mounts, and if processes of others are hidden then. */
UNIT_TEST(hidepid_is_found)
{
	static const struct {
		const char *mounts;
		bool hides;
	} cases[] = {
		{ "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n", false },
		{ "proc /proc proc rw,relatime,hidepid=2 0 0\n", true },
		{ "proc /proc proc rw,hidepid=1,gid=27 0 0\n", true },
		{ "proc /proc proc rw,gid=27,hidepid=invisible 0 0\n", true },
		{ "proc /proc proc rw,hidepid=ptraceable 0 0\n", true },
		{ "proc /proc proc rw,hidepid=0 0 0\n", false },
		{ "proc /proc proc rw,hidepid=off 0 0\n", false },
		{ "proc /mnt/proc proc rw,hidepid=2 0 0\nproc /proc proc rw 0 0\n", false },
		{ "proc /proc proc rw 0 0\nproc /proc proc rw,hidepid=2 0 0\n", true },
		{ "proc /proc proc rw,hidepid=2 0 0\nproc /proc proc rw 0 0\n", false },
		{ "tmpfs /proc tmpfs rw 0 0\n", true },
		{ "", true },
	};
	char path[] = "/tmp/ptop-mounts-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].mounts);

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].mounts, size, 0), size);
		if (audiences_proc_hides(path) != cases[i].hides)
			fail_msg("%s", cases[i].mounts);
	}
	close(fd);
	unlink(path);
	assert_true(audiences_proc_hides(path)); /* what cannot be read */
}

/* Contents of /proc/self/uid_map or gid_map, and if no id of the machine lacks its own number. */
UNIT_TEST(ids_that_look_alike_are_found)
{
	static const struct {
		const char *map;
		bool mapped;
	} cases[] = {
		{ "         0          0 4294967295\n", true },
		{ "         0          0      65536\n", false },
		{ "         0     100000 4294867295\n", false },
		{ "         0       1000          1\n         1     100000      65536\n", false },
		{ "", false },
	};
	char path[] = "/tmp/ptop-map-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].map);

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].map, size, 0), size);
		if (audiences_ids_mapped(path) != cases[i].mapped)
			fail_msg("%s", cases[i].map);
	}
	close(fd);
	unlink(path);
	assert_false(audiences_ids_mapped(path)); /* it cannot be read */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidepid_is_found),
		cmocka_unit_test(ids_that_look_alike_are_found),
	};

	return unit_run(tests);
}
