/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"

#define CPU_MAX 65535u

/* Reads until the end of the file or of TEXT; -EFBIG when the end of TEXT comes first. */
static int read_all(int fd, char *text, size_t size)
{
	size_t have = io_read(fd, text, size);

	if (have == size)
		return -EFBIG;
	return errno ? -errno : (int)have;
}

int sysfile_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		n = -EINVAL;
	else
		n = read_all(fd, text, size);
	close(fd);
	if (n < 0)
		return n;
	n -= n && text[n - 1] == '\n';
	text[n] = '\0';
	return (int)strlen(text);
}

int sysfile_number(const char *path, uint64_t *value)
{
	char text[32], *end;
	int n = sysfile_read(path, text, sizeof(text));

	if (n < 0)
		return n;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !n || *end || errno ? -EINVAL : 0;
}

int sysfile_cpus(const char *path, struct number_list *l)
{
	char text[4096]; /* sysfs shows at most a page */
	int n = sysfile_read(path, text, sizeof(text));

	if (n <= 0)
		return n < 0 ? n : -ENODATA;
	return number_list_parse(l, text, "CPU", 0, CPU_MAX, NULL) < 0 ? -EBADMSG : 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int sysfile_names(const char *path, const char *pattern, char ***names)
{
	DIR *dir = opendir(path);
	size_t count = 0, capacity = 0;
	struct dirent *entry;

	*names = NULL;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && count < INT16_MAX) {
		if (entry->d_name[0] == '.' || fnmatch(pattern, entry->d_name, 0))
			continue;
		mem_grow((void **)names, &capacity, count + 1, sizeof(char *));
		(*names)[count++] = mem_strdup(entry->d_name);
	}
	closedir(dir);
	if (count)
		qsort(*names, count, sizeof(char *), compare);
	return (int)count;
}

void sysfile_names_free(char **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
