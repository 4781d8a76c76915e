/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* Adds N, the result of a call, to *DONE.  Returns true if another call may do more. */
static bool goes_on(ssize_t n, size_t *done)
{
	if (n < 0)
		return errno == EINTR;
	*done += (size_t)n;
	if (!n)
		errno = 0;
	return n > 0;
}

size_t io_read(int fd, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && goes_on(read(fd, (char *)bytes + done, size - done), &done))
		;
	return done;
}

static bool is_offset(uint64_t offset)
{
	if (offset > INT64_MAX)
		errno = 0;
	return offset <= INT64_MAX;
}

size_t io_read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && is_offset(offset + done) &&
	       goes_on(pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done)), &done))
		;
	return done;
}

size_t io_write_at(int fd, uint64_t offset, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && is_offset(offset + done) &&
	       goes_on(pwrite(fd, (const char *)bytes + done, size - done, (off_t)(offset + done)),
		       &done))
		;
	return done;
}

/* It can only fail when the counter is full, and then FD is readable anyway. */
void io_signal(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* It fails when nothing was signalled. */
void io_clear_signal(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

void io_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
