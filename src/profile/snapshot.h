/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_SNAPSHOT_H
#define PTOP_PROFILE_SNAPSHOT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/account.h"
#include "base/build-id.h"
#include "base/cpu.h"
#include "base/owner.h"
#include "base/event-id.h"
#include "base/group-facts.h"
#include "base/microstate.h"
#include "base/pressure-facts.h"
#include "base/strtab.h"
#include "profile/calltree.h"
#include "profile/code.h"
#include "profile/frame.h"
#include "profile/loss.h"

/*
 * Everything that one refresh shows, immutable: the collector makes it, the main thread draws or
 * prints it and frees it.  Absent is NAN in a double, -1 in a signed count, NULL in a text: a view
 * shows "-" and JSON null, never a zero that was not counted.
 *
 * Texts are raw bytes from outside (they may hold escape sequences and invalid UTF-8): every way
 * out passes view/widget/text.h.  Texts are borrowed from the snapshot's `arena` or from tables that
 * outlive every snapshot.
 */

/*
 * Extras, as bits: each costs a file of /proc for each process, so they are read only on request.
 */
enum snapshot_extra {
	EXTRA_CGROUP = 1,
	EXTRA_WCHAN = 2,
	EXTRA_OBJECTS = 4,    /* no file: what is known of the objects that cells are in */
	EXTRA_MEMORY = 8,     /* what processes have in memory: of those that were named */
	EXTRA_MAPPINGS = 16,  /* and each mapping of one of them */
	EXTRA_IO = 64,        /* what processes read and write */
	EXTRA_DELAYS = 128,   /* how long they waited for a CPU */
	EXTRA_SHARED = 256,   /* what they share in memory, of those that are not visible */
	EXTRA_SWITCHES = 512, /* how often they were switched, by the kernel's count, likewise */
	EXTRA_SWITCHES_ELSE = 2048, /* likewise, where no counter tells it of every process */
	EXTRA_CPUS = 1024,          /* each CPU, and whose samples were taken on which */
	EXTRA_CPU_TIMES = 1 << 15,  /* each CPU, but not whose samples were taken on which */
	EXTRA_GROUPS = 1 << 16,     /* the control groups, and who is in which */
	/* Files of these groups, each for columns of its own. */
	EXTRA_GROUP_MEMORY = 1 << 17,
	EXTRA_GROUP_PIDS = 1 << 18,
	EXTRA_GROUP_IO = 1 << 19,
	EXTRA_GROUP_CPU = 1 << 20,
	EXTRA_GROUP_PRESSURE = 1 << 21,
	EXTRA_STATES = 1 << 22, /* how threads spent their time: three files of each thread */
	EXTRA_CACHES = 1 << 24, /* with the CPUs: what resctrl counts for their last-level caches */
	EXTRA_CPU_PAST = 1 << 23, /* no file: the view keeps %CPU of the last intervals */
	EXTRA_SOURCES = 32,       /* no file of /proc: debugging information, for frame_source() */
	EXTRA_OF_OUTPUT = EXTRA_SHARED | EXTRA_SWITCHES,
};

struct snapshot_event {
	const char *name;                  /* for people: what `name=` says, or as -e takes it */
	enum event_id id;                  /* what it is */
	const char *canonical;             /* as -e takes it, without rate, name and modifiers */
	bool exclude_user, exclude_kernel; /* it counts one of both alone */
	const char *unit;                  /* of its values, "" unknown; NULL: they are counts */
	bool sampled;                      /* role: sample or count */
	bool enabled;
	uint64_t
		samples; /* of the interval; in a user's part of an ASKED event the sum of its cells, decayed as these */
	double value; /* of the interval, scaled; NAN not counted.  The whole
					 * machine, idle time too, or with a target its tasks */
	/*
	 * The parts of `value` that idle CPUs counted, and that are unattributed (after lost records, of
	 * tasks in their last steps).  Both and the rows of all processes add up to `value`.  NAN unless
	 * the counters of whole CPUs are attributed.
	 */
	double idle, unattributed;
	double running_percent; /* 100 × running / enabled; NAN not counted */
	const char *error;      /* why it could not be opened, or NULL */
	bool removed;           /* at run time; `error` says so, too */
	bool asked;             /* by a viewer: no user sees more of it than his own part */
	bool time;              /* of threads: its samples are pieces of some length, in ns */
	uint64_t frequency_hz, period; /* as it is sampled now; both 0: it is not */
	uint64_t asked_period;         /* period before a budget raised it */
};

/* Returns true if a budget takes fewer samples of E than asked. */
static inline bool snapshot_event_thinned(const struct snapshot_event *e)
{
	return e->enabled && e->asked_period && e->period > e->asked_period;
}

