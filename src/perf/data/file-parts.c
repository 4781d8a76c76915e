/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-parts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"

#define PARTS_MAX 65536u
#define DISORDER_NS NS_PER_S /* how far a record may be behind an older one of its file */

/* The number of "data.12"; -1 for another name. */
static long part_number(const char *name)
{
	char *end;
	long number;

	if (strncmp(name, "data.", 5) || !isdigit((unsigned char)name[5]))
		return -1;
	number = strtol(name + 5, &end, 10);
	return *end || number >= (long)PARTS_MAX ? -1 : number;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The numbers of the files of threads in DIR, ascending; owned. */
static uint32_t *list_parts(DIR *dir, size_t *count)
{
	uint32_t *numbers = NULL;
	size_t capacity = 0;
	struct dirent *entry;

	*count = 0;
	while ((entry = readdir(dir))) {
		long number = part_number(entry->d_name);

		if (number < 0)
			continue;
		mem_grow((void **)&numbers, &capacity, *count + 1, sizeof(*numbers));
		numbers[(*count)++] = (uint32_t)number;
	}
	if (*count)
		qsort(numbers, *count, sizeof(*numbers), compare_numbers);
	return numbers;
}

/* On failure P->fd is a negative errno, or the descriptor of what is no regular file. */
static int part_open(struct file_part *p, int dir_fd, const char *name, struct error *err)
{
	struct stat st;

	p->fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (p->fd < 0)
		p->fd = -errno;
	if (p->fd < 0 || fstat(p->fd, &st) < 0)
		return error_set(err, "%s: %s", name, strerror(p->fd < 0 ? -p->fd : errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, _("its '%s' is no file"), name);
	p->seekable = true;
	p->size = p->left = (uint64_t)st.st_size;
	return 0;
}

/* Opens the files of the threads, behind the one that has the header. */
static int open_parts_of_threads(struct file_parts *parts, int dir_fd, const uint32_t *numbers,
				 size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		char *name = mem_printf("data.%u", numbers[i]);
		int failed = part_open(&parts->items[parts->count++], dir_fd, name, err);

		free(name);
		if (failed)
			return -1;
	}
	return 0;
}

/* Takes over FD. */
static int open_directory(struct file_parts *parts, int fd, struct error *err)
{
	DIR *dir = fdopendir(fd);
	uint32_t *numbers;
	size_t count;
	int failed;

	if (!dir) {
		error_set(err, "%s", strerror(errno));
		close(fd);
		return -1;
	}
	numbers = list_parts(dir, &count);
	parts->items = mem_array(1 + count, sizeof(*parts->items));
	parts->count = 1;
	failed = part_open(parts->items, fd, "data", err);
	if (parts->items->fd == -ENOENT)
		error_set(err,
			  _("it is a directory without a file 'data', which perf record --threads "
			    "would have made"));
	if (!failed)
		failed = open_parts_of_threads(parts, fd, numbers, count, err);
	free(numbers);
	closedir(dir);
	return failed;
}

/* Takes over FD. */
static int open_one(struct file_parts *parts, int fd, const struct stat *st)
{
	parts->items = mem_array(1, sizeof(*parts->items));
	parts->count = 1;
	parts->items->fd = fd;
	parts->items->seekable = S_ISREG(st->st_mode);
	parts->items->size = parts->items->seekable ? (uint64_t)st->st_size : 0;
	return 0;
}

static int open_all(struct file_parts *parts, int fd, struct error *err)
{
	struct stat st;
	int error = fstat(fd, &st) < 0 ? errno : 0;

	if (!error && S_ISDIR(st.st_mode))
		return open_directory(parts, fd, err);
	if (!error && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return open_one(parts, fd, &st);
	close(fd);
	return error ? error_set(err, "%s", strerror(error))
		     : error_set(err, _("it is neither a file nor a pipe"));
}

int file_parts_open(struct file_parts *parts, const char *path, struct error *err)
{
	int fd;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return error_set(err, "%s", strerror(errno));
	return open_all(parts, fd, err);
}

char *file_parts_kernel_copy(const char *path)
{
	char *directory = mem_printf("%s/kcore_dir", path);
	char *kallsyms = mem_printf("%s/kallsyms", directory);

	if (access(kallsyms, R_OK) != 0) {
		free(directory);
		directory = NULL;
	}
	free(kallsyms);
	return directory;
}

void file_part_release(struct file_part *p)
{
	file_input_fini(&p->raw);
	file_input_fini(&p->plain);
	decompressor_free(p->decompressor);
	p->decompressor = NULL;
}

void file_parts_close(struct file_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->items[i].fd >= 0)
			close(parts->items[i].fd);
	}
	free(parts->items);
	*parts = (struct file_parts){ 0 };
}

struct file_part *file_parts_next(const struct file_parts *parts)
{
	struct file_part *next = NULL;

	for (size_t i = 0; i < parts->count; i++) {
		struct file_part *p = &parts->items[i];

		if (!p->ended && (!next || p->newest_ns < next->newest_ns))
			next = p;
	}
	return next;
}

uint64_t file_parts_whole_ns(const struct file_parts *parts)
{
	const struct file_part *next = file_parts_next(parts);

	return next && next->newest_ns > DISORDER_NS ? next->newest_ns - DISORDER_NS : 0;
}
