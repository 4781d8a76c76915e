/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_RECORD_SOURCE_H
#define PTOP_PERF_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"
#include "base/error.h"
#include "base/number-list.h"
#include "base/python-walk.h"
#include "perf/event/evlist.h"
#include "perf/record/record.h"

/*
 * Where records come from: the live kernel, a perf.data file, a test's script.  The collector asks
 * it to drain; the source calls back once a record.  The receiver may rely on the order: a record
 * that changes the meaning of addresses comes between the samples of an earlier time and those of a
 * later one.  MMAP, COMM, FORK, EXIT and KSYMBOL are such records.
 *
 * Counter values.  In a record that a source hands over, read.values[i].id is the event's index in
 * the evlist, or SOURCE_NO_EVENT for a value that nobody asked for.  `record.event` is the index of
 * the event that made the record, or -1.
 *
 *   TIER_CPU_GROUP: a SAMPLE carries the running totals of its CPU.  The increase since the
 *   previous value of the same event on the same CPU (record.cpu) belongs to the task of this
 *   record.  The record is written while that task still runs, at the latest when it gives up the
 *   CPU.  The counters of one CPU may be spread over several groups.  Each record carries one
 *   group, so the previous value is kept per (cpu, event).  enabled_ns and running_ns are totals as
 *   well, and never go back.  other_enabled_ns and other_running_ns are the part of their increase
 *   that belongs to no task.  Such a record may be made only for its values, by a context switch:
 *   counts_only is then set and the record is not a hit of any event.  After a LOST record the next
 *   increase on that CPU belongs to no task.  The source makes a LOST with lost.count 0 itself:
 *   nothing was dropped, but counting stood still.  The event was throttled or switched on, the
 *   machine suspended, or the CPU went away and came back.  The source also makes records with
 *   `unattributed` set, which have values only.  Their increase belongs to no task.  For values
 *   that such a record lacks, an earlier gap goes on.
 *
 *   While the evlist has an event of time (evlist_has_time()), a task that gives up its CPU makes a
 *   SAMPLE with `switched` set, with its stack at that moment.  A SWITCH_CPU_WIDE follows it; the
 *   next task makes another one.  They are in order of time on each CPU, not between CPUs.  While
 *   run-delay or wakers is in the list, a SAMPLE with `woken_tid` comes of each wake-up, from the
 *   CPU and the task that wake.  With wakers it may have that task's stack.
 *
 *   With sums_waits, none of these come.  A SAMPLE with `waits` comes instead for all waits of a thread
 *   that have their stack, waker and bucket of length in common, at least once an interval.
 *
 *   While syscalls is in the list, a SAMPLE with `call` comes of each system call that begins or returns.
 *   If a thread makes too many for a budget, some in a row are told from time to time.  Each then
 *   stands for several, so that the sum is what the thread made.  They are in order of time on each CPU.
 *   With sums_calls, none of these come.  A SAMPLE with `calls` comes instead for all calls of a thread that have
 *   their number, result, stack and bucket of length in common, at least once an interval.
 *
 *   While net-sent or net-received is in the list, a SAMPLE with `increase` comes of each call that sends or
 *   receives: so many bytes belong to its task.  If evsel.doublings is not 0, some calls stand for all.
 *
 *   TIER_FILE has system calls as well; there all records of a thread are in order of time.
 *
 *   TIER_PER_TASK: a SAMPLE carries no values.  Instead every drain hands over RECORD_READs, one
 *   per group of counters and task that ran, with pid, tid and time.  The values, enabled_ns and
 *   running_ns are the increase since the previous drain.  The last one of a task follows its EXIT.
 *   They are exact for a task that ended, and at any moment for one without living relatives;
 *   others are told up to their last tick.  Before Linux 6.12, and where a user has very many
 *   tasks, what a new task counts before the drain that sees its FORK is not in them.
 *
 *   TIER_FILE: as perf reads its files.  No record carries values; a sample with a READ is handed
 *   over once for each event of the READ that has grown, with the increase as its period.  So the sum
 *   of the periods of an event's samples is what the event counted, however it was recorded.  Events
 *   that are only counted have RECORD_READs instead, as with TIER_PER_TASK.
 */
