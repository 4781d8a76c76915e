/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/attacher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/channel.h"

#define ASKED_MAX 16
#define KILL_MS (JAVA_ANSWER_MS + 1000) /* it hangs in a file of the program's */

struct attacher {
	pid_t pid;
	int socket;
	unsigned asked; /* without an answer */
};

/* The result of the process PID; what did not end in time is killed. */
static enum java_result wait_for(pid_t pid)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int status;

	if (end.fd < 0 || poll(&end, 1, KILL_MS) != 1)
		kill(pid, SIGKILL);
	if (end.fd >= 0)
		close(end.fd);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return JAVA_FAILED;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) < JAVA_RESULTS)
		return WEXITSTATUS(status);
	return JAVA_SILENT;
}

static enum java_result ask(uint32_t pid)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(java_write_map("/proc", pid));
	}
	return child < 0 ? JAVA_FAILED : wait_for(child);
}

static void answer_questions(int socket)
{
	struct attacher_answer answer;

	while (channel_receive(socket, &answer, sizeof(answer), NULL, 0) == sizeof(answer)) {
		uint64_t began = clock_monotonic_ns(&clock_system);

		answer.result = ask(answer.pid);
		answer.took_ms =
			(uint32_t)((clock_monotonic_ns(&clock_system) - began) / (NS_PER_S / 1000));
		if (channel_send(socket, &answer, sizeof(answer), NULL))
			return;
	}
}

/* Signals of the terminal are ptop's matter; this ends when its socket is closed. */
__attribute__((noreturn)) static void attacher_run(int socket)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ptop-attacher");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	dup2(socket, STDIN_FILENO);
	syscall(SYS_close_range, 1, ~0u, 0);
	answer_questions(STDIN_FILENO);
	_exit(0);
}

struct attacher *attacher_start(void)
{
	struct attacher *a;
	int ends[2];
	pid_t pid;

	if (channel_pair(ends))
		return NULL;
	pid = fork();
	if (!pid)
		attacher_run(ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return NULL;
	}
	a = mem_alloc(sizeof(*a));
	a->pid = pid;
	a->socket = ends[0];
	return a;
}

void attacher_stop(struct attacher *a)
{
	if (!a)
		return;
	close(a->socket);
	kill(a->pid, SIGKILL);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(a);
}

bool attacher_ask(struct attacher *a, uint32_t pid)
{
	const struct attacher_answer question = { .pid = pid };

	if (a->asked >= ASKED_MAX || channel_send(a->socket, &question, sizeof(question), NULL))
		return false;
	a->asked++;
	return true;
}

bool attacher_next(struct attacher *a, struct attacher_answer *answer)
{
	if (channel_receive(a->socket, answer, sizeof(*answer), NULL, MSG_DONTWAIT) !=
	    sizeof(*answer))
		return false;
	a->asked--;
	return true;
}
