/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_ATTACHER_H
#define PTOP_RUNTIME_ATTACHER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/java.h"

/*
 * A process that has Java programs write down the names of their code.  It is forked before ptop gives up its
 * rights, because it needs some: it becomes the user of the program that it asks.  It keeps the capabilities
 * for that, for reading /proc and for ending what it forked, and the system calls of its work
 * (worker/sandbox.h).  For each question it forks a process, which ends with the answer; a program that does not answer delays the next question by
 * some seconds, and nothing else.
 */
struct attacher;

/* Forks it.  The process must have one thread only.  Returns NULL if it cannot be done. */
struct attacher *attacher_start(void);

/* Ends it.  NULL is allowed. */
void attacher_stop(struct attacher *a);

/* Asks for the names of PID.  Does not wait.  Returns false if too many questions wait already. */
bool attacher_ask(struct attacher *a, uint32_t pid);

struct attacher_answer {
	uint32_t pid;
	uint32_t took_ms;
	enum java_result result;
};

/* The CPU time of the process and of all that it forked, so far; it never decreases.  NULL: 0. */
uint64_t attacher_cpu_ns(struct attacher *a);

/* Takes the next answer.  Does not wait: returns false if there is none. */
bool attacher_next(struct attacher *a, struct attacher_answer *answer);

#endif
