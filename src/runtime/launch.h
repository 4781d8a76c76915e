/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_LAUNCH_H
#define PTOP_RUNTIME_LAUNCH_H

#include <stdbool.h>

/*
 * Some runtimes name the code that they compile only if they are told so when they start.  For a program
 * that ptop starts, that is a variable of its environment: a row of the table in launch.c.
 */
struct launch {
	const char *runtime; /* "Node.js"; NULL: the program needs nothing */
	char *variable;      /* "NODE_OPTIONS=--perf-basic-prof"; owned; NULL: none is to be set */
	bool java;           /* its code can be asked for while it runs: java.h */
};

/*
 * Finds what ARGV's program needs, by its name or, if it is a script, by its interpreter's.  STACKS: they
 * will be taken, so the code shall keep frame pointers.  A variable that says so already is left alone.
 */
void launch_find(struct launch *l, char *const argv[], bool stacks);
void launch_fini(struct launch *l);

/*
 * The advice for a program that runs already and does not name its code: N_().  FILE is the last part of the path of a
 * file that it maps.  NULL: no runtime of the table is called so, or nothing is to be done.
 */
const char *launch_advice(const char *file);

/* In the new process: sets the variable.  L must live as long as that process's environment. */
void launch_apply(const struct launch *l);

#endif