#define SOURCE_NO_EVENT UINT64_MAX

enum source_tier {                 /* shown in the header; see ARCHITECTURE, "Tiers" */
		   TIER_CPU_GROUP, /* one group per CPU: exact counters of every task */
		   TIER_PER_TASK,  /* own tasks, or -p without privilege: user part only */
		   TIER_PROC,      /* no perf at all */
		   TIER_FILE,      /* a recording */
};

/* One record has room for so many values: more events cannot be added. */
#define SOURCE_EVENTS_MAX 62

struct source_stats { /* all since the source was opened, only ever growing */
	uint64_t records, bytes;
	uint64_t samples;
	uint64_t event_samples
		[SOURCE_EVENTS_MAX]; /* the same by event, and the sum of their periods */
	uint64_t event_periods[SOURCE_EVENTS_MAX];
	uint64_t lost;           /* samples that the kernel dropped (LOST and LOST_SAMPLES) */
	uint64_t lost_sideband;  /* records of the side-band ring that were dropped */
	uint64_t tight;          /* drains that found a ring of samples more than half full */
	uint64_t throttled;      /* THROTTLE records */
	uint64_t switch_records; /* samples made by context switches for their values alone */
	uint64_t switches;       /* context switches counted by the groups; 0 where they do not */
	uint64_t lost_waits; /* waits and calls that are in no sum; see sums_waits and sums_calls */
	uint64_t sum_stacks; /* stacks that the kernel took for sums of waits */
	uint64_t lost_walks; /* walks of Python's frames that found no room */
	uint64_t calls;      /* records of system calls */
	uint64_t call_stacks;   /* of these, those with a stack */
	uint64_t malformed;     /* records that did not decode */
	uint64_t foreign_times; /* records that bore another clock's time: theirs is estimated */
	uint64_t size;          /* bytes in all, of which `bytes` were handed over; 0: not known */
};

/* Called once a record, on the thread that drains; R and what it points at die on return. */
typedef void source_receiver(void *context, const struct record *r);

struct source;

/* The reductions of the requested measurement, which make it cheaper. */
struct source_reduction {
	unsigned halvings;                    /* of every sampling frequency, see rate_reduced() */
	uint8_t doublings[SOURCE_EVENTS_MAX]; /* of the period of each event, see rate_period() */
	bool sampled_counters; /* values come at ticks and a few switches: shares are statistical */
	/*
	 * Every switch is still told.  Only those few bring their stacks, and, where that is possible, so many
	 * a second of the threads that switch least; 0: none of these threads.
	 */
	uint32_t stacks_hz;
	uint64_t call_ns; /* of CPU time a second are enough for system calls; 0: no limit */
};

/* --call-graph: where the frames of user space come from. */
enum stack_mode {
	STACK_NONE,  /* no stacks at all */
	STACK_FP,    /* frame pointers, followed by the kernel */
	STACK_DWARF, /* a copy of the stack, unwound here by CFI */
	STACK_LBR,   /* the hardware's stack of branches */
	STACK_AUTO,  /* frame pointers where the code keeps them, else CFI */
};

struct stack_choice {
	enum stack_mode mode;
	uint32_t copy_bytes; /* of the stack, for each sample; 0: not said */
};

