/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_RUNNER_H
#define PTOP_APP_RUNNER_H

#include <stdbool.h>

#include "app/signals.h"

/*
 * A process that runs one command, again and again, when ptop asks.  It is forked before ptop gives up its
 * rights, because no filtered process starts a program.  The command is fixed then: ptop can only say when.
 *
 * It runs as the user of ptop, with the rights of whoever started that: root's are root's, and what a program file
 * lends to ptop is not passed on.  It is in a session of its own, reads nothing, and what it prints goes to the
 * standard error.  After RUNNER_DEADLINE_S it is killed, with its process group.
 */
struct runner;

#define RUNNER_DEADLINE_S 60

struct runner_options {
	const char *command;           /* for sh -c; borrowed until the call returns, as the next */
	const struct signals *signals; /* the command gets the mask of before */
	bool silent;                   /* there is a screen: nothing is printed */
};

/* Forks it; the process must have one thread only.  Returns NULL if it cannot be done. */
struct runner *runner_start(const struct runner_options *options);

/* Does not wait: a command that still runs has its time.  NULL is allowed. */
void runner_stop(struct runner *r);

#define RUNNER_VALUE_SIZE 64

/* For the environment of the command: the names are in runner.c. */
struct runner_values {
	char number[RUNNER_VALUE_SIZE], pid[RUNNER_VALUE_SIZE];
	char file[RUNNER_VALUE_SIZE], recording[RUNNER_VALUE_SIZE];
};

/* Runs the command.  Does not wait.  Returns false if the previous one still runs, or the process is gone. */
bool runner_run(struct runner *r, const struct runner_values *values);

bool runner_is_busy(const struct runner *r);

struct runner_end {
	int status;     /* of wait(2); below 0: it could not be started */
	bool timed_out; /* it was killed */
};

/* Takes the end of the command.  Does not wait: returns false if it still runs, or none did. */
bool runner_next(struct runner *r, struct runner_end *end);

#endif