struct snapshot_process {
	uint32_t pid, tid; /* tid 0: the whole process; else a thread's row */
	uint32_t serial;   /* the process, also when its pid comes back */
	uint32_t ppid;
	uint32_t uid;                      /* UINT32_MAX: unknown */
	uint64_t owner;                    /* who may know all of it: base/owner.h */
	const char *user, *comm, *command; /* "" unknown; command is "" for kernel threads */
	bool kernel;                       /* a kernel thread */
	bool exited;
	char state;                      /* '-' unknown */
	double cpu_percent;              /* NAN unknown */
	int64_t threads, priority, nice; /* threads -1: unknown, and the other two too */
	uint32_t threads_seen; /* of the interval, those that ended in it too; 0 unknown */
	int64_t virtual_bytes, resident_bytes, shared_bytes; /* -1: unknown */
	int64_t minor_faults, major_faults;                  /* of the interval; -1 */
	int64_t voluntary_switches, involuntary_switches;    /* of the interval; -1 */
	/* In the interval; -1 unknown.  Bytes from storage, towards it, dropped on the way; calls. */
	int64_t read_bytes, written_bytes, cancelled_bytes, io_calls;
	int64_t delay_ns; /* of the interval: waited for a CPU, the sum of its threads'; -1 */
	/* How its threads spent the interval, in per cent of all their time; NAN unless asked for: EXTRA_STATES. */
	double states_percent[MICROSTATES];
	int64_t proportional_bytes, swap_bytes; /* PSS; -1 unless asked for: EXTRA_MEMORY */
	double memory_age_s;                    /* since these two were read; NAN */
	uint64_t start_ticks;                   /* since boot, 0 unknown */
	double cpu_time_s;                      /* user + system since it began; NAN */
	bool sampled; /* false: no sample of it could be taken, so that 0 says nothing */
	const char *cgroup, *wchan; /* NULL unless asked for: enum snapshot_extra */
	const char *container;      /* short id of the one that the cgroup is of, or NULL */
	uint32_t group;             /* as in struct snapshot_group; 0 without EXTRA_GROUPS, too */
	uint64_t samples;           /* of the first sampled event, as the mode weighs them */
	const double *counters;     /* one an event, scaled, of the interval; NAN not counted;
					 * borrowed from the snapshot; rows may share them */
};

struct snapshot_cell {
	uint32_t process; /* serial; its row may be gone: pid and comm stay */
	uint32_t pid, tid;
	uint64_t owner;   /* of its process, as there */
	const char *comm; /* of the process; "" unknown */
	uint32_t frame;
	uint32_t data; /* the frame whose object is the mapping of the data; 0 none */
	uint16_t event;
	uint16_t cpu;           /* its number + 1; 0: not told, without EXTRA_CPUS */
	uint8_t wait;           /* as in struct cell_key */
	uint32_t group;         /* of its process, now or when it ended; as there */
	uint32_t node;          /* its stack, in `nodes`; CALL_ROOT when there are none */
	double samples, period; /* with decay in live decay mode; whole numbers otherwise */
	double longest;         /* of the periods of its samples, or of its waits; without decay */
	/*
	 * By event: what the counters of the CPU grew by up to these samples, each since the record
	 * before it, scaled, and weighed as the samples are; NAN: not counted there.  NULL: none
	 * was.  Borrowed from the snapshot's `cell_values`.
	 */
	const double *counters;
};

/* A CPU.  One that is offline has no figures. */
struct snapshot_cpu {
	struct cpu_facts facts;
	/*
	 * One an event, of the interval; NAN: not counted, or not told by CPU.  Counters are all that the CPU
	 * counted, whoever ran: those of all CPUs add up to the machine's.  Borrowed from the snapshot.
	 */
	const double *counters, *samples;
};

/* A control group. */
struct snapshot_group {
	uint32_t
		id; /* the same in each snapshot of a run; 0: of processes whose group is not known */
	uint32_t parent;  /* its place in `groups`; its own: the root */
	const char *path; /* "/system.slice/ssh.service"; "" with id 0 */
	const char *name; /* what people call it: "ssh.service", "web" */
	enum group_kind kind;
	bool gone; /* its directory is; or no tree has it */
	/*
	 * Sums over the processes in the group itself, also those that ended in the interval, as
	 * their rows say.
	 */
	uint32_t processes; /* those that live */
	double cpu_percent; /* NAN unknown */
	/* One an event; NAN: no process has it.  Borrowed from the snapshot; rows may share them. */
	const double *counters;
	/* The kernel's figures, with the groups below: `group_unknown`, or borrowed from the snapshot. */
	const struct group_facts *facts;
};

