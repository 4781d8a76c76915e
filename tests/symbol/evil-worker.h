/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_EVIL_WORKER_H
#define PTOP_TESTS_EVIL_WORKER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "symbol/file-reader.h"
#include "worker/channel.h"
#include "worker/zygote.h"

/*
 * A worker that somebody has taken over.  A fuzzer's input is what it says to ptop, message by message: a byte of
 * flags, its size in two bytes, and its bytes; with DESCRIPTOR a file comes with it, whose size and bytes follow.
 * The worker is a real one, of each job, and reads the input from memory that it shares with ptop.
 */
#define EVIL_INPUT_MAX 65536
#define EVIL_HEARD_MAX 16384 /* of a message from ptop */
enum { DESCRIPTOR = 1, SEALED = 2, WAITS = 4, TWICE = 8 };

static struct {
	struct zygote *zygote;
	struct evil_input {
		size_t size;
		bool got_no_file; /* what it was given is something else */
		uint8_t bytes[EVIL_INPUT_MAX];
	} * input;
} evil;

static int evil_file(struct bytes *in, bool sealed)
{
	const uint16_t told = bytes_u16(in);
	const size_t size = told < in->left ? told : in->left;
	const void *content = bytes_take(in, size);
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && content && write(fd, content, size) < 0)
		_exit(0);
	if (fd >= 0 && sealed)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return fd;
}

static void evil_hear(int socket)
{
	char heard[EVIL_HEARD_MAX];
	struct channel_fds fds = { .count = 0 };
	struct stat st;

	channel_receive(socket, heard, sizeof(heard), &fds, 0);
	for (size_t i = 0; i < fds.count; i++)
		evil.input->got_no_file |= fstat(fds.fds[i], &st) < 0 || !S_ISREG(st.st_mode);
	channel_close_fds(&fds);
}

static void evil_say(int socket, struct bytes *in)
{
	struct channel_fds fds = { .count = 0 };
	uint8_t flags = bytes_u8(in);
	uint16_t size = bytes_u16(in);
	const void *message = bytes_take(in, size);

	if (!message)
		return;
	if (flags & DESCRIPTOR)
		fds.fds[fds.count++] = evil_file(in, flags & SEALED);
	if (fds.count && flags & TWICE)
		fds.fds[fds.count++] = fds.fds[0];
	channel_send(socket, message, size, &fds);
	channel_close_fds(&fds);
	if (flags & WAITS)
		evil_hear(socket);
}

static void evil_job(int socket)
{
	struct bytes in = bytes_of(evil.input->bytes, evil.input->size);

	evil_hear(socket);
	while (in.left && !in.failed)
		evil_say(socket, &in);
}

static void evil_end(void)
{
	zygote_free(evil.zygote);
}

static void evil_start(void)
{
	static worker_main *const jobs[READER_JOBS] = { [READER_LOAD] = evil_job,
							[READER_LINES] = evil_job,
							[READER_FRAMES] = evil_job,
							[READER_MAPS] = evil_job };

	evil.input = mmap(NULL, sizeof(*evil.input), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (evil.input == MAP_FAILED)
		abort();
	evil.zygote = zygote_start(jobs, READER_JOBS);
	if (!evil.zygote)
		abort();
	atexit(evil_end);
}

/* What the next workers say.  Returns false if it is too long. */
static inline bool evil_prepare(const uint8_t *data, size_t size)
{
	if (!evil.zygote)
		evil_start();
	if (size > EVIL_INPUT_MAX)
		return false;
	memcpy(evil.input->bytes, data, size);
	evil.input->size = size;
	return true;
}

/* Call when they have ended: aborts if one got what it may not have. */
static inline void evil_check(void)
{
	if (evil.input->got_no_file)
		abort();
}

#endif
