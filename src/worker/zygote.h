/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_ZYGOTE_H
#define PTOP_WORKER_ZYGOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * Processes that may do nothing, for reading what anybody may have written.
 *
 * The zygote is a copy of ptop, forked before anything is open and before there are threads.  It has
 * no privileges (sandbox.h).  On request it forks a worker, one process for one job.  So limits are
 * exact, nothing of one job is left for the next, and a worker that was killed
 * costs no more than the next fork.  A worker gets at files only through descriptors that are sent to
 * it, and answers over its socket (channel.h).
 *
 * Every function may be called by any thread, except zygote_start() and zygote_free().
 */
struct zygote;

/*
 * Forks the zygote, which knows these jobs; the table must be constant.  The process must have one
 * thread only.  Returns NULL if it cannot be done.
 */
struct zygote *zygote_start(worker_main *const *jobs, size_t count);

/* Ends the zygote and all its workers.  NULL is allowed. */
void zygote_free(struct zygote *z);

/*
 * Starts a worker for job number JOB, and sets *ID, never 0, by which its CPU time is asked for.  Returns our end of
 * its socket, owned by the caller: closing it kills the worker.  Returns a negative errno if the zygote has ended.
 */
int zygote_spawn(struct zygote *z, unsigned job, const struct worker_limits *limits, uint32_t *id);

/*
 * The CPU time of the worker ID so far, with that of the zygote to fork it, as the kernel counted it.  0 if it has not
 * begun, or when NURSERY_WORKERS_MAX others were started after its end.
 */
uint64_t zygote_worker_cpu_ns(struct zygote *z, uint32_t id);

/*
 * The memory of the worker ID beyond what it shares with the zygote, in bytes, as the kernel says; 0 once it has ended.
 */
uint64_t zygote_worker_resident_bytes(struct zygote *z, uint32_t id);

/*
 * The CPU time of the zygote and of all workers, as the kernel counted it; what a worker says does not
 * change it.  It never falls.  NULL has none.
 */
uint64_t zygote_cpu_ns(struct zygote *z);

/*
 * The memory of the zygote and its workers, in bytes, as the kernel says.  It leaves out the
 * program's files, which all processes share.
 */
uint64_t zygote_resident_bytes(struct zygote *z);

/* From now on a worker gets at most BYTES of memory, whatever zygote_spawn() is told; at first as much as that. */
void zygote_limit_memory(struct zygote *z, uint64_t bytes);

int zygote_pid(const struct zygote *z);

/* Returns true for the zygote and each worker that has not ended; false if Z is NULL. */
bool zygote_has(const struct zygote *z, int pid);

/* If MESSAGE of SIZE bytes is the last one: returns true and fills OUT. */
bool zygote_worker_ended(const void *message, size_t size, struct worker_ended *out);

#endif
