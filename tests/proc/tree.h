/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_PROC_TREE_H
#define PTOP_TESTS_PROC_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "proc/procfs.h"

/*
 * A /proc of the test's own: plain files in a temporary directory, written while the test goes on,
 * 100 ticks a second.  Every failure ends the test.
 */
struct tree {
	char root[64];
	struct procfs procfs;
};

/* A clock of the test's own: each look at it takes `step_ns`. */
struct tree_clock {
	struct clock clock;
	uint64_t now_ns, step_ns;
};

void tree_clock_init(struct tree_clock *c, uint64_t now_ns); /* with a step of 0; C must not move */

void tree_init(struct tree *t);
void tree_fini(struct tree *t); /* removes it */

/* Writes the file NAME ("7/stat"), with the directories that it needs. */
void tree_write(struct tree *t, const char *name, const void *bytes, size_t size);
void tree_printf(struct tree *t, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tree_remove(struct tree *t, const char *name); /* a file, or a whole directory */

/* One task, in the shape of /proc: a zero field is written as 0. */
struct tree_task {
	uint32_t pid;
	uint32_t tid;                  /* not 0: below task/ */
	const char *comm;              /* NULL: "comm" */
	char state;                    /* 0: 'S' */
	uint32_t ppid, flags, threads; /* threads 0: 1 */
	uint64_t user_ticks, system_ticks, minor_faults, major_faults, start_ticks;
	uint64_t voluntary, involuntary;
};

/* Writes its stat and status. */
void tree_task(struct tree *t, const struct tree_task *task);

#endif
