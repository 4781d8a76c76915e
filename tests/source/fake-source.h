/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FAKE_SOURCE_H
#define PTOP_TESTS_FAKE_SOURCE_H

/*
 * A source whose records a test wrote down: the same seam as the live kernel, without privilege and
 * with a truth that is known to the last count.  It hands over the records in the order of the
 * script, `per_drain` of them each time it is drained, and notes what it was told.
 *
 * For a program of its own: add tests/source/fake-source.c and .h to its _SOURCES.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/record/source.h"

struct fake_script {
	const struct record *records; /* borrowed until the source is closed */
	size_t count;
	size_t per_drain; /* 0: all at once */
	enum source_tier tier;
	bool fails_at_end; /* then drain says -EIO instead of "nothing more" */
};

struct fake_told { /* what the engine asked for */
	size_t drains;
	size_t enabled, disabled; /* set_enabled() calls of each kind */
	size_t last_event;        /* of the last set_enabled() */
	bool suspended;
};

/* Owned by whoever closes it.  EVLIST is borrowed; each set_enabled() marks its evsel. */
struct source *fake_source_new(struct evlist *evlist, const struct fake_script *script);

/* Safe from any thread. */
struct fake_told fake_source_told(struct source *s);

/*
 * Records by their essentials; the rest is zero.  Chain further fields by assigning to the result.
 * PATH, COMM and NAME are borrowed.
 */
struct record fake_comm(uint32_t pid, uint32_t tid, uint64_t time_ns, const char *comm, bool exec);
struct record fake_mmap(uint32_t pid, uint64_t time_ns, uint64_t start, uint64_t length,
			const char *path);
struct record fake_fork(uint32_t pid, uint32_t tid, uint32_t ppid, uint64_t time_ns);
struct record fake_exit(uint32_t pid, uint32_t tid, uint64_t time_ns);
struct record fake_lost(uint32_t cpu, uint64_t time_ns, uint64_t count);

/* A hit of EVENT with period 1; user mode. */
struct record fake_sample(uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns, uint64_t ip,
			  int event);

/* A context switch of tier 1: values only. */
struct record fake_switch(uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns);

/* The increase of a task's counters, as tier 2 hands it over. */
struct record fake_read(uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Adds a counter value to a sample, a switch or a read. */
void fake_value(struct record *r, size_t event, uint64_t value);

#endif
