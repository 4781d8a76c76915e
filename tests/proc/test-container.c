/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of containers: what the path of a group tells, and the files of each runtime. */
#include "unit.h"

#include <sys/stat.h>

#include "proc/container.h"
#include "proc/tree.h"

#define ID "4f1c2a90b3de5c7788990011223344556677889900aabbccddeeff0011223344"
#define UID "1b2c3d4e-0000-1111-2222-333344445555"
#define UID_OF_SYSTEMD "1b2c3d4e_0000_1111_2222_333344445555"

/* What a path tells. */

UNIT_TEST(a_path_tells_what_a_group_is)
{
	static const struct {
		const char *path;
		enum group_kind kind;
		const char *text, *id, *pod;
	} cases[] = {
		{ "/", GROUP_ROOT, "/", "", "" },
		{ "/system.slice", GROUP_SLICE, "system.slice", "", "" },
		{ "/system.slice/ssh.service", GROUP_SERVICE, "ssh.service", "", "" },
		{ "/system.slice/dev-hugepages.mount", GROUP_SERVICE, "dev-hugepages.mount", "",
		  "" },
		{ "/user.slice/user-1000.slice/session-3.scope", GROUP_SCOPE, "session-3.scope", "",
		  "" },
		{ "/system.slice/system-getty.slice/getty@tty1.service", GROUP_SERVICE,
		  "getty@tty1.service", "", "" },
		{ "/system.slice/a\\x2db\\x5c.service", GROUP_SERVICE, "a-b\\.service", "", "" },
		{ "/system.slice/a\\x2.service", GROUP_SERVICE, "a\\x2.service", "", "" },
		{ "/a/b c", GROUP_PLAIN, "b c", "", "" },
		{ "/docker/" ID, GROUP_CONTAINER, "4f1c2a90b3de", ID, "" },
		{ "/system.slice/docker-" ID ".scope", GROUP_CONTAINER, "4f1c2a90b3de", ID, "" },
		{ "/machine.slice/libpod-" ID ".scope", GROUP_CONTAINER, "4f1c2a90b3de", ID, "" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", GROUP_SCOPE, "conmon 4f1c2a90b3de",
		  "", "" },
		{ "/machine.slice/libpod-" ID ".scope/container", GROUP_PLAIN, "container", "",
		  "" },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_OF_SYSTEMD
		  ".slice",
		  GROUP_POD, UID, "", UID },
		{ "/kubepods/besteffort/pod" UID, GROUP_POD, UID, "", UID },
		{ "/kubepods/pod0123456789abcdef0123456789abcdef", GROUP_POD,
		  "0123456789abcdef0123456789abcdef", "", "0123456789abcdef0123456789abcdef" },
		{ "/kubepods.slice/kubepods-pod" UID_OF_SYSTEMD ".slice/cri-containerd-" ID
		  ".scope",
		  GROUP_CONTAINER, "4f1c2a90b3de", ID, "" },
		{ "/kubepods.slice", GROUP_SLICE, "kubepods.slice", "", "" },
		{ "/kubepods/podx", GROUP_PLAIN, "podx", "", "" },
		{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", GROUP_MACHINE, "qemu-1-vm", "",
		  "" },
		{ "/machine.slice/systemd-nspawn@web.service", GROUP_MACHINE, "web", "", "" },
		{ "/other.slice/machine-web.scope", GROUP_SCOPE, "machine-web.scope", "", "" },
		{ "/lxc.payload.web", GROUP_MACHINE, "web", "", "" },
		{ "/lxc/web", GROUP_MACHINE, "web", "", "" },
		{ "/machine.slice/machine-.scope", GROUP_SCOPE, "machine-.scope", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct group_name name;

		group_name_parse(cases[i].path, &name);
		if (name.kind != cases[i].kind || strcmp(name.text, cases[i].text) ||
		    strcmp(name.id, cases[i].id) || strcmp(name.pod, cases[i].pod))
			fail_msg("%s is '%s' (%s), id '%s', pod '%s'", cases[i].path, name.text,
				 group_kind_name(name.kind), name.id, name.pod);
	}
}

UNIT_TEST(a_long_path_is_cut)
{
	char path[4096];
	struct group_name name;

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	group_name_parse(path, &name);
	assert_int_equal(strlen(name.text), GROUP_NAME_BYTES - 1);
	memcpy(path + sizeof(path) - 9, "/a.slice", 8);
	group_name_parse(path, &name);
	assert_string_equal(name.text, "a.slice");
}

/* Files. */

struct machine {
	struct tree t;
	struct container_names names;
};

static void machine_init(struct machine *m)
{
	tree_init(&m->t);
	container_names_init(&m->names, m->t.root);
}

static void machine_fini(struct machine *m)
{
	container_names_fini(&m->names);
	tree_fini(&m->t);
}

#ifdef HAVE_JANSSON
/* Writes PLACE of the machine from a file of the runtime. */
static void put(struct machine *m, const char *place, const char *fixture)
{
	const char *source = getenv("abs_srcdir");
	char path[512], text[16384];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/proc/fixtures/containers/%s", source ? source : "..",
		 fixture);
	f = fopen(path, "r");
	assert_non_null(f);
	size = fread(text, 1, sizeof(text), f);
	fclose(f);
	tree_write(&m->t, place, text, size);
}
#endif

static void check_name(struct machine *m, const char *path, const char *want)
{
	char got[CONTAINER_NAME_BYTES] = "none";
	struct group_name name;

	group_name_parse(path, &name);
	assert_true(container_name_find(&m->names, &name, got) == (want != NULL));
	assert_string_equal(got, want ? want : "none");
}

