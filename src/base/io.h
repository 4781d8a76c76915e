/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_IO_H
#define PTOP_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whole reads and writes: they go on after a signal and after a part.  Each returns the bytes that were
 * done.  If these are fewer than SIZE, errno says why; 0: the file ended, or has no such OFFSET.
 */
size_t io_read(int fd, void *bytes, size_t size);
size_t io_read_at(int fd, uint64_t offset, void *bytes, size_t size);
size_t io_write_at(int fd, uint64_t offset, const void *bytes, size_t size);

/* Closes *FD, unless it is -1, and makes it -1. */
void io_close(int *fd);

/* Makes an eventfd(2) readable, and unreadable again.  It must not block. */
void io_signal(int fd);
void io_clear_signal(int fd);

#endif
