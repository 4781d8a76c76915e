/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/then-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/output.h"

#define FILE_STEM "ptop-when-"
#define NAMES_OF_A_SECOND 100

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of that EXTENSION that ptop made here, now or earlier, the oldest first; owned by the caller. */
static size_t find_files(const char *extension, char ***names)
{
	char *pattern = mem_printf(FILE_STEM "*%s", extension);
	DIR *folder = opendir(".");
	struct dirent *entry;
	size_t count = 0, capacity = 0;

	*names = NULL;
	while (folder && (entry = readdir(folder))) {
		if (fnmatch(pattern, entry->d_name, 0))
			continue;
		mem_grow((void **)names, &capacity, count + 1, sizeof(**names));
		(*names)[count++] = mem_strdup(entry->d_name);
	}
	if (folder)
		closedir(folder);
	free(pattern);
	if (count)
		qsort(*names, count, sizeof(**names), compare_names);
	return count;
}

/* So that with a new one there are at most as many as are kept.  Names begin with the time, so they sort by age. */
static void remove_oldest(const struct then_file_kind *kind)
{
	char **names;
	size_t count = find_files(kind->extension, &names);

	for (size_t i = 0; i < count; i++) {
		if (count - i >= kind->kept)
			unlink(names[i]);
		free(names[i]);
	}
	free(names);
}

int then_file_make(char name[THEN_FILE_NAME_SIZE], const struct then_file_kind *kind,
		   struct error *err)
{
	char moment[THEN_FILE_NAME_SIZE / 2] = "";
	time_t now = time(NULL);
	struct tm local;
	int fd = -1;

	remove_oldest(kind);
	if (localtime_r(&now, &local))
		strftime(moment, sizeof(moment), "%Y%m%d-%H%M%S", &local);
	for (int i = 0; i < NAMES_OF_A_SECOND; i++) {
		snprintf(name, THEN_FILE_NAME_SIZE,
			 i ? FILE_STEM "%s.%02d%s" : FILE_STEM "%s%.0d%s", moment, i,
			 kind->extension);
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, kind->mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0)
		error_set(err, _("cannot write '%s': %s"), name, strerror(errno));
	return fd;
}

int then_file_write(char name[THEN_FILE_NAME_SIZE], const struct then_file_kind *kind,
		    const struct buf *bytes, struct error *err)
{
	int fd = then_file_make(name, kind, err), failed;

	if (fd < 0)
		return -1;
	failed = output_write(fd, name, bytes, err);
	failed |= close(fd);
	if (failed)
		unlink(name);
	return failed ? -1 : 0;
}
