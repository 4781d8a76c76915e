/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_RECORDER_H
#define PTOP_ENGINE_RECORDER_H

#include <stdint.h>

#include "perf/record/record.h"
#include "perf/data/write.h"
#include "proc/process.h"
#include "profile/counters.h"
#include "symbol/dso.h"

/*
 * Writes a live session into its recording: the samples that the engine counts, the records that
 * give them a meaning, and what was lost.  So perf, and ptop -i, find in the file what ptop showed.
 *
 * The kernel does not report tasks and mappings from before the start.  So names and mappings of a
 * process are written in front of its first sample in a file, from the tables by which the engine
 * names its samples.  Nothing else is read for that, and idle processes cost nothing.
 *
 * One thread, the engine's.
 */
struct recorder;

/*
 * Where the running kernel and its modules are.  To find that, its list of symbols is read, which
 * takes long enough for rings to fill: so it is done before anything is measured.
 */
struct recorder_kernel;

/* The files are /proc/kallsyms and /proc/modules; NULL: those. */
struct recorder_kernel *recorder_kernel_find(const char *kallsyms, const char *modules);
void recorder_kernel_free(struct recorder_kernel *k); /* NULL is allowed */

struct recorder_options {
	struct writer *writer; /* started; all borrowed */
	const struct evlist *evlist;
	struct record_layout layout; /* of the source's samples */
	struct process_table *processes;
	struct dso_cache *objects;
	const struct recorder_kernel
		*kernel;   /* NULL: nothing is known; until recorder_new() returns */
	const char *notes; /* NULL: those of the running kernel */
};

struct recorder *recorder_new(const struct recorder_options *options);

/* Ends the recording: what the writer still has to do it does after this.  NULL is allowed. */
void recorder_free(struct recorder *r);

/* A sample of TH that was counted; STACK, COUNT words, is its whole stack, or NULL (write-record.h). */
void recorder_sample(struct recorder *r, const struct thread *th, const struct record *sample,
		     const uint64_t *stack, size_t count);

/* Writes the counts of TH by event since they were last written. */
void recorder_counts(struct recorder *r, const struct thread *th,
		     const struct counter_value *counts);

/* Any other record of the source, after the tables have learned from it. */
void recorder_other(struct recorder *r, const struct record *record);

/* The source has been drained. */
void recorder_round(struct recorder *r);

#endif
