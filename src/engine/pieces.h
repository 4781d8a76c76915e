/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_PIECES_H
#define PTOP_ENGINE_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/attribution.h"
#include "engine/target.h"
#include "naming/callers.h"
#include "perf/event/evlist.h"
#include "proc/thread.h"

/*
 * Samples that the engine makes: pieces of the time of threads, of events that no counter has.  times.h and
 * syscalls.h cut the time; what they cut it with, and where a piece is counted, is the same.
 */
struct pieces {
	const struct evlist *evlist; /* all borrowed */
	const struct target *target;
	struct process_table *processes;
	struct frame_table *frames;
	struct chains *chains;
	const struct callers *callers;
	struct histogram *histogram;
	struct attribution *attribution;
	uint64_t from_ns, to_ns; /* what is before or behind them has no length */
};

/* Returns true if TH, which may be NULL, is neither an idle task nor outside the target. */
bool pieces_follow(const struct pieces *p, struct thread *th);

/* A piece of TH that ended at END_NS.  Its KEY has the event. */
struct piece {
	struct cell_key key;
	uint32_t more; /* samples that it stands for, besides the one; NS is that of all of them */
	uint64_t ns;
	uint64_t longest_ns; /* how long the whole of it has lasted */
	uint64_t end_ns;
};

/* Counts a sample whose period is the piece's time.  TH is NULL if the thread is not known any more. */
void pieces_count(const struct pieces *p, struct thread *th, const struct piece *piece);

#endif
