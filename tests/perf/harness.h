/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LIVE_HARNESS_H
#define PTOP_TESTS_LIVE_HARNESS_H

/*
 * Shared by the tests on the real kernel: a receiver that attributes counter values as source.h
 * says, and children that do a known amount of work on command.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/hash.h"
#include "perf/record/source.h"

#define HARNESS_EVENTS 32
#define HARNESS_CPUS 1024

struct tally_task {
	uint64_t values[HARNESS_EVENTS]; /* attributed to this tid */
	uint64_t samples[HARNESS_EVENTS];
	uint64_t enabled_ns[HARNESS_EVENTS]; /* of RECORD_READs */
	uint64_t periods[HARNESS_EVENTS];    /* the sum of what they stand for */
	uint64_t mappings, comms, forks, exits;
	uint64_t leavings; /* records with its stack when it gave up a CPU */
	uint64_t stacks;   /* samples with one */
	uint64_t waits;    /* that the kernel has summed */
};

struct tally {
	struct map tasks; /* tid + 1 -> struct tally_task */
	uint64_t last[HARNESS_CPUS][HARNESS_EVENTS];
	uint64_t last_enabled_ns[HARNESS_CPUS][HARNESS_EVENTS];
	bool gap[HARNESS_CPUS];
	uint64_t on_cpu[HARNESS_CPUS]; /* samples of each */
	uint64_t sideband_ns, newest_sample_ns;
	uint64_t oldest_ns, newest_ns; /* of all records */
	uint64_t programs;             /* BPF_EVENT records */
	uint64_t samples, lost, gaps, without_tid;
	uint64_t unattributed;   /* records of what is nobody's */
	uint64_t without_period; /* samples that stand for nothing */
	uint64_t unknown;        /* samples of no event that are not marked counts_only */
	uint64_t times_back;     /* times of a CPU's events that are below those before */
	uint64_t disorder;       /* breaches of the order that source.h promises */
};

void tally_fini(struct tally *t);
void tally_receive(void *tally, const struct record *r);
struct tally_task *tally_of(struct tally *t, uint32_t tid); /* never NULL */

/* A source that drains into a tally. */
struct bench {
	struct evlist *events;
	struct source *source;
	struct tally *tally;
};

/* Opens EVENTS, or with NULL the defaults, at FREQ_HZ; false with ERR set when that fails. */
bool bench_open(struct bench *b, const char *events, uint64_t freq_hz,
		const struct source_options *options, struct error *err);
void bench_close(struct bench *b);
void bench_drain(struct bench *b);
uint64_t bench_value(struct bench *b, uint32_t tid, const char *event);

/* A child that waits for child_go(), runs WORK with ARGUMENT, and waits for child_end(). */
struct child {
	pid_t pid;
	int go, done; /* pipe ends */
};

void child_start(struct child *c, void (*work)(uint64_t argument), uint64_t argument);
void child_go(struct child *c);
void child_wait(struct child *c, struct bench *b);     /* until WORK is done; drains meanwhile */
void child_end(struct child *c, struct rusage *usage); /* USAGE may be NULL */

void work_spin(uint64_t ns);     /* of the process's own CPU time */
void work_fault(uint64_t pages); /* that many page faults and hardly one more */

/* Stays on that CPU. */
void stay_on_cpu(unsigned cpu);

#endif
