/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/channel.h"

/* Signals of the terminal are ptop's matter; the process ends when its socket is closed. */
__attribute__((noreturn)) static void run(const struct helper_kind *kind, int socket, void *context)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, kind->name);
	prctl(PR_SET_DUMPABLE, 0);
	dup2(socket, STDIN_FILENO);
	syscall(SYS_close_range, kind->kept, ~0u, 0);
	kind->run(context);
	_exit(0);
}

int helper_start(struct helper *h, const struct helper_kind *kind, void *context)
{
	int ends[2];

	if (channel_pair(ends))
		return -1;
	h->pid = fork();
	if (!h->pid)
		run(kind, ends[1], context);
	close(ends[1]);
	h->socket = ends[0];
	if (h->pid > 0)
		return 0;
	close(ends[0]);
	return -1;
}

int helper_wait(pid_t pid, pid_t killed, int timeout_ms, struct rusage *used)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int status;

	if (end.fd < 0 || poll(&end, 1, timeout_ms) != 1)
		kill(killed, SIGKILL);
	if (end.fd >= 0)
		close(end.fd);
	while (wait4(pid, &status, 0, used) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}
