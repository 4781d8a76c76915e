/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_COMMAND_H
#define PTOP_APP_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "app/signals.h"
#include "base/error.h"
#include "runtime/launch.h"

/*
 * The program behind `--`.  It is started in two steps, so that not one instruction of it is
 * missed: command_start() makes a process that waits; when its events are open, command_release()
 * lets it exec.
 */
struct command {
	pid_t pid;      /* 0: there is none */
	int go_fd;      /* writing here releases it; -1 afterwards */
	int failure_fd; /* the errno of a failed exec comes here; -1 afterwards */
	int log_fd;     /* what it prints, when that is captured; -1 */
	bool ended;
	int wait_status; /* of waitpid(2), when ended */
};

/*
 * With `capture` the command reads an empty standard input.  Its output for the terminal goes to a
 * file without a name, because the screen is ours.  Returns 0, or -1 with ERR set.
 */
struct command_start {
	char *const *argv;
	bool capture;
	const struct signals *signals; /* borrowed until the call returns, as the others */
	const struct launch *launch;   /* what its runtime is told; NULL: nothing */
};
int command_start(struct command *c, const struct command_start *how, struct error *err);

/* Lets it run.  -1 with ERR set when the program cannot be executed; it is then reaped. */
int command_release(struct command *c, const char *name, struct error *err);

bool command_poll(struct command *c); /* on SIGCHLD: has it ended? */
void command_signal(struct command *c, int number);
int command_exit_status(const struct command *c); /* its own, or 128 + signal */

/* Ends it when it still runs (SIGTERM, and SIGKILL after a while), and waits for it. */
void command_end(struct command *c);
void command_fini(struct command *c);

#endif
