/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/file-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/i18n.h"

#define CPU_S 2u                      /* for any file, and one more for each */
#define CPU_BYTES (32ull << 20)       /* of its bytes */
#define CPU_MAX_S 600u                /* at most */
#define WALL_FACTOR 30u               /* on a machine that has other work */
#define MEMORY_BYTES (256ull << 20)   /* for any file, and */
#define MEMORY_FACTOR 8u              /* so much for each byte of it, */
#define MEMORY_MAX_BYTES (4ull << 30) /* up to this */
#define OPENS_MAX 1024u               /* files that it may ask for in one call */
#define POLL_MS 10
#define MESSAGE_BYTES 16384u

struct question {
	uint32_t tag;
	struct debugfile_request ask;
};

/* ---- The worker. */

int file_reader_ask(struct load *l, struct debugfile_request *r, struct debugfile_path *path)
{
	int socket = *(const int *)l->context;
	struct question q;
	struct reader_reply reply;
	struct channel_fds fds;
	ssize_t size;

	path->text[0] = '\0';
	memset(&q, 0, sizeof(q));
	q.tag = READER_ASKS;
	q.ask = *r;
	if (channel_send(socket, &q, sizeof(q), NULL) < 0)
		_exit(0);
	do
		size = channel_receive(socket, &reply, sizeof(reply), &fds, 0);
	while (size == -EAGAIN); /* other files are read meanwhile */
	if (size != sizeof(reply) || !memchr(reply.path.text, '\0', sizeof(reply.path.text)))
		_exit(0);
	r->place = reply.place;
	*path = reply.path;
	return fds.count ? fds.fds[0] : reply.error < 0 ? reply.error : -EBADMSG;
}

/* ---- The side that trusts nobody. */

uint64_t file_reader_bytes(const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512;

	return bytes < (uint64_t)st->st_size ? bytes : (uint64_t)st->st_size;
}