/*
 * The control groups of a machine without their figures.  Snapshots share one list as long as no group comes, goes or
 * gets another name.  With thousands of groups a copy of their texts costs more than all figures.
 *
 * Whoever makes a list fills it before a snapshot takes it; nobody changes it afterwards.
 */
struct group_list {
	size_t references;
	struct strtab *texts; /* owned: where paths and names lie */
	struct snapshot_group
		*items; /* owned; of which nothing is known at first; `counters` NULL */
	size_t count;
};

/* An object: where its symbols came from.  Texts as those of frames. */
struct snapshot_object {
	uint32_t object; /* frame_object() */
	const char *path, *name;
	const char *source;  /* ".symtab", "debug file /usr/lib/debug/…"; "" none */
	const char *missing; /* what is not there, and why; "" nothing */
	bool loading;
	struct build_id build_id;
	uint64_t symbols;
	uint64_t bytes; /* memory that they take in ptop */
};

/* The memory of a process, in bytes, as smaps has it; -1 unknown. */
struct snapshot_usage {
	int64_t resident, proportional;
	int64_t swap, swap_proportional;
	int64_t private_clean, private_dirty, shared_clean, shared_dirty;
	int64_t anonymous, lazy_free;
};

/* The mappings of one path, together.  Texts as those of objects. */
struct snapshot_mapping {
	const char *path, *name;
	uint64_t count;
	struct snapshot_usage usage;
};

/* The process whose mappings were asked for. */
struct snapshot_memory {
	uint32_t process, pid;             /* serial; 0: none was */
	struct snapshot_usage usage;       /* of all of it, by smaps_rollup */
	double age_s;                      /* since that was read; NAN not yet */
	const char *missing;               /* why it is not there, or NULL */
	struct snapshot_mapping *mappings; /* owned */
	size_t mapping_count;
	double mappings_age_s;
	const char *mappings_missing;
	uint64_t merged; /* mappings that have no row of their own: "[others]" */
};

/* Samples at one address of the function that is looked at. */
struct snapshot_address {
	struct snapshot_cell cell;
	uint64_t address; /* the object's own */
};

/*
 * The function that a person looks at: where in it its samples are, and its code.  Its cells add up to
 * the function's, but for what was merged, and events of time, which have no addresses.
 */
struct snapshot_function {
	uint32_t frame;      /* FRAME_NONE: none was asked for, or there is none yet */
	uint64_t start, end; /* its addresses; both 0: not known, and of "[unknown]" */
	/*
	 * Where it is among `addresses` of a snapshot: in that object (0: not known), at START - MOVED up to
	 * END - MOVED.  They mean the same in any file with that build id; without one (size 0), as of the
	 * kernel, here alone.
	 */
	uint32_t object;
	uint64_t moved;
	struct build_id build_id;
	struct snapshot_address *addresses; /* in no order; owned, as the next two */
	size_t address_count;
	double *values;      /* what `counters` of cells point to; NULL: none has any */
	struct code *code;   /* a reference, or NULL */
	bool loading;        /* it is being read */
	const char *missing; /* why there is none; "" */
};

struct snapshot_host {
	const char *name, *kernel, *arch;
	uint32_t cpus;            /* online */
	double uptime_s, load[3]; /* NAN unknown */
	int64_t tasks, running;   /* -1 unknown */
	/* Shares of all CPUs together, 0-100; NAN in the first snapshot. */
	double cpu_percent, user_percent, system_percent;
	double idle_percent, iowait_percent, steal_percent;
	struct pressure pressure; /* of the interval */
	int64_t memory_total_bytes, memory_used_bytes, swap_total_bytes, swap_used_bytes;
	double ticks_per_s;
	double read_s; /* how long /proc was read, at both ends of the interval */
};

