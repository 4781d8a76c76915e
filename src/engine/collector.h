/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_COLLECTOR_H
#define PTOP_ENGINE_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/engine.h"
#include "engine/tap.h"
#include "perf/record/source.h"
#include "profile/histogram.h"
#include "profile/snapshot.h"

/*
 * The collector thread owns everything from the rings to the histogram, and /proc.  It drains at
 * least four times a second, whatever the main thread does.  It answers requests for a snapshot,
 * and commands.  It drains in front of each snapshot, and there the interval ends.  A caller
 * that is late gets a longer interval and loses nothing.
 *
 * Snapshots borrow names from the collector: free them before collector_stop().  All functions are
 * for one thread, the one that started it.
 */
struct collector;

struct collector_options {
	struct source *source; /* owned by the collector from here on */
	/*
	 * Borrowed objects live as long as the collector; the evlist is the collector's alone until
	 * it is stopped.  The collector fills in what the source knows: tier, machine, layout,
	 * symbol_counters.
	 */
	struct engine_options engine;
	unsigned names_ms;           /* batch: a snapshot may wait so long for symbols to load */
	double max_overhead_percent; /* of all CPUs; see budget.h; 0: no limit */
	struct tap *tap; /* borrowed; gets all samples in place of a listener; or NULL */
	bool once;       /* one snapshot is asked for, and no more */
};

/* Starts the thread.  NULL with ERR set, and then the source is closed. */
struct collector *collector_start(const struct collector_options *options, struct error *err);
void collector_stop(struct collector *c); /* ends it, frees everything; NULL is allowed */

/*
 * Readable when a snapshot is there or the source has failed or ended.  For poll(2): taking the
 * snapshot, or asking for the state, makes it unreadable again.
 */
int collector_fd(const struct collector *c);

/*
 * Asks for a snapshot; one that was asked before and not taken is replaced.  Never blocks.
 * VISIBLE are the pids that a person sees now: they are read although they did not run.
 * A file answers when it has ended, with one snapshot of all of it.  One that `grows` answers at once, unless `once` is set, with
 * a snapshot of all that came.
 */
void collector_request(struct collector *c, const uint32_t *visible, size_t visible_count);

/* The newest snapshot, owned by the caller, or NULL when none is ready.  Never blocks. */
struct snapshot *collector_take(struct collector *c);

/*
 * Waits for the answer to the newest request: batch.  NULL when TIMEOUT_MS (-1: none) passed, or
 * when the source failed and there is none.
 */
struct snapshot *collector_wait(struct collector *c, int timeout_ms);

/*
 * 0 running; 1 a file has ended; -1 the source failed and ERR says how.  In both cases a snapshot
 * of the counts until then can still be requested.
 */
int collector_state(struct collector *c, struct error *err);

/* The fraction of a recording that has been read, 0 to 1; NAN if its size is not known. */
double collector_progress(struct collector *c);

/* Commands; carried out in order, before any later request. */
void collector_enable_event(struct collector *c, size_t event, bool enabled);
/*
 * From now on samples bring stacks, as with -g alone, or none again, where the source can do that while it runs.  Ask only
 * to end those that were begun so.
 */
void collector_take_stacks(struct collector *c, bool on);
/* From now on Java programs are asked for the names of their code, with an `attacher`. */
void collector_ask_java(struct collector *c);
/*
 * The events of MORE are measured as well, from the next snapshot on; those that cannot be opened are
 * there with their reason.  Takes MORE over.
 */
void collector_add_events(struct collector *c, struct evlist *more);

/* The event ends; its place in the list stays, marked as removed. */
void collector_remove_event(struct collector *c, size_t event);

/* A sampled event gets another frequency, or when that is 0 another period. */
void collector_retune_event(struct collector *c, size_t event, uint64_t freq_hz, uint64_t period);
void collector_set_mode(struct collector *c, enum histogram_mode mode, double half_life_s);
/* See engine_set_window(); nothing without `past`. */
void collector_set_window(struct collector *c, uint64_t from_ns, uint64_t to_ns);
void collector_zero(struct collector *c);
void collector_set_extras(struct collector *c, unsigned extras); /* enum snapshot_extra */
/*
 * Reads the memory of PIDS, as memory.h describes, until the next call; with MAPPINGS also each
 * mapping of the first process.  Copied.
 */
void collector_set_memory(struct collector *c, const uint32_t *pids, size_t count, bool mappings);
/* The files of these control groups are read, see engine_set_groups(). */
void collector_set_groups(struct collector *c, const uint32_t *shown, size_t count, bool all);
void collector_set_threads(struct collector *c, bool threads);
void collector_set_commands(struct collector *c, bool commands);
/* OWNERS_ALL, or OWNERS_NEW.  A snapshot that is requested later has rows whose owners are true. */
void collector_set_owners(struct collector *c, bool all);
void collector_look(struct collector *c, const struct engine_look *look);

/*
 * Returns true if the code of a function was read that the newest snapshot lacks: the next one has it.
 * collector_fd() becomes readable then.  After a true answer: false until there is more.
 */
bool collector_news(struct collector *c);

/*
 * The answer to the next request is the last one.  The recording ends with it, and holds what all snapshots show.  The
 * source tells all that it has summed, or counts it as lost.
 */
void collector_end(struct collector *c);

/* See engine_make_frames(); waits until it is done. */
void collector_make_frames(struct collector *c, const struct frame_key *keys, size_t count,
			   uint32_t *frames);

void collector_suspend(struct collector *c, bool suspended); /* Ctrl-Z; waits until it is done */

#endif
