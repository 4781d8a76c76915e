/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_USAGE_H
#define PTOP_ENGINE_USAGE_H

#include "base/hash.h"
#include "engine/memory.h"
#include "proc/process.h"
#include "profile/snapshot.h"

/*
 * The memory of processes that was requested: which processes, and their readings for a snapshot.
 */
struct usage {
	struct memory *memory; /* NULL: nobody asked yet; owned */
	uint32_t *pids;        /* owned */
	size_t count;
	bool mappings;        /* of the first one */
	uint32_t first;       /* its serial, 0 when there is no such process */
	struct map requested; /* by serial, those that there are */
};

void usage_fini(struct usage *u);

/* PROCFS and CLOCK are borrowed for as long as U lives. */
struct usage_request {
	const struct procfs *procfs;
	const struct clock *clock;
	const struct process_table *processes;
	uint64_t now_ns; /* CLOCK_MONOTONIC that ages count from */
};

/* Replaces what was asked for, and begins to read it.  PIDS is copied. */
void usage_ask(struct usage *u, const struct usage_request *request, const uint32_t *pids,
	       size_t count, bool mappings);

/* Gives S, whose rows are there, what is known. */
void usage_fill(struct usage *u, struct snapshot *s, const struct usage_request *request);

/* The process has another program from now on. */
void usage_forget(struct usage *u, const struct process *p);

#endif
