/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_TRACEPOINTS_H
#define PTOP_PERF_LIVE_TRACEPOINTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "perf/event/evlist.h"
#include "perf/live/tracepoint-families.h"

/*
 * Families of tracepoints that each CPU has beside its groups.  They count nothing for anybody.  Their samples come
 * in the ring of the groups, and become records of another kind: a wake-up, a wait's stack, a system call.
 *
 * A family is one file with its struct tracepoint_family, and a row of TRACEPOINT_FAMILIES.
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct cpu;
struct live;
struct record;
struct record_layout;
struct tracepoint;
struct tracepoint_event;

struct tracepoint_family {
	size_t data_bytes; /* of its data, which is zeroed before ENTER */
	bool of_everybody; /* also where a control group is looked at: anybody may wake its threads */

	/* Opens on C, whose groups are there, what is needed.  0, or a negative errno: REFUSE follows. */
	int (*open)(struct live *l, struct cpu *c);
	/* A sample by B: sets what R tells.  It is `counts_only` already. */
	void (*sample)(struct live *l, const struct tracepoint_event *b, struct record *r);

	/* All below may be NULL. */

	/* Before the first CPU: finds the tracepoints that the list needs, or refuses its events. */
	void (*enter)(struct live *l);
	/* OPEN has failed for the positive errno ERROR, or WHY (NULL: that of ERROR), and all of these are closed. */
	void (*refuse)(struct live *l, int error, const char *why);
	/* Returns true if these tell of the event E of the list.  Those with ADD and REMOVE. */
	bool (*tells)(const struct evsel *e);
	/* Returns 0, or -1 with ERR set: ENV has no tracepoint for E. */
	int (*probe)(const struct evsel *e, const struct event_env *env, struct error *err);
	/* One more of these events, or one less, while CPUs are open.  0, or a negative errno: refused. */
	int (*add)(struct live *l, size_t event);
	void (*remove)(struct live *l, size_t event);
	/* Its period is another now.  0, or a negative errno: refused. */
	int (*retune)(struct live *l, size_t event);
	/* The source's reduction may be another; the layouts are others. */
	void (*follow)(struct live *l);
	void (*renew)(struct live *l);
	/* After a drain, at NOW_NS. */
	void (*drained)(struct live *l, uint64_t now_ns);
	/* The thread TID has ended, and is still known to the receiver. */
	void (*ended)(struct live *l, uint32_t tid);
	/* After the last CPU: releases what its data owns. */
	void (*leave)(struct live *l);
};

#define FAMILY_DECLARE(name) extern const struct tracepoint_family family_##name;
TRACEPOINT_FAMILIES(FAMILY_DECLARE)

/* For a family. */

/* One that a family asks for. */
struct tracepoint_wanted {
	const struct tracepoint_family *family;
	int which; /* of those that the family has on a CPU; from 0 on */
	const struct tracepoint *tracepoint;
	const struct record_layout *layout; /* of its samples; a member of the live source */
	uint64_t period;
	const char *filter;         /* NULL: without */
	const struct evsel *counts; /* the event of the list whose switch it has; NULL: none */
	bool user_stacks;           /* the kernel's part of its stacks is left out */
};

/* One opening. */
struct tracepoint_opening {
	uint64_t id;                        /* the kernel's; 0: there was none */
	uint64_t period;                    /* calls that a record stands for */
	const struct record_layout *layout; /* of its records */
};

/* All openings of one `which` of a family on a CPU, one after the other. */
struct tracepoint_event {
	struct tracepoint_event *next; /* of the CPU */
	const struct tracepoint_family *family;
	int which;
	const struct evsel *counts;
	int fd; /* -1: none is open */
	struct tracepoint_opening now;
	struct tracepoint_opening former; /* whose records may still be in the ring */
};

/* Sets the attributes of W: without samples before it is enabled. */
void tracepoint_attr(const struct live *l, const struct tracepoint_wanted *w,
		     struct perf_event_attr *attr);

/*
 * Opens W on C and starts it, then closes the one that was open: what is told twice is one.  Returns 0, or a negative
 * errno and nothing is changed.
 */
int tracepoint_open(const struct live *l, struct cpu *c, const struct tracepoint_wanted *w);

/* Opens what F needs on all CPUs.  0, or a negative errno: refused. */
int tracepoints_open_all(struct live *l, const struct tracepoint_family *f);

/* Closes WHICH of F, or all that F has, on all CPUs. */
#define TRACEPOINTS_ALL (-1)
void tracepoints_close(const struct live *l, const struct tracepoint_family *f, int which);

/* The opening of B that made a record with this identifier of B. */
const struct tracepoint_opening *tracepoint_opening_of(const struct tracepoint_event *b,
						       uint64_t id);

/* For the tier. */

/* The family that tells of E; NULL: none. */
const struct tracepoint_family *tracepoints_of(const struct evsel *e);

/* To all families what struct tracepoint_family says. */
void tracepoints_enter(struct live *l);
void tracepoints_follow(struct live *l);
void tracepoints_renew(struct live *l);
void tracepoints_drained(struct live *l, uint64_t now_ns);
void tracepoints_ended(struct live *l, uint32_t tid);
void tracepoints_leave(struct live *l);

/* All that families need on C, whose groups are there; and the end of it. */
void tracepoints_open(struct live *l, struct cpu *c);
void tracepoints_free(struct cpu *c);

/* The groups of C have another ring. */
void tracepoints_redirect(const struct cpu *c);

/* Starts all of C whose event is enabled, or stops all. */
void tracepoints_run(const struct cpu *c, bool run);

/* Starts or stops those on all CPUs that have the switch of E. */
void tracepoints_enable(const struct live *l, const struct evsel *e, bool enabled);

/* The one of C with that identifier, or that had it before it was opened anew; NULL: none. */
struct tracepoint_event *tracepoints_find(const struct cpu *c, uint64_t id);

/* The layout of the sample of C at H, which is whole; NULL: none of these made it. */
const struct record_layout *tracepoints_layout(const struct cpu *c,
					       const struct perf_event_header *h);

/* Makes R what its family tells; false: none of these of C made it. */
bool tracepoints_sample(struct live *l, const struct cpu *c, struct record *r);

#endif
