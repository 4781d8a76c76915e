/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/runner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/channel.h"
#include "worker/helper.h"
#include "worker/sandbox.h"

#define COMMAND_FAILED 127 /* of a shell: the command was not found */

struct runner {
	struct helper helper;
	bool busy;
};

static void set_environment(const struct runner_values *v)
{
	setenv("PTOP_VALUE", v->number, 1);
	setenv("PTOP_PID", v->pid, 1);
	setenv("PTOP_FILE", v->file, 1);
	setenv("PTOP_RECORDING", v->recording, 1);
}

/* Descriptor 0 was the socket. */
static void set_files(bool silent)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return;
	dup2(null_fd, STDIN_FILENO);
	if (silent)
		dup2(null_fd, STDERR_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

__attribute__((noreturn)) static void run_command(const struct runner_options *o,
						  const struct runner_values *values)
{
	setsid();
	signals_reset_child(o->signals);
	set_files(o->silent);
	set_environment(values);
	execl("/bin/sh", "sh", "-c", o->command, (char *)NULL);
	_exit(COMMAND_FAILED);
}

/* The group is the child's own once it called setsid(); before that it has nothing to kill. */
static struct runner_end run_one(const struct runner_options *o, const struct runner_values *values)
{
	uint64_t began_ns = clock_monotonic_ns(&clock_system);
	struct runner_end end = { .status = -1 };
	struct rusage used;
	pid_t pid = fork();

	if (!pid)
		run_command(o, values);
	if (pid < 0)
		return end;
	end.status = helper_wait(pid, -pid, RUNNER_DEADLINE_S * 1000, &used);
	end.timed_out =
		WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL &&
		clock_monotonic_ns(&clock_system) - began_ns >= RUNNER_DEADLINE_S * NS_PER_S;
	return end;
}

/* Ptop may be somebody else's by now: then a text has no end. */
static void end_texts(struct runner_values *v)
{
	char *const texts[] = { v->number, v->pid, v->file, v->recording };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		texts[i][RUNNER_VALUE_SIZE - 1] = '\0';
}

/* Only what is the user's own is passed on; root's rights are root's own. */
static void run(void *context)
{
	const struct runner_options *o = context;
	struct runner_values values;

	if (geteuid())
		sandbox_cut_capabilities(0);
	while (channel_receive(STDIN_FILENO, &values, sizeof(values), NULL, 0) == sizeof(values)) {
		struct runner_end end;

		end_texts(&values);
		end = run_one(o, &values);
		channel_send(STDIN_FILENO, &end, sizeof(end), NULL);
	}
}

struct runner *runner_start(const struct runner_options *options)
{
	static const struct helper_kind kind = { .name = "ptop-runner",
						 .kept = STDERR_FILENO + 1,
						 .run = run };
	struct runner_options own = *options;
	struct runner *r = mem_alloc(sizeof(*r));

	if (!helper_start(&r->helper, &kind, &own))
		return r;
	free(r);
	return NULL;
}

void runner_stop(struct runner *r)
{
	if (!r)
		return;
	close(r->helper.socket);
	free(r);
}

bool runner_run(struct runner *r, const struct runner_values *values)
{
	if (r->busy || channel_send(r->helper.socket, values, sizeof(*values), NULL))
		return false;
	r->busy = true;
	return true;
}

bool runner_is_busy(const struct runner *r)
{
	return r->busy;
}

bool runner_next(struct runner *r, struct runner_end *end)
{
	if (!r->busy || channel_receive(r->helper.socket, end, sizeof(*end), NULL, MSG_DONTWAIT) !=
				sizeof(*end))
		return false;
	r->busy = false;
	return true;
}
