/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/data/file.h"
#include "touch.h"

/*
 * Input: a recording, as a file and, when it fits into one, from a pipe.  Whatever it holds, reading
 * it must end.
 */
#define PIPE_BYTES 65536
#define DRAINS_MAX 100000

static void receive(void *context, const struct record *r)
{
	const struct evlist *evlist = context;

	if (r->type == RECORD_SAMPLE && !r->woken_tid &&
	    (r->event < 0 || (size_t)r->event >= evlist->count))
		abort();
	record_touch(r);
}

static void read_recording(const char *path)
{
	struct evlist *evlist = evlist_new();
	struct error err = { "" };
	struct source *s = file_source_open(evlist, path, &err);
	int64_t status = 1;

	if (!s && !err.text[0])
		abort();
	if (s && file_source_tell_times(s, &err) && !err.text[0])
		abort();
	for (int i = 0; s && status > 0; i++) {
		if (i == DRAINS_MAX)
			abort();
		status = s->ops->drain(s, receive, evlist);
	}
	if (s && status < 0 && !s->failure)
		abort();
	source_close(s);
	evlist_free(evlist);
}

static void read_fd(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_recording(path);
	close(fd);
}

const struct fuzz_bound fuzz_bound = { 500000, 50000, 16 * 1024, 1024 };

int fuzz_input(const uint8_t *data, size_t size)
{
	int fds[2], fd = memfd_create("recording", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	read_fd(fd);
	if (size >= PIPE_BYTES)
		return 0;
	if (pipe2(fds, O_CLOEXEC) || write(fds[1], data, size) != (ssize_t)size)
		abort();
	close(fds[1]);
	read_fd(fds[0]);
	return 0;
}
