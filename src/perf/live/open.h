/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_OPEN_H
#define PTOP_PERF_LIVE_OPEN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The kernel's calls for events.  Inside perf/ only; a test may bring its own.
 *
 * perf_event_open(2), which the C library does not wrap.  The descriptor, always close-on-exec and the
 * caller's to close, or a negative errno.
 */
int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
	      unsigned long flags);

/*
 * ioctl(2) on such a descriptor: what it returns, 0 mostly, or a negative errno.  ARGUMENT is a value
 * or a pointer, as REQUEST wants it.
 */
int perf_control(int fd, unsigned long request, uintptr_t argument);

/* read(2) of exactly COUNT words, as read_format has them: 0 or a negative errno, of less -ENODATA. */
int perf_read(int fd, uint64_t *words, size_t count);

#endif