#define DOCKER "/system.slice/docker-" ID ".scope"

#ifdef HAVE_JANSSON
UNIT_TEST(each_runtime_tells_its_names)
{
	static const struct {
		const char *place, *fixture, *name;
	} cases[] = {
		{ "var/lib/docker/containers/" ID "/config.v2.json", "docker-config.v2.json",
		  "shop-web-1" },
		{ "var/lib/docker/containers/" ID "/config.v2.json", "dockershim-config.v2.json",
		  "kube-system/coredns-5d78c9869d-abcde/coredns" },
		{ "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		  "containerd-config.json", "kube-system/coredns-5d78c9869d-abcde/coredns" },
		{ "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		  "containerd-sandbox-config.json", "kube-system/coredns-5d78c9869d-abcde/POD" },
		{ "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		  "containerd-config.json", "kube-system/coredns-5d78c9869d-abcde/coredns" },
		{ "run/containerd/io.containerd.runtime.v2.task/default/" ID "/config.json",
		  "nerdctl-config.json", "blog-db" },
		{ "run/containers/storage/overlay-containers/" ID "/userdata/config.json",
		  "crio-config.json", "openshift-cert/cert-6c5d/manager" },
		{ "var/lib/containers/storage/overlay-containers/containers.json",
		  "podman-containers.json", "backup" },
		{ "var/lib/containers/storage/vfs-containers/volatile-containers.json",
		  "podman-containers.json", "backup" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine m;

		machine_init(&m);
		check_name(&m, DOCKER, NULL);
		put(&m, cases[i].place, cases[i].fixture);
		check_name(&m, DOCKER, cases[i].name);
		machine_fini(&m);
	}
}

UNIT_TEST(podman_has_its_names_in_a_list)
{
	struct machine m;

	machine_init(&m);
	put(&m, "run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	    "podman-config.json");
	check_name(&m, DOCKER, NULL);
	put(&m, "var/lib/containers/storage/overlay-containers/containers.json",
	    "podman-containers.json");
	check_name(&m, DOCKER, "backup");
	machine_fini(&m);
}

#endif

UNIT_TEST(the_kubelet_names_pods)
{
	struct machine m;

	machine_init(&m);
	tree_printf(&m.t,
		    "var/log/pods/default_web-0_0f0e0d0c-0000-1111-2222-333344445555/web/0.log",
		    "x\n");
	tree_printf(&m.t, "var/log/pods/kube-system_coredns-5d78c9869d-abcde_" UID "/c/0.log",
		    "x\n");
	tree_printf(&m.t, "var/log/pods/odd/0.log", "x\n");
	tree_printf(&m.t,
		    "var/log/pods/kube-system_etcd-n1_0123456789abcdef0123456789abcdef/e/0.log",
		    "x\n");
	check_name(&m,
		   "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_OF_SYSTEMD
		   ".slice",
		   "kube-system/coredns-5d78c9869d-abcde");
	check_name(&m, "/kubepods/pod0123456789abcdef0123456789abcdef", "kube-system/etcd-n1");
	check_name(&m, "/kubepods/pod99999999-0000-1111-2222-333344445555", NULL);
	check_name(&m, "/system.slice/ssh.service", NULL);
	machine_fini(&m);
}

#ifdef HAVE_JANSSON
UNIT_TEST(hostile_files_give_no_name)
{
	const char *place = "var/lib/docker/containers/" ID "/config.v2.json";
	char path[256];
	struct machine m;

	machine_init(&m);
	tree_printf(&m.t, place, "{\"Name\":\"\"}");
	check_name(&m, DOCKER, NULL);
	tree_printf(&m.t, place, "{\"Name\":5,\"x\":{\"Name\":\"/deep\"}}");
	check_name(&m, DOCKER, NULL);
	tree_printf(&m.t, place,
		    "{\"Name\":\"/\\u001b[2J\\u0000tail\"}"); /* sanitized where it is shown */
	check_name(&m, DOCKER, "\033[2J");
	tree_printf(&m.t, place, "{\"Name\":\"/cut\"");
	check_name(&m, DOCKER, NULL);
	tree_printf(&m.t, place, "[[[[{}]],5]");
	check_name(&m, DOCKER, NULL);
	tree_remove(&m.t, place);
	snprintf(path, sizeof(path), "%s/%s", m.t.root, place);
	assert_int_equal(mkfifo(path, 0600), 0); /* opening it must not wait */
	check_name(&m, DOCKER, NULL);
	machine_fini(&m);
}

#endif

UNIT_TEST(without_a_root_nothing_has_a_name)
{
	struct container_names names;
	char got[CONTAINER_NAME_BYTES];
	struct group_name name;

	container_names_init(&names, "/nonexistent");
	group_name_parse(DOCKER, &name);
	assert_false(container_name_find(&names, &name, got));
	container_names_fini(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_tells_what_a_group_is),
		cmocka_unit_test(a_long_path_is_cut),
#ifdef HAVE_JANSSON
		cmocka_unit_test(each_runtime_tells_its_names),
		cmocka_unit_test(podman_has_its_names_in_a_list),
		cmocka_unit_test(hostile_files_give_no_name),
#endif
		cmocka_unit_test(the_kubelet_names_pods),
		cmocka_unit_test(without_a_root_nothing_has_a_name),
	};

	return unit_run(tests);
}