struct snapshot_sampling {
	const char *tier;        /* "cpu-group", "per-task", "proc", "file" */
	const char *tier_reason; /* how to get a better one, or "" */
	const char *notes;       /* what had to be reduced, or "" */
	uint64_t frequency_hz;   /* 0 by period */
	uint64_t period;
	uint64_t asked_hz;      /* frequency_hz before a budget reduced it */
	uint32_t stack_period;  /* a budget takes the stack of one wait in so many; 0, 1: of all */
	uint32_t stack_threads; /* only of so many threads; UINT32_MAX: of all */
	bool waits_summed;      /* by the kernel, and not from a record of each switch */
	bool sampled_counters;  /* a budget reads counters at ticks: shares are estimates */
	/* A budget takes no stacks of system calls; only a part of the calls of so many threads, and all of one
	 * thread in so many. */
	bool calls_without_stacks;
	uint32_t call_threads, call_part;
	/* The budget looks at one sample in so many of so many users, and most rarely at those of this one. */
	uint32_t thinned_part, thinned_users;
	const char *thinned_user;          /* NULL: of nobody */
	double budget_percent;             /* --max-overhead; 0: none */
	double cost_percent;               /* what the budget is compared with; of all CPUs */
	bool over_budget;                  /* it costs more, and nothing is left to reduce */
	uint64_t samples, lost, throttled; /* of the interval */
	uint64_t lost_sideband;            /* likewise: records of mappings, names, forks */
	uint64_t foreign_times;            /* likewise: records that bore another clock's time */
	uint64_t total_samples, total_lost, total_lost_sideband;
	/* Since the start: samples that the source read, and those that were counted or skipped. */
	uint64_t read_samples, settled_samples;
	double unresolved_percent; /* samples in no function that is known; NAN without samples */
	double unnamed_percent;    /* likewise: in a function without a name */
	double stacks_complete_percent; /* NAN without -g */
	double python_percent; /* of stacks with Python, those whose functions are sure; NAN: none */
	double python_bpf_percent;   /* of these, those that the kernel walked; NAN: none is sure */
	double own_cpu_percent;      /* ptop itself, one CPU is 100; NAN in the first */
	bool loading;                /* symbols of some samples are still being loaded */
	bool hardware;               /* hardware counters exist */
	bool user_only;              /* kernel part excluded for lack of privilege */
	uint64_t losses[LOSSES];     /* of the interval */
	struct account_sums account; /* of memory; shed: in the interval */
	uint64_t merged_cells;       /* histogram cells that went into "others" */
	uint64_t merged_stacks;      /* cells whose callers were given up: under CALL_OTHERS */
};

/* With -g: how many stacks of the interval ended so. */
struct snapshot_stack_end {
	const char *name; /* for outputs: "complete", "truncated", … */
	const char *text; /* what it means, N_() */
	uint64_t stacks;
};

/* Figures that cannot be true, and are absent therefore: profile/invariant.h. */
struct snapshot_violation {
	const char *name, *text; /* of the invariant; TEXT is N_() */
	uint64_t count, total;   /* in this snapshot, and in all since the start */
};

/* A slice of the past: see profile/history.h. */
struct snapshot_slice {
	uint64_t from_ns,
		to_ns; /* CLOCK_MONOTONIC live, of a recording its own clock; to: behind it */
};

struct snapshot_past {
	bool kept;                     /* there may be slices */
	struct snapshot_slice *slices; /* owned; the oldest first, with gaps where nothing was */
	size_t count;
	double *samples; /* owned; count × events: what was counted in each slice */
	/* The window that cells, rows and events are of; both 0: they are of now, or of the whole file. */
	uint64_t from_ns, to_ns;
	uint64_t began_ns, now_ns; /* the session, by the same clock; both 0: not known */
	int64_t realtime_ns;       /* to be added for CLOCK_REALTIME; 0: not known */
	uint64_t merged;           /* samples of which the function was given up for room */
};

struct snapshot_target {
	const char *mode; /* "system", "pid", …: the words of the JSON schema */
	const uint32_t *pids;
	size_t pid_count;
	const char *cgroup; /* path in its hierarchy, or NULL */
};

