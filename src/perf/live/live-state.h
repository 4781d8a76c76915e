/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_LIVE_STATE_H
#define PTOP_PERF_LIVE_LIVE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "perf/event/event.h"
#include "perf/live/busy.h"
#include "perf/live/drain.h"
#include "perf/live/group.h"
#include "perf/live/mapping.h"
#include "perf/live/plan.h"
#include "perf/live/tracepoint-families.h"
#include "perf/record/source.h"

/*
 * The live kernel, inside.  Only the files that make up the live source include this:
 *
 *	live.c		choosing the tier, the source's operations
 *	cpus.c		CPUs that come and go
 *	control.c	events that are changed while they count
 *	handover.c	from the bytes in a ring to the receiver
 *	group.c		kernel groups, of a CPU or a task
 *	group-open.c	... opened as the plan says
 *	plan.c		which event is in which group
 *	grouptime.c	tier 1: how long tasks ran, by the times in records
 *	turns.c		groups that never run
 *	cpugroup.c	tier 1: one group per CPU
 *	pertask.c	tier 2: events and counters of each task; see pertask.h
 *	tasks.c		tier 2: which tasks there are
 *	tracepoint.c	what the kernel says of a tracepoint
 *	tracepoints.c	tier 1: families of tracepoints that are in no group
 *	wakeup.c	... wake-ups of threads
 *	waits.c		... stacks of waits while a budget takes few
 *	raw-calls.c	... system calls
 *	sums.c		... what the kernel sums
 *	wait-sums.c	... waits of these
 *	call-sums.c	... system calls of these
 *	walks.c		... frames of Python that the kernel walks
 *	network.c	... bytes that are sent and received
 *	raw-calls-apart.c	system calls of threads that make very many
 *	raw-call.c	what both say of one
 *	busy.c		which threads wait, or call, too often for that
 *
 * Both tiers have one `struct cpu` per CPU with its two rings; they differ in what is opened to
 * write into them.
 */
struct live;
struct tracepoint_event;

struct cpu {
	struct lane lane; /* first: the drain knows only this */
	uint32_t number;
	struct mapping maps[LANE_RINGS];
	int ring_fds[LANE_RINGS]; /* the events that own the rings; -1: none */
	struct groups groups;     /* tier 1 */
	int data_fd;              /* likewise: tells mappings of data since one is added; -1 */
	/* The last task that ended here: its last records come when it has no pid any more. */
	uint32_t exit_pid, exit_tid;
	bool gap;                      /* the next values must be attributed to nobody */
	uint64_t times_ns[LANE_RINGS]; /* of the last record of each */
	struct weighed *weighed;       /* tier 1: see cpugroup.c; one an event, owned; or NULL */
	uint32_t losses;               /* how often samples were dropped or throttled here */
	struct tracepoint_event *tracepoints; /* tier 1: all that were opened here; owned */
};

/* The differences between the tiers.  Those marked so may be NULL. */
struct live_tier {
	/* Before the first CPU: layouts and plan. */
	void (*enter)(struct live *l);
	/* Opens the events of C, with rings of l->ring_pages.  0 or a negative errno. */
	int (*cpu_open)(struct live *l, struct cpu *c);
	void (*cpu_close)(struct live *l, struct cpu *c); /* also of one that is half open */
	/* After the CPUs that there are at the start; 0 or a negative errno.  Optional. */
	int (*start)(struct live *l);
	/* The attr of an event of a group, or with E NULL of a leader.  ATTR is zeroed. */
	void (*attr)(const struct live *l, const struct evsel *e, struct perf_event_attr *attr);
	/* The layout of the sample of C at H, which is whole.  Optional: that of the source. */
	const struct record_layout *(*layout)(const struct live *l, const struct cpu *c,
					      const struct perf_event_header *h);
	/* A sample: sets event, counts_only and the values' ids. */
	void (*sample)(struct live *l, struct cpu *c, struct record *r);
	/* A READ record of the ring of samples, which is not handed over.  Optional. */
	void (*read)(struct live *l, struct cpu *c, const struct record *r);
	/* Before each drain.  Optional. */
	void (*draining)(struct live *l);
	/* After each drain, at NOW_NS; may hand over records of its own.  Optional. */
	void (*drained)(struct live *l, uint64_t now_ns);
	/* A record of the side-band before it is handed over.  Optional. */
	void (*sideband)(struct live *l, const struct record *r);
	int (*set_enabled)(struct live *l, size_t event, bool enabled);
	/* Gives a sampled event another rate; VALUE as evsel_rate_value().  0 or a negative errno. */
	int (*retune)(struct live *l, size_t event, uint64_t value);
	/* Records of context switches as often as the reduction says.  Optional. */
	void (*lead)(struct live *l);
	/* Opens one more event, which counts at once if it is enabled.  0 or a negative errno. */
	int (*add)(struct live *l, size_t event);
	/* From now on samples bring stacks, or none.  0, or a negative errno and nothing is changed.  Optional. */
	int (*take_stacks)(struct live *l, const struct stack_choice *choice);
	/* From now on the kernel records mappings of data, too.  Optional: of new tasks. */
	void (*tell_data)(struct live *l);
	void (*remove)(struct live *l, size_t event);
	int (*suspend)(struct live *l, bool suspended);
	/* After the last CPU.  Optional. */
	void (*leave)(struct live *l);
};

