/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_SAMPLE_SNAPSHOT_H
#define PTOP_TESTS_SAMPLE_SNAPSHOT_H

#include "profile/snapshot.h"

/*
 * A fixed, rich snapshot for the tests of views and outputs: twelve processes, two sampled events,
 * forty-odd frames.  Some names have escape sequences, invalid UTF-8, newlines and wide characters.
 * There are a kernel thread, a zombie, an exited process, and one whose /proc was unreadable.  With
 * HARDWARE, `cycles` and `cache-misses` are sampled and everything is counted; without, it is
 * `cpu-clock` and `page-faults`, and the hardware counters have their refusal.  The same bytes each
 * time: golden files may be made of it.
 *
 * Owned by the caller (snapshot_free); its frame table lives until the program ends.
 */
struct snapshot *sample_snapshot(bool hardware);

/* The same with two thread rows behind process 4180 and three behind 4123. */
struct snapshot *sample_snapshot_threads(bool hardware);

/*
 * The same as sample_snapshot(), with stacks.  A cell of it is a cell of that one, or two that add
 * up to one: what was sampled in `hot_a`, `malloc` and `clear_page_erms` came by two paths.  One
 * function calls itself, one stack has nothing but its leaf, one has no end, and one lies under
 * CALL_OTHERS.
 */
struct snapshot *sample_snapshot_stacks(bool hardware);

/*
 * Gives S that many CPUs: two threads a core, eight CPUs a last-level cache, NODES nodes, each a package.
 * CPU 0 is busiest, the last one is offline, and the first half are P cores.  Each cell is on one of the CPUs.
 * Counters of an event are 1000 on CPU 0, 1001 on CPU 1, ...; samples 0, 1, ...
 */
void sample_cpus(struct snapshot *s, uint32_t cpus, uint32_t nodes);

/*
 * Gives S a root with two slices, services, a pod with two containers, and what a hostile one is called.  Each
 * process, and its cells, is in one of them; the last process's is not known.  Then MORE groups, of which
 * each but the first hundred is in the one a hundred before it; no process is in them.
 */
void sample_groups(struct snapshot *s, size_t more);

/* E becomes the event that -e TEXT is, "cycles:u" or "run-delay", and is called so.  TEXT is borrowed. */
void sample_event(struct snapshot_event *e, const char *text);

#define SAMPLE_TIME_NS 1767182400250000000u /* 2025-12-31T12:00:00.250Z */

#endif
