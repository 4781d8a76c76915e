/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_PERTASK_H
#define PTOP_PERF_LIVE_PERTASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "perf/live/group.h"
#include "perf/live/live-state.h"

/*
 * Tier 2, inside:
 *
 *	pertask.c		the tier: which tasks, starting and stopping
 *	family.c		the life of a task: found, forked, exec'd, ended
 *	family-counters.c	counting where samples of inherited events carry values (Linux since 6.12)
 *	inherit.c		which of the two the kernel can do
 *	task-counters.c		counting where they cannot: each task's counters are read
 *
 * A family is a task that was opened, its root, and all that inherit the root's events.  A root
 * whose children inherited its events cannot be closed before them: the kernel ends inherited events
 * with the original.
 */
struct task_event { /* on one CPU */
	int fd;
	int event; /* index in the evlist; -1: the side-band */
	uint32_t cpu;
	uint64_t id; /* the kernel's */
};

struct count {
	uint64_t value, running_ns;
};

/* Running totals of one task or family on one CPU; see family-counters.c. */
struct cpu_counts {
	uint32_t cpu;
	size_t events;
	struct count *counts; /* owned */
};

struct totals {                  /* of one task or family on all CPUs */
	struct cpu_counts *cpus; /* owned; those where it counted */
	size_t cpu_count, cpu_capacity;
	uint64_t *enabled_ns; /* one an event; owned */
	size_t events;
};

struct task {
	uint32_t pid, tid;
	unsigned ended;    /* drains since its EXIT was seen; 0: it lives */
	struct task *root; /* of its family; itself when it has its own events */
	size_t covered;    /* of a root: members of the family that are not released */
	/*
	 * family-counters.c.  The kernel writes a READ for each inherited event; the last one completes the
	 * counts of the task.  `open` is of a root: its members whose counts are not complete.
	 */
	size_t inherited, reads, open;
	bool settled;
	size_t root_index;         /* of a root: in pertask.roots */
	bool dying;                /* of a root: covers nobody; freed after one more drain */
	struct task_event *events; /* of a root; owned */
	size_t event_count, event_capacity;

	struct groups counters; /* task-counters.c: its own */

	struct groups *carriers; /* family-counters.c, of a root: one a CPU; owned */
	size_t carrier_count, carrier_capacity;
	struct totals seen;             /* what this task has counted, as far as we know */
	struct totals reported, total;  /* of a root: by its members, by the kernel of all */
	bool has_total;                 /* `total` is of this drain */
	struct counter_increase *fresh; /* one an event: since the last drain; owned */
	size_t fresh_events;
	bool has_fresh;
};

struct counter_increase {
	uint64_t value, enabled_ns, running_ns;
};

struct found { /* in /proc */
	uint32_t pid, tid;
};

/* The ways to read the values of tasks.  Those marked so may be NULL. */
struct counting {
	void (*attr)(const struct live *l, const struct evsel *e, struct perf_event_attr *attr);
	/* The events of root T on C, besides its side-band.  0 or a negative errno. */
	int (*open_on)(struct live *l, struct task *t, const struct cpu *c);
	void (*close_on)(struct live *l, struct task *t, uint32_t cpu); /* optional */
	/* Opens what each task has for itself, roots and others.  Optional. */
	int (*open)(struct live *l, struct task *t);
	void (*close)(struct live *l, struct task *t);
	size_t (*root_need)(const struct live *l);  /* descriptors of one more root */
	size_t (*child_need)(const struct live *l); /* and of one that inherits */
	void (*draining)(struct live *l);           /* before a drain; optional */
	void (*drained)(struct live *l, uint64_t now_ns);
	/* The group of T that waits for a turn that does not come, or -1; after `drained`. */
	int (*starved)(struct live *l, struct task *t);
	/* As groups_arrange(). */
	int (*arrange)(struct live *l, struct task *t);
	int (*enable)(struct live *l, struct task *t, size_t event, bool enabled);
	int (*run)(struct live *l, struct task *t, bool run);
	int (*retune)(struct live *l, struct task *t, size_t event, uint64_t value);
	/* One event more or less of a root, or of another that has something of its own. */
	int (*add)(struct live *l, struct task *t, size_t event);
	void (*remove)(struct live *l, struct task *t, size_t event);
	void (*exec)(struct task *t); /* enable_on_exec came true */
};

extern const struct counting counting_by_family, counting_by_task;

struct pertask {
	const struct counting *counting;
	struct map tasks;    /* tid -> struct task, those that are not released */
	struct task **roots; /* those with events, also ended ones */
	size_t root_count, root_capacity;
	struct map leaders; /* family-counters.c: the kernel's id of a group's leader -> its root */
	size_t next_read;   /* family-counters.c: the root whose turn it is */
	struct found *found; /* by the last scan; adopted after the next drain */
	size_t found_count, found_capacity;
	uint64_t scanned_ns;
	size_t fd_count, fd_limit;
	size_t denied, skipped; /* tasks: not permitted, no descriptors left */
	size_t noted;           /* `skipped` as the notes say it */
	bool *sampled;          /* task-counters.c: events that could be sampled at least once */
	uint64_t *values;       /* one read() of a group */
	struct record *record;  /* a READ of our own; owned */
};

/* family.c */
struct task *task_new(struct live *l, uint32_t pid, uint32_t tid, struct task *root);
void task_open_on(struct live *l, struct task *t, const struct cpu *c, int *err);
void task_close_on(struct live *l, struct task *t, uint32_t cpu);
void task_event_add(struct live *l, struct task *t, const struct cpu *c, int fd, int event);

/* Opens a task that nobody announced.  Why it could not be is counted. */
void task_adopt(struct live *l, uint32_t pid, uint32_t tid);

/* A record of the side-band: a task that inherits, ends, or becomes another program. */
void task_follow(struct live *l, const struct record *r);

/* After a drain: frees what ended. */
void tasks_release(struct live *l);
void tasks_release_all(struct live *l);

/* FD writes into the ring of RING_FD.  FD itself, or closed and a negative errno. */
int fd_redirect(int fd, int ring_fd, const char *filter);

/* Hands over the counts of T that are known without asking the kernel. */
void task_hand_over(struct live *l, struct task *t, uint64_t now_ns);

/* Hands over pertask.record, in which `read` is filled in, as of T. */
void task_hand_over_read(struct live *l, const struct task *t, uint64_t now_ns);

/* family-counters.c: takes the values of a sample or READ record of a ring. */
void family_counters_take(struct live *l, const struct cpu *c, const struct record *r,
			  const struct record_read *read);
const struct record_layout *family_counters_layout(const struct live *l,
						   const struct perf_event_header *h);

/* The events that a child of ROOT inherits now. */
size_t family_counters_events(const struct task *root);

/* inherit.c: whether this kernel takes inherited events whose samples carry values. */
bool family_counters_possible(void);
void family_counters_free(struct task *t);

#endif