struct source_ops {
	/*
	 * Waits at most TIMEOUT_MS for records (0: not at all; -1: without end), or until WAKE_FD
	 * is readable (-1: none).  0, or a negative errno other than -EINTR.
	 */
	int (*wait)(struct source *s, int timeout_ms, int wake_fd);
	/*
	 * Hands over all records that are older than the call.  The number handed over; 0 from a
	 * file means that it has ended; negative errno when the source is of no more use.
	 */
	int64_t (*drain)(struct source *s, source_receiver *receive, void *context);
	/*
	 * Starts or stops the events marked so in the evlist.  A stopped event makes no records and
	 * its counter stands still.  0 or a negative errno.  May be NULL (a file).
	 */
	int (*set_enabled)(struct source *s, size_t event, bool enabled);
	/*
	 * Changes FREQ_HZ or, when that is 0, the PERIOD of a sampled event; its counts go on.  0, or a
	 * negative errno and nothing is changed.  May be NULL (a file).
	 */
	int (*retune)(struct source *s, size_t event, uint64_t freq_hz, uint64_t period);
	/*
	 * One more event, E, which the source takes over into its list; the index there, which is that
	 * of the same event when it was removed before.  When it cannot be opened it has open_error
	 * set.  -ENOSPC when there are too many.  May be NULL (a file).
	 */
	int64_t (*add)(struct source *s, struct evsel *e);
	/* Ends an event for good: it stays in the list, marked.  0 or a negative errno.  May be NULL. */
	int (*remove)(struct source *s, size_t event);
	/*
	 * From now on samples bring stacks, also those of the events that are there, or, with STACK_NONE, bring none.
	 * Counting goes on.  Returns 0, or a negative errno and nothing is changed.  -EALREADY: they are so already.
	 * -EBUSY: an event of time is nothing without them.  -EOPNOTSUPP: events would have to be opened
	 * anew.  May be NULL (a file).
	 */
	int (*take_stacks)(struct source *s, const struct stack_choice *choice);
	/* From now on measures that much less than asked.  May be NULL (a file). */
	void (*reduce)(struct source *s, const struct source_reduction *r);
	/*
	 * Returns true if reduce() can raise the period of EVENT: it is sampled by one, and its samples
	 * then say how many occurrences they stand for.  May be NULL (a file).
	 */
	bool (*thins)(const struct source *s, size_t event);
	/*
	 * An interval ends: hands over what the source has summed in it, as drain() does.  LAST: nobody asks again, so what cannot be
	 * handed over counts as lost.  May be NULL.
	 */
	void (*settle)(struct source *s, source_receiver *receive, void *context, bool last);
	/*
	 * From now on samples of thread TID bring the frames of Python (record.python), found as W says, which is
	 * copied; W NULL: no longer.  Returns 0 or a negative errno.  May be NULL.
	 */
	int (*watch_python)(struct source *s, uint32_t tid, const struct python_walk *w);
	/* Stops (before a job-control stop) or restarts everything; may be NULL. */
	int (*suspend)(struct source *s, bool suspended);
	/* Ends the events and frees S itself, but not what `struct source` says it owns. */
	void (*close)(struct source *s);
};

/* The machine on which a recording was made.  Texts are "" when it does not. */
struct source_machine {
	char *hostname, *release, *arch; /* as in uname(2); owned */
	char *command;                   /* of who recorded, its words with blanks between; owned */
	uint32_t cpus;                   /* 0 unknown */
	uint64_t first_sample_ns, last_sample_ns; /* of its clock; the last one 0: unknown */
	struct build_id kernel_build_id;          /* none: unknown */
	/* A directory with copies of its /proc/kallsyms and kcore (perf record --kcore), or NULL; owned. */
	char *kernel_copy;
};

struct source {
	const struct source_ops *ops;
	enum source_tier tier;
	char *tier_reason; /* why it is not a better one and how to get it; "" or text; owned */
	char *notes;       /* what had to be reduced (rate, ring size): "" or sentences; owned */
	struct evlist *evlist;       /* borrowed; the source fills in open_error and why */
	struct record_layout layout; /* of the samples that it hands over */
	struct source_stats stats;
	bool hardware;        /* at least one hardware counter is open */
	bool recorded_stacks; /* of a recording: its samples have call chains or copies */
	bool grows;           /* likewise: it comes through a pipe, maybe while it is made */
	struct source_reduction reduced; /* as it is now */
	uint32_t stack_period; /* one of so many switches brings its stack; 0: none does */
	uint32_t
		stack_threads; /* that is so of so many threads, of others each does; UINT32_MAX: of all */
	/* For a budget system calls have no stacks; of so many threads only a part of the calls is told; and of
	 * one thread in so many any. */
	bool calls_without_stacks;
	uint32_t call_threads, call_part;
	bool sums_waits; /* the kernel sums waits, and tells no switches */
	uint64_t
		summed_ns; /* up to then sums told all waits; only later time counts in records of switches; 0: all */
	char *sums_reason;  /* why it does not, if that was asked; "" or NULL; owned */
	bool sums_calls;    /* the kernel sums system calls, and tells none of them */
	char *calls_reason; /* as sums_reason */
	bool walks_python;  /* samples can bring the frames of Python; see watch_python() */
	char *walk_reason;  /* why they cannot, if that was asked; or NULL; owned */
	bool exact_only;    /* counters cannot be had at ticks alone */
	bool user_only;     /* kernel part excluded for lack of privilege */
	const struct source_machine *machine; /* a recording's; NULL: this one.  The source's */
	/*
	 * Why drain() gave an error, for a person, when that says more than the errno; else NULL.
	 * Owned; set by the source.
	 */
	char *failure;
};

