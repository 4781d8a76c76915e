/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/jobs.h"
#include "base/bytes.h"
#include "symbol/file-reader.h"
#include "symbol/jit-tail.h"
#include "symbol/line-reader.h"
#include "worker/channel.h"

/*
 * Input: a byte, the job; then what ptop says to its worker, message by message.  A message is a byte of flags, its
 * size in two bytes, and its bytes; with DESCRIPTOR a file comes with it, whose size and bytes follow.  EXACT: the
 * message has the size that the worker expects, the rest of it is 0.  The worker's function runs here.
 */
enum { DESCRIPTOR = 1, EXACT = 2, TWICE = 4 };
#define MESSAGE_MAX 32768

/* Files are read as in fuzz-elf.c, whose bound is larger: here they are small. */
const struct fuzz_bound fuzz_bound = { 1000000, 20000, 65536, 256 };

struct talk {
	struct bytes in;
	int socket;
	size_t order_size; /* of this job */
};

static int make_file(struct bytes *in)
{
	const uint16_t told = bytes_u16(in);
	const size_t size = told < in->left ? told : in->left;
	const void *content = bytes_take(in, size);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && content && write(fd, content, size) < 0)
		abort();
	return fd;
}

/* Sends the next message, which is SIZE bytes if it is EXACT.  Returns false if there is none. */
static bool say(struct talk *t, size_t size)
{
	struct channel_fds fds = { .count = 0 };
	static char message[MESSAGE_MAX];
	uint8_t flags = bytes_u8(&t->in);
	uint16_t given = bytes_u16(&t->in);
	const void *bytes = bytes_take(&t->in, given);

	if (!bytes || given > sizeof(message))
		return false;
	memset(message, 0, sizeof(message));
	memcpy(message, bytes, given);
	if (flags & DESCRIPTOR)
		fds.fds[fds.count++] = make_file(&t->in);
	if (fds.count && flags & TWICE)
		fds.fds[fds.count++] = dup(fds.fds[0]);
	channel_send(t->socket, message, flags & EXACT ? size : given, &fds);
	channel_close_fds(&fds);
	return true;
}

/* Always with a reply that may be one: without it a worker ends its process. */
static void answer_question(struct talk *t)
{
	struct channel_fds fds = { .count = 0 };
	struct reader_reply reply;
	const void *bytes;
	uint8_t flags = 0;
	uint16_t size;

	memset(&reply, 0, sizeof(reply));
	reply.error = -ENODATA;
	if (t->in.left && !t->in.failed) {
		flags = bytes_u8(&t->in);
		size = bytes_u16(&t->in);
		bytes = bytes_take(&t->in, size);
		if (bytes)
			memcpy(&reply, bytes, size < sizeof(reply) ? size : sizeof(reply));
		reply.path.text[sizeof(reply.path.text) - 1] = '\0';
	}
	if (flags & DESCRIPTOR)
		fds.fds[fds.count++] = make_file(&t->in);
	channel_send(t->socket, &reply, sizeof(reply), &fds);
	channel_close_fds(&fds);
}

/* The loader's side: orders, and answers to what the worker asks. */
static void *talk(void *context)
{
	static _Alignas(uint64_t) char heard[MESSAGE_MAX];
	struct talk *t = context;
	bool goes_on = say(t, t->order_size);
	uint32_t tag;

	while (goes_on && channel_receive(t->socket, heard, sizeof(heard), NULL, 0) > 0) {
		memcpy(&tag, heard, sizeof(tag));
		if (tag == READER_ASKS)
			answer_question(t);
		else
			goes_on = say(t, t->order_size);
	}
	shutdown(t->socket, SHUT_WR);
	return NULL;
}

/* A worker ends with the descriptors that it has. */
static void close_from(int first)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u))
		return;
#endif
	for (int fd = first; fd < first + 64; fd++)
		close(fd);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	static const size_t sizes[READER_JOBS] = { [READER_LOAD] = sizeof(uint32_t),
						   [READER_LINES] = sizeof(struct lines_order),
						   [READER_FRAMES] = sizeof(uint32_t),
						   [READER_MAPS] = sizeof(struct jit_order) };
	struct talk t = { .in = bytes_of(data, size) };
	unsigned job = bytes_u8(&t.in) % READER_JOBS;
	pthread_t loader;
	int ends[2], first = dup(0);

	close(first);
	t.order_size = sizes[job];
	if (channel_pair(ends) < 0)
		abort();
	t.socket = ends[0];
	if (pthread_create(&loader, NULL, talk, &t))
		abort();
	app_jobs[job](ends[1]);
	shutdown(ends[1], SHUT_RDWR);
	pthread_join(loader, NULL);
	close_from(first);
	return 0;
}
