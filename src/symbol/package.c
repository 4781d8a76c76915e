/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/package.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbol/object.h"

#define LISTS "/var/lib/dpkg/info"
#define RPM_DATABASE "/usr/lib/sysimage/rpm"
#define RPM_DATABASE_OLD "/var/lib/rpm"
#define LIST_SUFFIX ".list"
#define LIST_BYTES_MAX (8u << 20)
#define LISTS_MAX 100000u
#define MERGED "/usr" /* /lib is a link to /usr/lib; a list may say either */

/* Returns the whole file after a newline, with a NUL; owned by the caller, or NULL. */
static char *read_list(const char *path)
{
	int fd = object_open_file(path);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size < LIST_BYTES_MAX) {
		text = mem_alloc((size_t)st.st_size + 2);
		text[0] = '\n';
		n = read(fd, text + 1, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

/* The whole lines to look for. */
struct wanted {
	char lines[2][4096 + 8];
	unsigned count;
};

static void want(struct wanted *w, const char *path)
{
	snprintf(w->lines[w->count++], sizeof(w->lines[0]), "\n%.4096s\n", path);
}

static bool list_has(const char *path, const struct wanted *w)
{
	char *text = read_list(path);
	bool found = false;

	for (unsigned i = 0; text && i < w->count; i++)
		found |= strstr(text, w->lines[i]) != NULL;
	free(text);
	return found;
}

static bool is_list(const char *name)
{
	size_t size = strlen(name), suffix = strlen(LIST_SUFFIX);

	return size > suffix && !strcmp(name + size - suffix, LIST_SUFFIX);
}

/* "libc6:amd64.list", "golang-go.list": the package, and sometimes its architecture. */
static char *package_name(const char *list)
{
	size_t size = strlen(list) - strlen(LIST_SUFFIX), colon = strcspn(list, ":");

	return mem_strndup(list, colon < size ? colon : size);
}

static char *search_lists(struct load *l, const char *directory, const struct wanted *w)
{
	DIR *lists = opendir(directory);
	struct dirent *entry;
	char *found = NULL;

	for (unsigned i = 0; lists && !found && i < LISTS_MAX && (entry = readdir(lists)); i++) {
		char *path;

		if (!is_list(entry->d_name) || load_checkpoint(l))
			continue;
		path = mem_printf("%s/%s", directory, entry->d_name);
		if (list_has(path, w))
			found = package_name(entry->d_name);
		free(path);
	}
	if (lists)
		closedir(lists);
	return found;
}

/* dpkg's package of debug files for L's file. */
static char *name_by_lists(struct load *l, const char *directory)
{
	struct wanted w = { .count = 0 };
	const char *path = l->key.path;
	char *package, *debugging;

	want(&w, path);
	if (!strncmp(path, MERGED "/", strlen(MERGED "/")))
		want(&w, path + strlen(MERGED));
	package = search_lists(l, directory, &w);
	if (!package)
		return NULL;
	/* The only widely used package of Debian whose debug package has another name. */
	debugging = strcmp(package, "libc6") ? mem_printf("%s-dbgsym", package)
					     : mem_strdup("libc6-dbg");
	free(package);
	return debugging;
}

/* rpm's packages of debug files provide the build ids of what they describe. */
static char *name_by_build_id(const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	return id->size ? mem_printf("debuginfo(build-id) = %s", build_id_format(id, text)) : NULL;
}

static bool is_there(const char *root, const char *path)
{
	char *whole = mem_printf("%s%s", root, path);
	bool found = access(whole, R_OK) == 0;

	free(whole);
	return found;
}

static char *name_in_root(struct load *l, const char *root, const struct build_id *id)
{
	char *lists, *found;

	if (!is_there(root, LISTS))
		return is_there(root, RPM_DATABASE) || is_there(root, RPM_DATABASE_OLD)
			       ? name_by_build_id(id)
			       : NULL;
	lists = mem_printf("%s" LISTS, root);
	found = name_by_lists(l, lists);
	free(lists);
	return found;
}

char *package_for_debugging(struct load *l, const struct build_id *id)
{
	char *root = mem_printf("%s/%u/root", l->proc_root, l->key.pid), *found;

	found = name_in_root(l, l->key.pid && is_there(root, "/") ? root : "", id);
	free(root);
	return found;
}
