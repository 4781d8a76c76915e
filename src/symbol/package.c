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

char *package_of(struct load *l)
{
	struct wanted w = { .count = 0 };
	const char *path = l->key.path;
	char *directory, *found;

	want(&w, path);
	if (!strncmp(path, MERGED "/", strlen(MERGED "/")))
		want(&w, path + strlen(MERGED));
	directory = mem_printf("%s/%u/root" LISTS, l->proc_root, l->key.pid);
	if (!l->key.pid || access(directory, R_OK) != 0) {
		free(directory);
		directory = mem_strdup(LISTS);
	}
	found = search_lists(l, directory, &w);
	free(directory);
	return found;
}

char *package_for_debugging(const char *package)
{
	/* The only widely used package of Debian whose debug package has another name. */
	if (!strcmp(package, "libc6"))
		return mem_strdup("libc6-dbg");
	return mem_printf("%s-dbgsym", package);
}
