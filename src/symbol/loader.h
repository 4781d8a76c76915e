/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOADER_H
#define PTOP_SYMBOL_LOADER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The loader thread: runs jobs, the cheapest first, and hands each back when it is done.  A long job
 * calls loader_checkpoint() every few milliseconds: jobs that cost much less and came meanwhile are
 * run there, so a huge file holds up nothing.
 *
 * A job is owned by the loader from loader_submit() until loader_take() gives it back.
 */
struct loader;

struct job {
	struct job *next;			/* the loader's */
	uint64_t cost;				/* set by prepare(): what it has to read, in bytes */
	/* The three run in the loader's thread.  Opens what it needs, early and quickly. */
	void (*prepare)(struct job *j);
	bool (*run)(struct job *j);		/* true: hand it back, false: drop it */
	void (*drop)(struct job *j);		/* frees it, run or not */
};

/* With THREAD false jobs run in loader_submit(), in the caller's thread. */
struct loader *loader_new(bool thread);

/*
 * Ends the thread and drops all jobs: within milliseconds, since jobs see the checkpoint.  False
 * when the thread hangs in a read (a dead network file system) for two seconds: then it is left
 * behind with all it may touch.
 */
bool loader_free(struct loader *l);

void loader_submit(struct loader *l, struct job *j);
bool loader_checkpoint(struct loader *l);	/* from run(): true when it must give up */

int loader_fd(const struct loader *l);		/* readable when a job is done */
struct job *loader_take(struct loader *l);	/* the next done, or NULL */

#endif