extern const struct live_tier live_tier_cpu_group, live_tier_per_task;

/* At most so much of the stack is copied at a switch: a ring has to hold many. */
#define LEADER_STACK_BYTES 8192

enum { SUMS_WAITS, SUMS_CALLS, SUMS_PARTS }; /* that the kernel sums */

#define LIVE_READ_FORMAT                                                       \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The families' data, which is theirs alone; NULL in other tiers. */
#define FAMILY_DATA(name) struct name *name;

struct live {
	struct source source;          /* first: the operations get this one's address */
	struct source_options options; /* its lists are copies */
	struct number_list cpu_choice, task_choice;
	int cgroup_fd;                /* the group of TARGET_CGROUP, or -1 */
	const struct live_tier *tier; /* NULL: tier 3 */
	struct pertask *pertask;      /* tier 2's own */

	/* CPUs. */
	const char *online_path;   /* the kernel's list of CPUs */
	struct number_list online; /* as it was at online_checked_ns */
	uint64_t online_checked_ns;
	bool cpu_lost;     /* a ring reported that its CPU went away: check now */
	struct cpu **cpus; /* owned; those that are open */
	size_t cpu_count, cpu_capacity, lane_capacity;
	size_t ring_pages, sideband_pages; /* data pages of the rings of each CPU */
	unsigned char *bounce;             /* shared by all rings */
	int epoll_fd;                      /* all rings */

	/* Events. */
	struct map ids;     /* the kernel's event id -> index in the evlist + 1 */
	struct plan plan;   /* each event's group, the same everywhere */
	bool hopeless;      /* one event alone does not run */
	uint64_t looked_ns; /* when the groups were last looked at */
	int refusal;        /* the errno for which there is no better tier, or 0 */
	int leader_event;   /* the event whose work the leaders do, or -1 */
	struct record_layout leader_layout, sideband_layout;
	struct record_layout
		occurrence_layout; /* tier 1: of samples that occurrence_attr() asks for */
	/* Tier 1, of tracepoints beside the groups: with their fields, with a stack, with both. */
	struct record_layout fields_layout, stack_layout, stack_fields_layout;
	struct record_layout plain_layout; /* the last sample's, when it has no branches */
	TRACEPOINT_FAMILIES(FAMILY_DATA)
	struct sums *sums[SUMS_PARTS]; /* of both that follow; see sums.h */
	struct wait_sums
		*wait_sums; /* tier 1: the kernel sums waits; see wait-sums.h.  NULL: it does not */
	struct call_sums *call_sums; /* likewise system calls; see call-sums.h */
	struct walks *walks; /* tier 1: the kernel walks Python; see walks.h.  NULL: it does not */
	bool tells_switches; /* tier 1: the leaders' records have stacks, and say who comes */
	bool addresses;      /* some event's samples shall bring those of data */
	bool deferred;       /* user callchains come in records of the side-band */
	struct buf notes;
	char *tier_note; /* see live_note_of_tier(); owned */

