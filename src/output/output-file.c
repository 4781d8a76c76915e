/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"

/*
 * The destination of bytes.  Writing never blocks: a reader may stop reading for ever, and signals
 * are blocked (app/signals.h), so no write(2) is interrupted.  O_NONBLOCK would affect every
 * process that shares the descriptor.  Pipes and terminals are therefore opened anew, and sockets
 * get a flag at each write.
 */
struct outlet {
	int fd;
	bool opened, socket;
	int signals;     /* readable when one that ends ptop has come; -1 */
	uint64_t end_ns; /* after that one: until when the reader is waited for; 0 */
};

#define GRACE_NS (NS_PER_S / 2)

int output_own(int fd)
{
	char path[64];

	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

static void outlet_open(struct outlet *o, int fd)
{
	struct stat st;
	sigset_t ends;

	*o = (struct outlet){ .fd = fd, .signals = -1 };
	if (fstat(fd, &st) || S_ISREG(st.st_mode))
		return;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	o->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	o->socket = S_ISSOCK(st.st_mode);
	if (o->socket || fcntl(fd, F_GETFL) & O_NONBLOCK)
		return;
	fd = output_own(fd);
	o->opened = fd >= 0;
	if (o->opened)
		o->fd = fd;
}

static void outlet_close(struct outlet *o)
{
	if (o->opened)
		close(o->fd);
	if (o->signals >= 0)
		close(o->signals);
}

/* Waits for room.  False once a signal has come and the reader has had GRACE_NS since to take the rest. */
static bool outlet_wait(struct outlet *o)
{
	struct pollfd p[2] = { { .fd = o->fd, .events = POLLOUT },
			       { .fd = o->end_ns ? -1 : o->signals, .events = POLLIN } };
	uint64_t now_ns = clock_monotonic_ns(&clock_system);
	int timeout_ms = -1;

	if (o->end_ns && now_ns >= o->end_ns)
		return false;
	if (o->end_ns)
		timeout_ms = (int)((o->end_ns - now_ns) / 1000000) + 1;
	if (poll(p, 2, timeout_ms) > 0 && p[1].revents)
		o->end_ns = now_ns + GRACE_NS;
	return true;
}

/* As write(2); what was opened anew without success may block. */
static ssize_t outlet_take(const struct outlet *o, const char *bytes, size_t size)
{
	return o->socket ? send(o->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
			 : write(o->fd, bytes, size);
}

int output_write(int fd, const char *name, const struct buf *b, struct error *err)
{
	struct outlet o;
	size_t done = 0;
	int result = 0;

	outlet_open(&o, fd);
	while (done < b->size && !result) {
		ssize_t n = outlet_take(&o, b->bytes + done, b->size - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EPIPE)
			result = 1;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			result = outlet_wait(&o) ? 0 : 1;
		else if (errno != EINTR)
			result = error_set(err, _("cannot write to %s: %s"), name, strerror(errno));
	}
	outlet_close(&o);
	return result;
}

static int write_temporary(const char *name, const struct buf *b, mode_t mode, bool sync,
			   struct error *err)
{
	int failed, fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return error_set(err, _("cannot write '%s': %s"), name, strerror(errno));
	failed = output_write(fd, name, b, err) ? -1 : 0;
	if (!failed && (fchmod(fd, mode) || (sync && fsync(fd))))
		failed = error_set(err, _("cannot write '%s': %s"), name, strerror(errno));
	close(fd);
	return failed;
}

int output_replace(const char *path, const struct buf *b, mode_t mode, bool sync, struct error *err)
{
	char *name = mem_printf("%s.%ld.tmp", path, (long)getpid());
	int failed = write_temporary(name, b, mode, sync, err);

	if (!failed && rename(name, path))
		failed = error_set(err, _("cannot write '%s': %s"), path, strerror(errno));
	if (failed)
		unlink(name);
	free(name);
	return failed;
}
