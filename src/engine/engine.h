/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_ENGINE_H
#define PTOP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine-options.h"
#include "profile/snapshot.h"

/*
 * The engine turns records into counts and snapshots.  One thread, no waiting: the collector runs
 * it, tests call it with records that they wrote down.
 *
 * The path of a sample: its task is looked up, mostly the last one of that CPU.  The increase of
 * the counters that it carries is credited to the task.  If it is a hit of a sampled event and its
 * task is shown, its address is resolved to a frame and one cell of the histogram grows.
 * Everything that ends earlier is counted in struct engine_stats.
 */
struct engine;

/* NULL with ERR set when there is no proc_root to open. */
struct engine *engine_new(const struct engine_options *options, struct error *err);
void engine_free(struct engine *e); /* NULL is allowed */

/*
 * Fills the process table from /proc.  Once, before the first record; engine_snapshot() does it
 * when it was not done.
 */
void engine_scan(struct engine *e);

/* The CPU time of ptop: of all threads, and of the workers that have ended. */
uint64_t engine_own_cpu_ns(const struct engine *e);

/*
 * The part of it that can wait: reading mappings, and files for names, callers and lines.  It is within RATE, in CPU seconds a second,
 * after a credit (base/spare-time.h).
 */
uint64_t engine_spare_cpu_ns(const struct engine *e);
uint64_t engine_maps_cpu_ns(const struct engine *e); /* and of that for reading mappings */
void engine_set_spare_rate(struct engine *e, double rate);

/* An interval of the budget is over: see thinning_step(). */
void engine_thin(struct engine *e, double cost_ns, double limit_ns);

/* A source_receiver: ENGINE is the struct engine. */
void engine_receive(void *engine, const struct record *r);

/* The list of events has become longer: room for them, from now on. */
void engine_grow(struct engine *e);

/*
 * From now on samples have stacks by CHOICE and LAYOUT, or none (STACK_NONE): the source does so.  Until now it is the
 * other way round.  Stacks that ended begin again with the same CHOICE.  Without them samples are under CALL_OTHERS if
 * there were stacks before.
 */
void engine_take_stacks(struct engine *e, const struct stack_choice *choice,
			const struct record_layout *layout);

/* From now on Java programs are asked for the names of their code, if there is an attacher. */
void engine_ask_java(struct engine *e);

/* SAMPLED: the source leaves out the stacks of most switches, on purpose (its stack_period). */
void engine_stacks_sampled(struct engine *e, bool sampled);

/* SUMMED: the source sums waits (its sums_waits).  UNTIL_NS is its summed_ns. */
void engine_waits_summed(struct engine *e, bool summed, uint64_t until_ns);

/* The source has handed over all records from before BEGAN_NS, by CLOCK_MONOTONIC. */
void engine_drained(struct engine *e, uint64_t began_ns);

/* Completes the recording: it holds what was counted until now.  Without one, nothing. */
void engine_end_recording(struct engine *e);

/* Readable when symbols were loaded; then engine_take_symbols() names what waited for them. */
int engine_symbols_fd(const struct engine *e);
void engine_take_symbols(struct engine *e);

/*
 * Readable when something was read of debugging information; engine_take_symbols() takes that, too.
 * -1: none is read.  It is there after engine_new(), or after engine_set_extras().
 */
int engine_lines_fd(const struct engine *e);

/* Hands over pending requests.  Returns true if any request has no answer yet. */
bool engine_waits_for_lines(struct engine *e);

/* The same of where functions are declared (EXTRA_SOURCES): of a recording, all that have samples. */
bool engine_waits_for_sources(struct engine *e);

/* Python ran since the last call, and its stacks are sure only if records are looked at soon. */
bool engine_wants_records_soon(struct engine *e);

/* So much of it that no more records should come: of a recording, which can wait. */
bool engine_is_behind(struct engine *e);

/*
 * Snapshots tell of the function that is looked at (struct snapshot_function), for which
 * engine_options.addresses is needed.
 */
void engine_look(struct engine *e, const struct engine_look *look);

/* Asks for the code of the function, and whether that is being read. */
bool engine_waits_for_code(struct engine *e);

int engine_code_fd(const struct engine *e); /* readable when it was read; -1: nothing is */
bool engine_take_code(struct engine *e);    /* whether there was some */

struct engine_request {
	const struct source *source; /* for its statistics and what it says of itself */
	const uint32_t *visible;     /* pids to read although they did not run; borrowed */
	size_t visible_count;
	double budget_percent; /* --max-overhead; 0: none */
	double cost_percent;   /* of the machine, as budget.h has it */
	bool over_budget;      /* likewise: and nothing is left to reduce */
	bool last;             /* nothing will be asked again */
	/*
	 * Empties the source's rings in a long round of /proc, during which they would overflow; with END where the interval
	 * ends, after such a round.  NULL: nothing comes meanwhile.
	 */
	void (*drain)(void *context, bool end);
	void *context;
};

/* See chains_mark(): whether samples from before MARK wait for symbols that are being loaded. */
uint64_t engine_mark(struct engine *e);
bool engine_waits_for_symbols(const struct engine *e, uint64_t mark);

/*
 * Ends the interval and tells what it was.  Owned by the caller; the engine must outlive it.
 *
 * The first one of a live session has no interval before it: it is the base of all differences, and
 * HISTOGRAM_CUMULATIVE begins its sum after it.
 */
struct snapshot *engine_snapshot(struct engine *e, const struct engine_request *request);

void engine_zero(struct engine *e);
void engine_resumed(struct engine *e); /* the source stood still, and goes on */
void engine_set_mode(struct engine *e, enum histogram_mode mode, double half_life_s);
/*
 * Snapshots are of what was counted from FROM_NS to TO_NS, as far as that is kept: cells, rows and
 * events; both 0: of now.  Figures that only /proc has are absent in those.
 */
void engine_set_window(struct engine *e, uint64_t from_ns, uint64_t to_ns);
/* Frames for KEYS, COUNT of them, whose objects are no others', into FRAMES; texts live as long as E. */
void engine_make_frames(struct engine *e, const struct frame_key *keys, size_t count,
			uint32_t *frames);
void engine_set_extras(struct engine *e, unsigned extras); /* enum snapshot_extra */
/* Reads the memory of PIDS, copied.  With MAPPINGS: each mapping of the first.  Without /proc: does nothing. */
void engine_set_memory(struct engine *e, const uint32_t *pids, size_t count, bool mappings);
/* Reads the files of the groups SHOWN, copied, for EXTRA_GROUP_…; of ALL others as the time allows. */
void engine_set_groups(struct engine *e, const uint32_t *shown, size_t count, bool all);
void engine_set_threads(struct engine *e, bool threads);
void engine_set_owners(struct engine *e, enum owners owners);
void engine_set_commands(struct engine *e, bool commands);

/* Since the start. */
struct engine_stats engine_statistics(const struct engine *e);

#endif
