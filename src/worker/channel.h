/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_CHANNEL_H
#define PTOP_WORKER_CHANNEL_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Messages between ptop's processes, over a socket of type SOCK_SEQPACKET: one send is one message.
 * A message is a struct of fixed size and at most CHANNEL_FDS descriptors.  The receiver trusts
 * neither.
 */
#define CHANNEL_FDS 4

struct channel_fds {
	int fds[CHANNEL_FDS];
	size_t count;
};

/* Makes the two ends, close-on-exec.  Returns 0, or a negative errno. */
int channel_pair(int ends[2]);

/*
 * Sends SIZE bytes and a copy of each descriptor of FDS, which may be NULL.  It does not wait.  Returns 0, or a
 * negative errno: -EPIPE if the other end is closed, -EAGAIN if too much is under way.
 */
int channel_send(int end, const void *message, size_t size, const struct channel_fds *fds);

/*
 * Receives one message of at most SIZE bytes; waits for it unless FLAGS has MSG_DONTWAIT.  Its
 * descriptors, close-on-exec, are the caller's, in FDS; with FDS NULL they are closed.  Returns the
 * size in bytes, 0 if the other end is closed, or a negative errno: -EMSGSIZE if it was cut.
 */
ssize_t channel_receive(int end, void *message, size_t size, struct channel_fds *fds, int flags);

void channel_close_fds(struct channel_fds *fds);

#endif
