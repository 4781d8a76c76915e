/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel wants the room of a control message aligned as its header. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(CHANNEL_FDS * sizeof(int))];
};

int channel_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

static void put_fds(struct msghdr *header, union control *control, const struct channel_fds *fds)
{
	struct cmsghdr *c = &control->header;
	size_t size = fds->count * sizeof(*fds->fds);

	memset(control, 0, sizeof(*control));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), fds->fds, size);
	header->msg_control = control;
	header->msg_controllen = CMSG_SPACE(size);
}

int channel_send(int end, const void *message, size_t size, const struct channel_fds *fds)
{
	struct iovec bytes = { .iov_base = (void *)message, .iov_len = size };
	struct msghdr header = { .msg_iov = &bytes, .msg_iovlen = 1 };
	union control control;
	ssize_t n;

	if (fds && fds->count)
		put_fds(&header, &control, fds);
	do
		n = sendmsg(end, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void take_fds(struct msghdr *header, struct channel_fds *out)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(header);

	out->count = 0;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	out->count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(*out->fds);
	memcpy(out->fds, CMSG_DATA(c), out->count * sizeof(*out->fds));
}

void channel_close_fds(struct channel_fds *fds)
{
	for (size_t i = 0; i < fds->count; i++)
		close(fds->fds[i]);
	fds->count = 0;
}

ssize_t channel_receive(int end, void *message, size_t size, struct channel_fds *fds, int flags)
{
	struct iovec bytes = { .iov_base = message, .iov_len = size };
	struct channel_fds received = { .count = 0 };
	union control control;
	struct msghdr header = { .msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control) };
	ssize_t n;

	/* An end that closed without reading all is told first, and once; its own messages follow. */
	do
		n = recvmsg(end, &header, flags | MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -errno;
	take_fds(&header, &received);
	if (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		channel_close_fds(&received);
		return -EMSGSIZE;
	}
	if (fds)
		*fds = received;
	else
		channel_close_fds(&received);
	return n;
}
