/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/online.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CPU_MAX 65535u

int cpu_list_read(struct list *l, const char *path)
{
	char text[4096];	/* sysfs shows at most a page */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return size < 0 ? -EIO : -ENODATA;
	text[size] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return list_parse(l, text, "CPU", 0, CPU_MAX, NULL) < 0 ? -EBADMSG : 0;
}
