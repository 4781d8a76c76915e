/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"

#define END_TIMEOUT_MS 2000 /* between SIGTERM and SIGKILL */

/* A file that has no name and goes away with us. */
static int log_open(void)
{
	const char *folder = secure_getenv("TMPDIR");
	char path[] = "/tmp/ptop-XXXXXX";
	int fd = open(folder && *folder ? folder : "/tmp",
		      O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	fd = mkostemp(path, O_APPEND | O_CLOEXEC); /* a file system without O_TMPFILE */
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* In the child.  Only what would go to the terminal is kept away from it. */
static void capture_output(int log_fd)
{
	int null_fd = open("/dev/null", O_RDONLY);

	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	if (isatty(STDOUT_FILENO))
		dup2(log_fd, STDOUT_FILENO);
	if (isatty(STDERR_FILENO))
		dup2(log_fd, STDERR_FILENO);
	if (null_fd > STDERR_FILENO)
		close(null_fd);
}

struct pipes {
	int go[2], failure[2];
};

__attribute__((noreturn)) static void child_run(const struct pipes *pipes,
						const struct command_start *how, int log_fd)
{
	char go;
	int error;

	close(pipes->go[1]);
	signals_reset_child(how->signals);
	if (how->launch)
		launch_apply(how->launch);
	if (log_fd >= 0)
		capture_output(log_fd);
	while (read(pipes->go[0], &go, 1) != 1) {
		if (errno != EINTR)
			_exit(127); /* ptop has gone */
	}
	execvp(how->argv[0], how->argv);
	error = errno;
	while (write(pipes->failure[1], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static int pipes_open(struct pipes *p)
{
	if (pipe2(p->go, O_CLOEXEC))
		return -1;
	if (!pipe2(p->failure, O_CLOEXEC))
		return 0;
	close(p->go[0]);
	close(p->go[1]);
	return -1;
}

int command_start(struct command *c, const struct command_start *how, struct error *err)
{
	const char *name = how->argv[0];
	struct pipes pipes;

	*c = (struct command){ .go_fd = -1, .failure_fd = -1, .log_fd = -1 };
	if (how->capture) {
		c->log_fd = log_open();
		if (c->log_fd < 0)
			return error_set(err,
					 _("cannot make a file for what '%s' prints: %s; "
					   "use -b, or redirect its output"),
					 name, strerror(errno));
	}
	if (pipes_open(&pipes)) {
		io_close(&c->log_fd);
		return error_set(err, _("cannot start '%s': %s"), name, strerror(errno));
	}
	c->pid = fork();
	if (c->pid == 0)
		child_run(&pipes, how, c->log_fd);
	close(pipes.go[0]);
	close(pipes.failure[1]);
	c->go_fd = pipes.go[1];
	c->failure_fd = pipes.failure[0];
	if (c->pid > 0)
		return 0;
	error_set(err, _("cannot start '%s': %s"), name, strerror(errno));
	c->pid = 0;
	command_fini(c);
	return -1;
}

/* Lets the child go: 0 when it runs its program, else the errno of what failed. */
static int go(struct command *c)
{
	int error;

	while (write(c->go_fd, "", 1) < 0) {
		if (errno != EINTR)
			return errno;
	}
	/* closed by the exec, with nothing in it */
	return io_read(c->failure_fd, &error, sizeof(error)) == sizeof(error) ? error : 0;
}

int command_release(struct command *c, const char *name, struct error *err)
{
	int error = go(c);

	io_close(&c->go_fd);
	io_close(&c->failure_fd);
	if (!error)
		return 0;
	command_end(c);
	return error_set(err, _("cannot run '%s': %s"), name, strerror(error));
}

bool command_poll(struct command *c)
{
	if (!c->pid || c->ended)
		return c->ended;
	c->ended = waitpid(c->pid, &c->wait_status, WNOHANG) == c->pid;
	return c->ended;
}

void command_signal(struct command *c, int number)
{
	if (c->pid && !c->ended)
		kill(c->pid, number);
}

int command_exit_status(const struct command *c)
{
	if (WIFSIGNALED(c->wait_status))
		return 128 + WTERMSIG(c->wait_status);
	return WEXITSTATUS(c->wait_status);
}

void command_end(struct command *c)
{
	struct pollfd gone = { .events = POLLIN };

	io_close(&c->go_fd); /* one that still waits ends by itself */
	if (!c->pid || command_poll(c))
		return;
	command_signal(c, SIGTERM);
	command_signal(c, SIGCONT);
	gone.fd = (int)syscall(SYS_pidfd_open, c->pid, 0); /* none before Linux 5.3: just wait */
	poll(&gone, gone.fd >= 0, END_TIMEOUT_MS);
	if (gone.fd >= 0)
		close(gone.fd);
	if (command_poll(c))
		return;
	command_signal(c, SIGKILL);
	while (waitpid(c->pid, &c->wait_status, 0) < 0 && errno == EINTR)
		;
	c->ended = true;
}

void command_fini(struct command *c)
{
	command_end(c);
	io_close(&c->go_fd);
	io_close(&c->failure_fd);
	io_close(&c->log_fd);
}
