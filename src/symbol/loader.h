/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOADER_H
#define PTOP_SYMBOL_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * The loader thread: runs jobs and hands each one back when it is done.  The owner whose jobs took the
 * least time lately goes first, then the cheapest job: nobody's files delay another's for long.
 *
 * Jobs take spare CPU time (base/spare-time.h), and their owners pay for it.  While there is none for an owner he rests:
 * his jobs are handed back, and were not run.  Root and the user of ptop are trusted there, and the kernel never rests.
 *
 * A long job calls loader_checkpoint() every few milliseconds.  Much cheaper jobs that have arrived
 * meanwhile run there, so a huge file delays nothing.  While a job runs in another process, so do the
 * jobs of other owners.  The loader owns a job from loader_submit()
 * until loader_take() hands it back.
 */
struct loader;

struct spare_time;

struct job {
	struct job *next; /* the loader's */
	uint64_t cost;    /* set by prepare(): bytes to read */
	uint32_t
		owner; /* likewise: the user who could choose what they are; before: if the caller knew him, or 0 */
	bool apart;  /* likewise: it runs in another process, and here only waits for that */
	bool urgent; /* set by the caller: a person waits for it, so it runs while its owner rests */
	uint64_t cpu_ns;         /* set by run(): CPU time of other processes that it took */
	uint64_t prepare_cpu_ns; /* the loader's: CPU time of prepare() */
	/*
	 * Set when it is handed back: 0, or run() was not called, since its owner rests until then (CLOCK_MONOTONIC).  Nor
	 * was prepare(), if the caller told the owner.
	 */
	uint64_t rest_until_ns;
	/*
	 * All three run in the loader's thread.  prepare() opens what the job needs, early and
	 * quickly.
	 */
	void (*prepare)(struct job *j);
	bool (*run)(struct job *j);  /* true: hand it back, false: drop it */
	void (*drop)(struct job *j); /* frees it, run or not */
};

/* Returns true if USER could only harm himself: root, the user of ptop, and the kernel. */
bool loader_trusts(uint32_t user);

#define LOADER_NOBODY UINT32_MAX /* an owner whose time is not counted: the kernel */
#define LOADER_AGAIN  \
	(UINT32_MAX - \
	 1) /* owns what has to be read again since others needed its place; not trusted */

/*
 * With THREAD false, loader_submit() runs the job in the caller's thread, and no owner rests.  Nor does one with SPARE
 * NULL: a recording is read to its end.  The loader takes a reference to SPARE; CLOCK is borrowed.
 */
struct loader *loader_new(bool thread, struct spare_time *spare, const struct clock *clock);

/*
 * Ends the thread and drops all jobs, within milliseconds, because jobs check the checkpoint.
 * Returns false if the thread hangs in a read for two seconds (a dead network file system).  It is
 * then left behind with all that it may touch.
 */
bool loader_free(struct loader *l);

void loader_submit(struct loader *l, struct job *j);
uint64_t loader_cpu_ns(const struct loader *l); /* CPU time of its thread; 0 without one */

bool loader_checkpoint(struct loader *l); /* from run(): true when it must give up */
uint64_t loader_nested_ns(
	const struct loader *l); /* from run(): time of the jobs that ran within this one */

int loader_fd(const struct loader *l);     /* readable when a job is done */
struct job *loader_take(struct loader *l); /* the next finished job, or NULL */

#endif
