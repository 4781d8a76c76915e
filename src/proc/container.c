/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/container.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

#include "proc/procfs.h"

#define FILE_BYTES ((size_t)1 << 20) /* a container's is some 20 KiB; podman's has all of them */
#define NAME_BYTES 256
#define ENTRIES 20000 /* of a folder; more are not looked at */
#define FOLDERS 64    /* namespaces of containerd, drivers of a storage */
#define PATH_BYTES 512
#define POD_ITSELF "POD" /* what the kubelet calls the container that holds a pod's namespaces */

/* The names that a file gives to one container. */
struct found {
	char name[NAME_BYTES];
	char space[NAME_BYTES], pod[NAME_BYTES], container[NAME_BYTES];
};

void container_names_init(struct container_names *c, const char *root)
{
	memset(c, 0, sizeof(*c));
	c->root = open(root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void container_names_fini(struct container_names *c)
{
	if (c->root >= 0)
		close(c->root);
	buf_fini(&c->text);
}

/* Replaces the text by the file PATH below the root.  False: it is not there, or no regular file. */
static bool read_file(struct container_names *c, const char *path)
{
	const struct procfs files = { .fd = c->root };
	struct stat st;

	return !fstatat(c->root, path, &st, AT_NO_AUTOMOUNT) && S_ISREG(st.st_mode) &&
	       procfs_read_whole(&files, path, &c->text, FILE_BYTES) > 0;
}

/* Labels and annotations of the kubelet, in the words of each runtime, and of nerdctl. */
static const struct {
	const char *label;
	size_t field;
} labels[] = {
	{ "io.kubernetes.pod.namespace", offsetof(struct found, space) },
	{ "io.kubernetes.pod.name", offsetof(struct found, pod) },
	{ "io.kubernetes.container.name", offsetof(struct found, container) },
	{ "io.kubernetes.cri.sandbox-namespace", offsetof(struct found, space) },
	{ "io.kubernetes.cri.sandbox-name", offsetof(struct found, pod) },
	{ "io.kubernetes.cri.container-name", offsetof(struct found, container) },
	{ "nerdctl/name", offsetof(struct found, name) },
};

#ifdef HAVE_JANSSON
/* A string that is too long is cut. */
static void take_text(char out[NAME_BYTES], const json_t *value)
{
	if (json_is_string(value))
		snprintf(out, NAME_BYTES, "%s", json_string_value(value));
}

static void take_labels(struct found *f, const json_t *object)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		take_text((char *)f + labels[i].field, json_object_get(object, labels[i].label));
}

/* The file of one container: docker's "Name" begins with a slash. */
static void take_own(struct found *f, const json_t *file)
{
	const char *name = json_string_value(json_object_get(file, "Name"));

	if (name)
		snprintf(f->name, sizeof(f->name), "%s", name + (*name == '/'));
	take_labels(f, json_object_get(file, "annotations"));
	take_labels(f, json_object_get(json_object_get(file, "Config"), "Labels"));
}

/* [{"id":"4f1c…","names":["web"], …}, …] */
static void take_listed(struct found *f, const json_t *list, const char *id)
{
	for (size_t i = 0; i < json_array_size(list) && !*f->name; i++) {
		const json_t *container = json_array_get(list, i);
		const char *its = json_string_value(json_object_get(container, "id"));

		if (its && !strcmp(its, id))
			take_text(f->name, json_array_get(json_object_get(container, "names"), 0));
	}
}

/* A file of one container, or a list of all: of that with ID. */
static void parse(const struct buf *text, const char *id, struct found *f)
{
	json_t *file = json_loadb(text->bytes, text->size, JSON_ALLOW_NUL, NULL);

	if (json_is_array(file))
		take_listed(f, file, id);
	else
		take_own(f, file);
	json_decref(file);
}
#else
/* Containers keep the first digits of their ids. */
static void parse(const struct buf *text, const char *id, struct found *f)
{
	(void)text;
	(void)id;
	(void)f;
}
#endif

/* CRI-O and cri-dockerd call a container k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT. */
static void split_name(struct found *f)
{
	char *at = f->name;
	char *parts[4];

	if (*f->pod || strncmp(at, "k8s_", 4) != 0)
		return;
	for (int i = 0; i < 4; i++) {
		at = strchr(at, '_');
		if (!at)
			return;
		parts[i] = ++at;
	}
	snprintf(f->container, sizeof(f->container), "%.*s", (int)(parts[1] - parts[0] - 1),
		 parts[0]);
	snprintf(f->pod, sizeof(f->pod), "%.*s", (int)(parts[2] - parts[1] - 1), parts[1]);
	snprintf(f->space, sizeof(f->space), "%.*s", (int)(parts[3] - parts[2] - 1), parts[2]);
}

static bool compose(struct found *f, char out[CONTAINER_NAME_BYTES])
{
	split_name(f);
	if (*f->space && *f->pod) {
		snprintf(out, CONTAINER_NAME_BYTES, "%.160s/%.160s/%.160s", f->space, f->pod,
			 *f->container ? f->container : POD_ITSELF);
		return true;
	}
	if (*f->name)
		snprintf(out, CONTAINER_NAME_BYTES, "%s", f->name);
	return *f->name;
}

/* A folder that is walked.  NULL: there is none. */
static DIR *open_folder(const struct container_names *c, const char *path)
{
	int fd = openat(c->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* Where a runtime keeps a container: FOLDER, below it any with the ending END, then FILE of ID. */
static const struct place {
	const char *folder, *end; /* end NULL: the file is in FOLDER itself */
	const char *file;         /* %s: the id; without it a list of all containers */
} places[] = {
	{ "var/lib/docker/containers", NULL, "%s/config.v2.json" },
	{ "run/containerd/io.containerd.runtime.v2.task", "", "%s/config.json" },
	{ "run/k3s/containerd/io.containerd.runtime.v2.task", "", "%s/config.json" },
	{ "run/containers/storage", "-containers", "%s/userdata/config.json" },
	{ "var/lib/containers/storage", "-containers", "containers.json" },
	{ "var/lib/containers/storage", "-containers", "volatile-containers.json" },
};

/* Reads FILE of PLACE in FOLDER. */
static bool look_in(struct container_names *c, const struct place *place, const char *folder,
		    const char *id, struct found *f)
{
	const char *mark = strstr(place->file, "%s");
	char path[PATH_BYTES];

	if (mark)
		snprintf(path, sizeof(path), "%s/%s%s", folder, id, mark + 2);
	else
		snprintf(path, sizeof(path), "%s/%s", folder, place->file);
	if (!read_file(c, path))
		return false;
	parse(&c->text, id, f);
	return *f->name || *f->pod;
}

static bool has_end(const char *name, const char *end)
{
	size_t size = strlen(name), tail = strlen(end);

	return *name != '.' && size >= tail && !strcmp(name + size - tail, end);
}

static bool look_below(struct container_names *c, const struct place *place, const char *id,
		       struct found *f)
{
	DIR *dir = open_folder(c, place->folder);
	struct dirent *entry;
	bool found = false;

	for (int i = 0; dir && !found && i < FOLDERS && (entry = readdir(dir)); i++) {
		char path[PATH_BYTES];

		if (!has_end(entry->d_name, place->end))
			continue;
		snprintf(path, sizeof(path), "%s/%s", place->folder, entry->d_name);
		found = look_in(c, place, path, id, f);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool find_container(struct container_names *c, const char *id,
			   char out[CONTAINER_NAME_BYTES])
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct place *place = &places[i];
		struct found f = { 0 };

		if ((place->end ? look_below(c, place, id, &f)
				: look_in(c, place, place->folder, id, &f)) &&
		    compose(&f, out))
			return true;
	}
	return false;
}

/* "kube-system_coredns-5d78c9869d-abcde_1b2c3d4e-0000-…": no part has a '_' of its own. */
static bool is_pod(const char *entry, const char *uid, char out[CONTAINER_NAME_BYTES])
{
	const char *pod = strchr(entry, '_'), *end = pod ? strchr(pod + 1, '_') : NULL;

	if (!end || strcmp(end + 1, uid) != 0)
		return false;
	snprintf(out, CONTAINER_NAME_BYTES, "%.*s/%.*s", (int)(pod - entry), entry,
		 (int)(end - pod - 1), pod + 1);
	return true;
}

static bool find_pod(struct container_names *c, const char *uid, char out[CONTAINER_NAME_BYTES])
{
	DIR *dir = open_folder(c, "var/log/pods");
	struct dirent *entry;
	bool found = false;

	for (int i = 0; dir && !found && i < ENTRIES && (entry = readdir(dir)); i++)
		found = is_pod(entry->d_name, uid, out);
	if (dir)
		closedir(dir);
	return found;
}

bool container_name_find(struct container_names *c, const struct group_name *name,
			 char out[CONTAINER_NAME_BYTES])
{
	if (c->root < 0)
		return false;
	if (name->kind == GROUP_CONTAINER)
		return find_container(c, name->id, out);
	return name->kind == GROUP_POD && find_pod(c, name->pod, out);
}