/* --engine: who sums waits and system calls. */
enum source_engine {
	ENGINE_AUTO, /* the kernel if the stacks are those of ENGINE_PERF, else ptop */
	ENGINE_PERF, /* ptop, from a record of each switch and call */
	ENGINE_BPF,  /* the kernel; their stacks are of frame pointers */
};

/* "auto", "perf" or "bpf"; false when TEXT is none of them. */
bool source_engine_parse(const char *text, enum source_engine *engine);

/* The kind of target. */
enum target_mode {
	TARGET_SYSTEM,
	TARGET_PID,
	TARGET_TID,
	TARGET_USER,
	TARGET_CPU,
	TARGET_CGROUP,
	TARGET_COMMAND,
	TARGET_FILE
};

struct source_options {
	enum target_mode mode;
	const struct number_list *tasks; /* pids or tids for the modes that have them, else NULL */
	const struct number_list *cpus;  /* -C, or NULL for all */
	int64_t uid;                     /* TARGET_USER, else -1 */
	/* TARGET_CGROUP: the group's directory; its path as /proc/PID/cgroup has it; and where there. */
	const char *cgroup_directory, *cgroup, *cgroup_controller;
	bool enable_on_exec; /* TARGET_COMMAND: tasks has one pid that will exec */
	enum source_engine engine;
	bool callchains;           /* stacks are wanted: ask for PERF_SAMPLE_CALLCHAIN */
	bool branch_stacks;        /* ask for the CPU's memory of calls */
	bool kernel_chains;        /* in these only the kernel's part; the user's comes otherwise */
	bool addresses;            /* events may be added whose samples bring those of data */
	uint16_t max_stack;        /* frames in a chain; 0: the kernel's default */
	bool raw;                  /* with tracepoints: ask for PERF_SAMPLE_RAW, in tier 1 */
	uint32_t user_stack_bytes; /* for dwarf unwinding; 0: none */
	bool user_stack_adapts;    /* that is the most; less where rings are small */
	bool leaf_callers;         /* chains of frame pointers alone: ask for what they leave out */
	bool walk_python;          /* samples with copies of stacks shall bring Python's frames */
	uint32_t mmap_pages;       /* data pages of each CPU's ring, a power of two; 0: default */
};

#define STACK_COPY_BYTES 49152u /* the default, where rings are not small */
#define STACK_COPY_MIN 512u
#define STACK_COPY_MAX 65528u /* the kernel's: below 64 KiB, a multiple of 8 */

/* "fp", "dwarf", "dwarf,8192", …; false when TEXT is none of them. */
bool stack_choice_parse(const char *text, struct stack_choice *choice);

/* Sets what O says of stacks. */
void source_options_choose_stacks(struct source_options *o, const struct stack_choice *choice);

/* As watch_python(); -EOPNOTSUPP if S, which may be NULL, cannot. */
int source_watch_python(struct source *s, uint32_t tid, const struct python_walk *w);

/* Ends the events, releases everything.  NULL is allowed. */
void source_close(struct source *s);

/* "cpu-group", "per-task", "proc", "file": the words of the JSON schema. */
const char *source_tier_name(enum source_tier tier);

#endif
