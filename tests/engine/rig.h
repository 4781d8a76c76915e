/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_ENGINE_RIG_H
#define PTOP_TESTS_ENGINE_RIG_H

#include "engine/engine.h"
#include "source/fake-source.h"

/*
 * An engine on a bench.  A test moves its clock by hand and hands records over one by one.  Its
 * /proc is an empty directory in TMPDIR, its only readable object the test program itself.
 */
struct rig {
	struct evlist *evlist;
	struct clock clock;
	uint64_t now_ns;
	char proc_root[64];
	struct fake_script script;
	struct source *source; /* for its tier and statistics */
	struct engine_options options;
	struct engine *engine;
	struct snapshot *snapshot; /* the newest one */
};

/* EVENTS as in -e; the first is sampled, the others are counted.  Change `options`, then open. */
void rig_init(struct rig *rig, const char *events, enum source_tier tier);
void rig_open(struct rig *rig);
void rig_fini(struct rig *rig);

/* Opens a rig with the events cpu-clock and page-faults. */
void rig_start(struct rig *rig, enum source_tier tier);

void rig_receive(struct rig *rig, struct record r);
const struct snapshot *rig_snapshot(struct rig *rig); /* lives until the next one; checked */

/* Aborts when the newest snapshot had a figure that cannot be true (profile/invariant.h). */
void rig_check(const struct rig *rig);

/* The row of a process (TID 0) or thread in the newest snapshot, or NULL. */
const struct snapshot_process *rig_row(const struct rig *rig, uint32_t pid, uint32_t tid);

/* Samples of PID (0: of all) in frames called SYMBOL, in the newest snapshot. */
double rig_samples(const struct rig *rig, uint32_t pid, const char *symbol);

/* A code address of this program, and the record that maps it there into process PID. */
uint64_t rig_hot_address(void);
struct record rig_mmap_self(uint32_t pid, uint64_t time_ns);
void rig_hot_function(void);

/* A sample of PID at rig_hot_address(). */
struct record rig_hot_sample(uint32_t pid, uint32_t cpu, uint64_t time_ns);

/* The value of an event for the whole machine, in the newest snapshot. */
double rig_event_value(const struct rig *rig, size_t event);

/* A sample or switch with the running totals of two events; the group was on all the time. */
struct record rig_with_totals(struct record r, uint64_t first, uint64_t second);

#endif