struct snapshot {
	const char *version;
	uint64_t time_ns;   /* CLOCK_REALTIME at its end */
	double interval_s;  /* 0 in the very first one of a live session */
	double cells_s;     /* the time that the weights of the cells stand for; NAN */
	double halvings;    /* of these weights until the moment of histogram_halvings() */
	uint64_t iteration; /* from 1 */
	struct snapshot_host host;
	struct snapshot_target target;
	struct snapshot_sampling sampling;
	struct snapshot_past past;
	struct snapshot_event *events; /* owned, as the arrays below */
	size_t event_count;
	int counter_event[EVENT_IDS]; /* the first event that is one, or -1; EVENT_OTHER: -1 */
	struct snapshot_process *processes; /* in no order; threads after each other */
	size_t process_count;
	struct snapshot_cell *cells; /* in no order */
	size_t cell_count;
	const struct frame_table *frames; /* borrowed; outlives every snapshot */
	struct snapshot_cpu
		*cpus; /* by number; none unless EXTRA_CPUS or EXTRA_CPU_TIMES was asked for */
	size_t cpu_count;
	struct snapshot_group *groups; /* in no order; none unless EXTRA_GROUPS was asked for */
	size_t group_count;
	struct snapshot_object *objects; /* by number; none unless EXTRA_OBJECTS was asked for */
	size_t object_count;
	struct snapshot_memory memory;
	/*
	 * With -g the stacks: callers before what they call, nodes[CALL_ROOT] the root, no two nodes
	 * the same.  Then every cell has a node, whose frame is the cell's.  NULL and 0 without.
	 * callgraph.h makes trees of it.
	 */
	struct call_node *nodes;
	size_t node_count;
	struct snapshot_stack_end *stack_ends; /* complete ones first; NULL and 0 without -g */
	size_t stack_end_count;
	struct snapshot_violation *violations; /* none: NULL or 0 */
	size_t violation_count;
	struct snapshot_function function;
	/* Where in any function samples are, for which it was not asked; a reference, or NULL. */
	struct address_sums *addresses;
	double *cpu_values;              /* counters and samples of the CPUs, or NULL */
	struct group_list *group_list;   /* a reference: texts of the groups lie in it; or NULL */
	struct group_facts *group_facts; /* of the groups that have any, in no order, or NULL */
	size_t group_fact_count;
	double *cell_values;           /* cell_count × event_count, or NULL */
	double *unknown;               /* counters of the rows that have none: a NAN an event */
	struct snapshot_block *blocks; /* counters of the others */
	void *foreign;        /* texts and pids of another process's snapshot lie in it; or NULL */
	struct strtab *arena; /* owned: texts of this snapshot alone */
};

/* A process of which nothing is known. */
extern const struct snapshot_process snapshot_process_unknown;

/* Empty, with an arena; every double NAN, every signed count -1, every counter_event -1. */
struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *s); /* NULL is allowed */

/*
 * For whoever fills it: the arrays, once, after which the counts are set.  Events are zeroed,
 * processes have everything unknown, and all share one row of NANs as their counters: of thousands
 * only few have any.
 */
void snapshot_alloc_events(struct snapshot *s, size_t count);
void snapshot_alloc_processes(struct snapshot *s, size_t count); /* after the events */
void snapshot_alloc_cells(struct snapshot *s, size_t count);

/* After the cells: gives them `counters`, which are all NAN, and returns them for filling. */
double *snapshot_alloc_cell_values(struct snapshot *s);

/* After the events: CPUs of which nothing is known; `counters` and `samples` are all NAN. */
void snapshot_alloc_cpus(struct snapshot *s, size_t count);

/*
 * After the events: groups of which nothing is known, each its own parent.  All share what is unknown: of thousands
 * only few have a process, or a file that was read.
 */
void snapshot_alloc_groups(struct snapshot *s, size_t count);

struct group_list *group_list_new(size_t count); /* with one reference */

/* From any thread. */
struct group_list *group_list_get(struct group_list *l); /* one more */
void group_list_put(struct group_list *l);               /* one less; NULL is allowed */

/* After the events, in place of that: the groups of LIST, of which it takes a reference. */
void snapshot_take_groups(struct snapshot *s, struct group_list *list);

/* The counters of process number PROCESS, or group number GROUP, for filling them: its own from the first call on. */
double *snapshot_values(struct snapshot *s, size_t process);
double *snapshot_group_values(struct snapshot *s, size_t group);

/* The facts of group number GROUP, likewise. */
struct group_facts *snapshot_group_facts(struct snapshot *s, size_t group);

extern const struct snapshot_usage snapshot_usage_unknown; /* all -1 */

/* It is of a recording, so that no other comes unless the file grows. */
bool snapshot_is_recorded(const struct snapshot *s);

/* The very first of a live session: it has no interval, and its few samples are chance. */
bool snapshot_is_start(const struct snapshot *s);

/* The object with that number, or NULL. */
const struct snapshot_object *snapshot_object_find(const struct snapshot *s, uint32_t object);

/* Fills counter_event from the events: one with modifiers ("cycles:u") counts too. */
void snapshot_link_counters(struct snapshot *s);

/*
 * Process P's value of the event ID, or NAN when that is not counted or P has none.  While counters come at ticks, who
 * runs at a tick is credited with what others did since the last one.  Page faults and context switches are then
 * those of /proc, as far as it tells them.
 */
double snapshot_counter(const struct snapshot *s, const struct snapshot_process *p,
			enum event_id id);

/*
 * FROM's function becomes TO's, when both have the same addresses: FROM was made for somebody who
 * stays with TO.  Returns true if it did.
 */
bool snapshot_take_function(struct snapshot *to, struct snapshot *from);

/* Tells nothing of the function but that it is FRAME, and MISSING, which is borrowed. */
void snapshot_drop_function(struct snapshot *s, uint32_t frame, const char *missing);

#endif