bool file_reader_owns(const struct file_reader *r, const struct stat *st)
{
	return r->device == st->st_dev && r->user == st->st_uid &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static struct worker_limits limits_of(uint64_t bytes, uint32_t idle_ms)
{
	struct worker_limits limits = { .idle_ms = idle_ms, .memory_bytes = MEMORY_BYTES };
	uint64_t cpu_s;

	if (bytes < FILE_READER_SMALL)
		bytes = FILE_READER_SMALL;
	cpu_s = CPU_S + bytes / CPU_BYTES;
	limits.cpu_s = cpu_s < CPU_MAX_S ? (uint32_t)cpu_s : CPU_MAX_S;
	limits.wall_s = limits.cpu_s * WALL_FACTOR;
	if (bytes < (MEMORY_MAX_BYTES - MEMORY_BYTES) / MEMORY_FACTOR)
		limits.memory_bytes += bytes * MEMORY_FACTOR;
	else
		limits.memory_bytes = MEMORY_MAX_BYTES;
	return limits;
}

int file_reader_start(struct file_reader *r, struct zygote *z, const struct stat *st,
		      const struct reader_start *start)
{
	const uint64_t bytes = file_reader_bytes(st);
	struct worker_limits limits =
		limits_of(bytes > start->bytes ? bytes : start->bytes, start->idle_ms);

	*r = (struct file_reader){ .zygote = z,
				   .device = st->st_dev,
				   .user = st->st_uid,
				   .debug_file = -1,
				   .bytes = bytes };
	r->socket = zygote_spawn(z, start->job, &limits, &r->id);
	return r->socket < 0 ? r->socket : 0;
}

void file_reader_close(struct file_reader *r)
{
	if (r->socket < 0)
		return;
	close(r->socket);
	if (r->debug_file >= 0)
		close(r->debug_file);
	r->socket = -1;
}

/*
 * A worker that was taken over could ask for anything: it gets what anybody may read, or its owner's; and a vmlinux
 * of root's, which many a distribution hides.
 */
static bool may_have(struct file_reader *r, int fd, const struct debugfile_request *ask,
		     struct reader_call *c)
{
	struct stat st;
	uint64_t bytes;

	if (fstat(fd, &st) < 0 || !(st.st_mode & S_IROTH || st.st_uid == r->user ||
				    (ask->way == DEBUGFILE_KERNEL && st.st_uid == 0)))
		return false;
	c->opened_others |= !file_reader_owns(r, &st);
	bytes = file_reader_bytes(&st);
	r->bytes = bytes > r->bytes ? bytes : r->bytes;
	return true;
}

/* Files with debugging information name others beside them. */
static void keep_debug_file(struct file_reader *r, const struct debugfile_request *ask, int fd)
{
	if (ask->way != DEBUGFILE_BUILD_ID && ask->way != DEBUGFILE_LINK &&
	    ask->way != DEBUGFILE_KERNEL && ask->way != DEBUGFILE_MODULE)
		return;
	if (r->debug_file >= 0)
		close(r->debug_file);
	r->debug_file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* The next file that it asks for, or a negative errno: -ENODATA if there is none left. */
static int open_next(struct file_reader *r, struct reader_call *c, struct debugfile_request *ask,
		     struct debugfile_path *path)
{
	int fd;

	if (ask->way >= 32 || !(c->ways & 1u << ask->way))
		return -ENODATA;
	c->load->holder = r->debug_file >= 0 ? &r->debug_file : &c->load->file;
	fd = debugfile_open_next(c->load, ask, path);
	c->load->holder = NULL;
	if (fd < 0)
		return fd;
	if (!may_have(r, fd, ask, c)) {
		close(fd);
		return -EACCES;
	}
	keep_debug_file(r, ask, fd);
	return fd;
}

static void answer_question(struct file_reader *r, struct reader_call *c,
			    struct debugfile_request *ask, unsigned *opened)
{
	struct channel_fds fds = { .count = 0 };
	struct reader_reply reply;
	int fd = -ENODATA;

	memset(&reply, 0, sizeof(reply));
	if ((*opened)++ < OPENS_MAX)
		fd = open_next(r, c, ask, &reply.path);
	if (fd >= 0) {
		load_debug_path(c->load, reply.path.text);
		fds = (struct channel_fds){ .count = 1, .fds = { fd } };
	}
	reply.error = fd < 0 ? fd : 0;
	reply.place = ask->place;
	channel_send(r->socket, &reply, sizeof(reply), &fds);
	channel_close_fds(&fds);
}

enum heard { HEARD_QUESTION, HEARD_ANSWER, HEARD_END, HEARD_NONSENSE };

/* Classifies MESSAGE of SIZE bytes; takes an answer. */
static enum heard hear(struct reader_call *c, const void *message, size_t size)
{
	struct worker_ended ended;
	uint32_t tag;

	if (zygote_worker_ended(message, size, &ended)) {
		/* It may not end without an answer. */
		c->end = ended.end > WORKER_DONE && ended.end <= WORKER_KILLED
				 ? (enum worker_end)ended.end
				 : WORKER_DAMAGED;
		return HEARD_END;
	}
	if (size < sizeof(tag))
		return HEARD_NONSENSE;
	memcpy(&tag, message, sizeof(tag));
	if (tag == READER_ASKS && size == sizeof(struct question))
		return HEARD_QUESTION;
	if (tag == READER_ASKS || size != c->answer_size)
		return HEARD_NONSENSE;
	memcpy(c->answer, message, size);
	return HEARD_ANSWER;
}

/* Returns true when the worker has answered or ended; C's `end` says how. */
static bool take_messages(struct file_reader *r, struct reader_call *c, unsigned *opened)
{
	_Alignas(struct question) char message[MESSAGE_BYTES];

	for (;;) {
		ssize_t size =
			channel_receive(r->socket, message, sizeof(message), &c->got, MSG_DONTWAIT);
		enum heard heard;

		if (size == -EAGAIN)
			return false;
		c->end = WORKER_KILLED;
		if (size <= 0)
			return true;
		heard = hear(c, message, (size_t)size);
		if (heard == HEARD_ANSWER) {
			c->end = WORKER_DONE;
			return true;
		}
		channel_close_fds(&c->got);
		if (heard == HEARD_NONSENSE)
			c->end = WORKER_DAMAGED;
		if (heard != HEARD_QUESTION)
			return true;
		answer_question(r, c, &((struct question *)message)->ask, opened);
	}
}

/* A worker that was given up may still run for a moment, which nobody pays for. */
static void tell_time(struct file_reader *r, struct load *l)
{
	uint64_t cpu_ns = zygote_worker_cpu_ns(r->zygote, r->id);

	if (cpu_ns <= r->cpu_ns)
		return;
	l->cpu_ns += cpu_ns - r->cpu_ns;
	r->cpu_ns = cpu_ns;
}

/* Returns false if the checkpoint said so. */
static bool call_until_answered(struct file_reader *r, struct reader_call *c)
{
	struct pollfd polled = { .fd = r->socket, .events = POLLIN };
	unsigned opened = 0;
	int failed;

	r->orders++;
	c->end = WORKER_KILLED;
	c->got.count = 0;
	failed = channel_send(r->socket, c->order, c->order_size, c->fds);
	if (failed && failed != -EPIPE) /* -EPIPE: it has ended already, which is told next */
		return true;
	for (;;) {
		if (poll(&polled, 1, POLL_MS) > 0 && take_messages(r, c, &opened))
			return true;
		if (load_checkpoint(c->load))
			return false;
	}
}

bool file_reader_call(struct file_reader *r, struct reader_call *c)
{
	bool whole = call_until_answered(r, c);

	tell_time(r, c->load);
	return whole;
}

const char *file_reader_text(enum worker_end end)
{
	static const char *const texts[] = {
		[WORKER_DONE] = "",
		[WORKER_TOO_SLOW] = N_("refused: too slow"),
		[WORKER_TOO_LARGE] = N_("refused: too large"),
		[WORKER_DAMAGED] = N_("refused: damaged"),
		[WORKER_KILLED] = N_("the process that reads it was killed"),
	};

	return _(texts[end]);
}
