/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_OFFCPU_H
#define PTOP_ENGINE_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the time of threads goes: of each thread whether it runs or waits, from the moments at which
 * CPUs changed hands, and under which stack.  No clock, no table of anybody else: moments go in, pieces
 * of time come out.  Between two moments of a thread all of its time is in exactly one piece, so that
 * what it ran and what it waited add up to the wall clock.
 *
 * Moments of one CPU come in order, those of several do not (perf/record/source.h).  They are kept
 * until offcpu_settle() says up to when they are complete, then handled in the order of their
 * times.
 *
 * Unknown time is reported as such: a thread's time before its first moment, and time between two
 * moments that do not fit together because records were lost.  A thread that waited before records
 * of another CPU were lost may have run there meanwhile; that is not seen, and wrong by no longer
 * than what was lost.
 *
 * A thread that runs is seen at its samples.  Its running time since the last sample goes to the
 * stack of the next one, as with sampling, so the sum is still exact.  If none comes, that time
 * goes to the stack in which the thread then waits.
 *
 * After its END a thread still runs, waits for a CPU and for locks, since the kernel frees its memory only then.  No
 * moment says which OUT is its last one, so a piece is told as soon as a moment ends it, and what none ends is not told.
 */
struct offcpu;

enum offcpu_kind {
	OFFCPU_RUNNING,
	OFFCPU_BLOCKED,   /* waited for something */
	OFFCPU_PREEMPTED, /* could have run on, but another task got the CPU */
	OFFCPU_STARTING,  /* made, and not yet run */
	OFFCPU_UNKNOWN,   /* ran or waited */
	OFFCPU_KINDS
};

/*
 * A step of why a thread waited: who ended that wait, and where he had waited meanwhile.  The first one is of
 * the thread's own wait, the next one of its waker's, and so on.  A waker's wait belongs to it as far as it
 * ended within the thread's: what ended before did not let the thread wait.
 */
#define OFFCPU_LINKS 8
struct offcpu_link {
	uint32_t waker;    /* as in the moment */
	uint32_t node;     /* where the waker had waited, if there is a next link; 0: not known */
	uint64_t woken_ns; /* when the waker ended the wait */
};

struct offcpu_time {
	uint32_t tid, process; /* as in the moment */
	enum offcpu_kind kind;
	uint32_t node; /* the stack; 0 none is known */
	uint64_t ns;   /* above 0, unless a wait ends */
	/* For a thread that runs: NS, each moment divided by how many threads ran then; 0 after its END. */
	uint64_t share_ns;
	/*
	 * For a thread that does not run: the part of NS, at its end, in which it could have run, and how
	 * long that has lasted, also before this piece.
	 */
	uint64_t delay_ns, delayed_ns;
	uint64_t waited_ns; /* likewise how long it has waited, also before this piece */
	uint64_t
		more; /* waits that it stands for besides the one; NS is of all, waited_ns of the longest */
	bool ends;      /* with this piece, which may be 0 ns then, the wait ended */
	bool ready;     /* it is known since when it could have run */
	uint32_t waker; /* who woke it, as in the moment; 0: nobody yet, or not known */
	/* With offcpu_follow(), of a wait that was ended by a wake-up: the waker's stack, and why it waited. */
	uint32_t waker_node;
	const struct offcpu_link *links; /* valid during the call */
	size_t link_count;               /* 0: not known */
	uint64_t end_ns;                 /* when it ended */
};

/* Takes a piece.  False when there is no such thread any more: it is forgotten. */
typedef bool offcpu_sink(void *context, const struct offcpu_time *t);

/* THREAD_LIMIT 0: the default.  More threads than that are not followed, and that is counted. */
struct offcpu *offcpu_new(offcpu_sink *sink, void *context, size_t thread_limit);
void offcpu_free(struct offcpu *o); /* NULL is allowed */

/* From now on pieces have links, or have none. */
void offcpu_follow(struct offcpu *o, bool follow);

enum offcpu_what {
	OFFCPU_OUT,    /* gives up the CPU, with offcpu_stack()'s stack */
	OFFCPU_IN,     /* gets the CPU */
	OFFCPU_WAKE,   /* is woken: could run from now on */
	OFFCPU_SAMPLE, /* runs, with stack NODE */
	OFFCPU_START,  /* begins to exist, without a CPU */
	OFFCPU_END,    /* ends: runs on until it gives up the CPU for the last time */
	OFFCPU_GAP,    /* records of that CPU were lost; no thread is named */
};

/*
 * The tid of a task that gives up its CPU, or gets it, after the kernel has taken its number away.  It is the thread
 * that runs there, or the first one that was preempted there, if that has ended.  With several of them on one CPU that
 * may be a wrong one; their sum is right.
 */
#define OFFCPU_NAMELESS UINT32_MAX

struct offcpu_moment {
	enum offcpu_what what;
	uint32_t cpu, tid;
	uint32_t process; /* any number that tells apart whose the tid is; not looked at of WAKE */
	uint32_t node;    /* of SAMPLE; of WAKE that of the waker */
	uint32_t held;    /* a number by which offcpu_ask() may find a better one; 0: none */
	bool preempted;   /* of OUT */
	uint32_t waker;   /* of WAKE: any number that says who woke it; 0: not known */
	uint32_t by;      /* of WAKE: the thread whose work that was; 0: no thread's */
	uint64_t time_ns;
	uint64_t
		early_ns; /* it was so much before TIME_NS: with a part of a recording, whose start that is */
};

void offcpu_add(struct offcpu *o, const struct offcpu_moment *m);

/* NODE and HELD of the stack in which TID will give up CPU: in front of its OFFCPU_OUT. */
void offcpu_stack(struct offcpu *o, uint32_t cpu, uint32_t tid, uint32_t node, uint32_t held);

/*
 * No moment up to UNTIL_NS will come any more: tells what ended by then, but nothing behind a moment
 * whose stack is held, unless there are very many.  UINT64_MAX: all there is, held or not.
 */
void offcpu_settle(struct offcpu *o, uint64_t until_ns);

/*
 * Stacks that were held may be known: calls FIND for each.  False when it has to wait longer; else
 * the moment waits no more, and *NODE, which is what it has, may be changed.  FIND may renumber
 * nodes.
 */
typedef bool offcpu_finder(void *context, uint32_t held, uint32_t *node);
void offcpu_ask(struct offcpu *o, offcpu_finder *find, void *context);

/*
 * The interval ends at UNTIL_NS, which was settled: what goes on is told up to then, and its rest later,
 * as one more piece.
 */
void offcpu_count(struct offcpu *o, uint64_t until_ns);

/* Nodes of stacks that are in use, and what they are called from now on: see chains_holder. */
void offcpu_mark(const struct offcpu *o, unsigned char *keep);
void offcpu_renumber(struct offcpu *o, const uint32_t *map);

struct offcpu_stats {
	uint64_t misfits;    /* moments that did not fit the one before */
	uint64_t unfollowed; /* moments of threads that were too many */
};
const struct offcpu_stats *offcpu_statistics(const struct offcpu *o);
size_t offcpu_threads(const struct offcpu *o); /* that are followed */

#endif
