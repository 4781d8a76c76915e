/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/open.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
	      unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf_control(int fd, unsigned long request, uintptr_t argument)
{
	int result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

int perf_read(int fd, uint64_t *words, size_t count)
{
	ssize_t size = read(fd, words, count * sizeof(*words));

	if (size < 0)
		return -errno;
	return (size_t)size == count * sizeof(*words) ? 0 : -ENODATA;
}