	/* During a drain. */
	struct drain drain;
	uint64_t drained_ns;  /* when the last one began, or the source was opened */
	struct record record; /* the one being handed over */
	source_receiver *receive;
	void *receive_context;
	int64_t handed_over;
};

/* handover.c: the drain's sink, whose context is the live source. */
void live_record(void *context, size_t lane, enum lane_ring ring, const void *bytes);
void live_corrupt(void *context, size_t lane, enum lane_ring ring);

/* Hands over R, counted. */
void live_hand_over(struct live *l, const struct record *r);

/* cpus.c: opens all that are wanted and online; 0, or a negative errno and none is open. */
int cpus_add_all(struct live *l);
void cpus_remove_all(struct live *l);

/* Follows CPUs that came or went; looks at most once a second. */
void cpus_check(struct live *l, uint64_t now_ns);

/* control.c: what PERF_EVENT_IOC_PERIOD takes for E: its period, or its frequency in Hz. */
uint64_t evsel_rate_value(const struct evsel *e);

/* control.c: sets the period of R, a sample, where the kernel tells a former one: a clock's that was retuned. */
void live_correct_period(const struct live *l, struct record *r);

uint64_t live_leader_period(const struct live *l);

/* Says in the source how many switches there are for each that brings its stack. */
void live_tell_stack_period(struct live *l);

/* live.c: how many events there can be, with those that are added later. */
size_t live_event_room(const struct live *l);

/*
 * live.c: options, layout of samples and size of rings become those for stacks, or for none.  Open events stay
 * as they are.
 */
void live_ask_stacks(struct live *l, const struct stack_choice *choice);

/* live.c: adds a sentence to source.notes. */
void live_note(struct live *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says that the kernel takes no more than MAX_HZ now, where ASKED_HZ was asked for. */
void live_note_rate(struct live *l, uint64_t max_hz, uint64_t asked_hz);

/* Sets the tier's current note, or NULL; replaces its last one. */
void live_note_of_tier(struct live *l, const char *text);

/* Marks an event as refused for the positive errno ERROR. */
void live_refuse(struct live *l, size_t event, int error);

/* The same with WHY as the reason, NULL: that of ERROR.  Returns -ERROR. */
int live_refuse_because(struct live *l, size_t event, int error, const char *why);

/*
 * Maps both rings of C onto its ring_fds and adds them to the epoll.  0 or a negative errno: -ENOLCK
 * when the allowance for locked memory does not suffice.
 */
int live_map(struct live *l, struct cpu *c);
void live_unmap(struct live *l, struct cpu *c);

/*
 * Returns true if samples of E, NULL for a leader, bring the branches that are asked for.  Only those of the
 * CPU's own counters do; the kernel refuses them to all others.
 */
bool live_tells_branches(const struct evsel *e);

/*
 * Sets the attributes that every event needs to write into our rings: clock, wake-up, sample_type
 * of LAYOUT.  Fields that samples of E do not bring are left out; E is NULL for a leader or the
 * side-band.
 */
void live_attr_finish(const struct live *l, const struct record_layout *layout,
		      const struct evsel *e, struct perf_event_attr *attr);

/* The side-band event of one CPU (PID -1) or one task on it; a descriptor or a negative errno. */
int live_sideband_open(const struct live *l, int pid, int cpu, bool inherit);

/*
 * The identifier of the first value in the READ (LIVE_READ_FORMAT) that the sample at H, which is whole,
 * has if its layout is LAYOUT, in *ID.  False when its bytes are not so.
 */
bool live_first_id(const struct record_layout *layout, const struct perf_event_header *h,
		   uint64_t *id);

/* The same that tells of mappings of data alone, and writes into the ring of FD. */
int live_data_open(const struct live *l, int cpu, int fd);

/* Remembers the kernel's id of FD for EVENT, and returns it; 0 when the kernel does not tell. */
uint64_t live_id_add(struct live *l, int fd, int event);

/* The event of such an id, or SOURCE_NO_EVENT. */
uint64_t live_event_of(const struct live *l, uint64_t id);

#endif
