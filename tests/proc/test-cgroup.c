/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "proc/cgroup.h"

#define ID "4f1c2a90b3de5c7788990011223344556677889900aabbccddeeff0011223344"
#define V2 "0::/system.slice/ssh.service\n"
#define HYBRID                                                                    \
	"9:name=systemd:/user.slice\n8:pids:/\n4:memory,hugetlb:/docker/" ID "\n" \
	"2:cpu,perf_event:/perf/group\n0::/\n"

static void assert_path(const char *text, const char *controller, const char *expected)
{
	struct cgroup_path path = { "", 0 };
	bool found = cgroup_path_find(text, strlen(text), controller, &path);

	assert_true(found == (expected != NULL));
	if (expected &&
	    (path.size != strlen(expected) || memcmp(path.at, expected, path.size) != 0))
		fail_msg("'%.*s' is not '%s'", (int)path.size, path.at, expected);
}

UNIT_TEST(test_path)
{
	assert_path(V2, NULL, "/system.slice/ssh.service");
	assert_path(V2, "", "/system.slice/ssh.service");
	assert_path(V2, "perf_event", NULL);
	assert_path(HYBRID, NULL, "/user.slice");
	assert_path(HYBRID, "", "/");
	assert_path(HYBRID, "perf_event", "/perf/group");
	assert_path(HYBRID, "hugetlb", "/docker/" ID);
	assert_path(HYBRID, "perf", NULL);
	assert_path("1:cpu:/\n0::/\n", NULL, "/");
	assert_path("1:cpu:/a\n0::/b\n", NULL, "/b");
	assert_path("0::/a:b", NULL, "/a:b");
	assert_path("", NULL, NULL);
	assert_path("0::\n", NULL, NULL);
	assert_path("0:\n/\n::\n", NULL, NULL);
	assert_path("0::relative\n", NULL, NULL);
}

/* Every beginning of the text, in memory of exactly that size. */
UNIT_TEST(test_truncated)
{
	struct cgroup_path path;
	struct cgroup_mount mount;

	for (size_t size = 0; size < sizeof(HYBRID); size++) {
		char *text = malloc(size ? size : 1);

		memcpy(text, HYBRID, size);
		cgroup_path_find(text, size, NULL, &path);
		cgroup_mount_find(text, size, &mount);
		free(text);
	}
}

UNIT_TEST(test_below)
{
	assert_true(cgroup_is_below("/a/b", "/a/b"));
	assert_true(cgroup_is_below("/a/b", "/a"));
	assert_true(cgroup_is_below("/a/b", "/a/"));
	assert_true(cgroup_is_below("/a/b", "/"));
	assert_true(cgroup_is_below("/", "/"));
	assert_false(cgroup_is_below("/a", "/a/b"));
	assert_false(cgroup_is_below("/ab", "/a"));
	assert_false(cgroup_is_below("/", "/a"));
}

UNIT_TEST(test_container)
{
	static const char *const with[] = {
		"/docker/" ID,
		"/system.slice/docker-" ID ".scope",
		"/machine.slice/libpod-" ID ".scope/container",
		"/kubepods/burstable/pod1b2c3d4e-0000-1111-2222-333344445555/" ID,
		"/kubepods.slice/kubepods-besteffort.slice/cri-containerd-" ID ".scope",
		"/system.slice/crio-" ID ".scope",
		"/ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff/" ID,
	};
	static const char *const without[] = {
		"/",
		"",
		"/user.slice/user-1000.slice",
		"/docker/" ID "0",
		"/docker/x" ID,
		"/docker/4f1c2a90b3de",
		"/docker/Z" ID,
	};

	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		const char *id = cgroup_container(with[i]);

		assert_non_null(id);
		assert_int_equal(strncmp(id, ID, CGROUP_ID_DIGITS), 0);
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		assert_null(cgroup_container(without[i]));
}

static void assert_mount(const char *text, const char *path, const char *controller)
{
	struct cgroup_mount mount;

	assert_true(cgroup_mount_find(text, strlen(text), &mount));
	assert_string_equal(mount.path, path);
	assert_string_equal(mount.controller, controller);
}

UNIT_TEST(test_mount)
{
	static const char *const none[] = {
		"",
		"proc /proc proc rw 0 0\n",
		"cgroup /c cgroup rw,cpu 0 0\n",
		"cgroup /c cgroup rw,perf_events 0 0\n",
		"cgroup2 /c\n",
		"cgroup2 /a\\000b cgroup2 rw 0 0\n",
		"cgroup2 /a\\0x0b cgroup2 rw 0 0\n",
		"cgroup2 /a\\777b cgroup2 rw 0 0\n",
	};
	struct cgroup_mount mount;

	assert_mount("proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n",
		     "/sys/fs/cgroup", "");
	assert_mount("cgroup2 /u cgroup2 rw 0 0\ncgroup /p cgroup rw,cpu,perf_event 0 0\n", "/p",
		     "perf_event");
	assert_mount("cgroup /p cgroup rw,perf_event,net 0 0\ncgroup2 /u cgroup2 rw 0 0", "/p",
		     "perf_event");
	assert_mount("none /a\\040b\\134c cgroup2 rw 0 0\n", "/a b\\c", "");
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(cgroup_mount_find(none[i], strlen(none[i]), &mount));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),  cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_below), cmocka_unit_test(test_container),
		cmocka_unit_test(test_mount),
	};

	return unit_run(tests);
}
