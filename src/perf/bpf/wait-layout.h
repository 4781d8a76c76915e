/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_WAIT_LAYOUT_H
#define PTOP_PERF_BPF_WAIT_LAYOUT_H

/*
 * The memory that ptop shares with its program in the kernel (waits.bpf.c): the keys and values of that program's maps.
 * Both compilers lay these structs out alike: members are in the order of their alignment, with no gaps.
 */
#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int int32_t;
#else
#include <stdint.h>
#endif

#define WAIT_SUMS_LOG 15
/* Places in each of two tables, 2.5 MiB: different waits of an interval. */
#define WAIT_SUMS_MAX (1u << WAIT_SUMS_LOG)
#define WAIT_SUMS_PROBES 32u                     /* places that are tried for one of them */
#define WAIT_SETS 4096u                          /* of threads: one is in the set of its number */
#define WAIT_WAYS 16u                            /* places in a set; a cache line of numbers */
#define WAIT_THREADS_MAX (WAIT_SETS * WAIT_WAYS) /* places, 4 MiB; for calls 8 MiB more */
#define WAIT_STACKS_MAX 16384u                   /* that differ, 18 MiB */
#define WAIT_KERNEL_FRAMES 48u                   /* of a stack, the innermost ones */
#define WAIT_USER_FRAMES 80u
#define WAIT_FRAMES (WAIT_KERNEL_FRAMES + WAIT_USER_FRAMES)

#define CALL_RECENT 8u /* numbers of calls of which a thread keeps the last stack */

/* The values of enum kernel_wait_kind; NONE: it runs. */
enum wait_kind {
	WAIT_NONE,
	WAIT_BLOCKED,
	WAIT_PREEMPTED,
	WAIT_STARTING,
	WAIT_UNKNOWN,
	WAIT_CALL,      /* it is in a system call */
	WAIT_CALL_TAIL, /* a call whose begin is not known */
	WAIT_BORN,      /* its first return is that of the call that made it */
};

/* The threads of a set, 0: a free place.  The state of thread I of set N is number N * WAIT_WAYS + I of its table. */
struct wait_set {
	uint32_t tids[WAIT_WAYS];
};

/* Processes, by number; 0: a free place. */
#define TARGET_SETS 4096u
#define TARGET_WAYS 8u
struct target_set {
	uint32_t pids[TARGET_WAYS];
};

/*
 * The state of a thread.  The program writes BEGUN, then all others, then DONE; a reader that copies them from the first to the last
 * has a whole one if both are equal.  Both go on with the next thread of a place.  Its kind is WAIT_NONE while no thread is there.
 */
struct wait_thread {
	uint64_t done;
	uint64_t since_ns; /* it does so; CLOCK_MONOTONIC */
	uint64_t ready_ns; /* since when it could run; 0: not, or not known */
	uint64_t stack;    /* its key in the map `stacks`; 0: none */
	uint32_t pid;
	union {
		uint32_t waker; /* the thread that woke it; 0: nobody yet, or not known */
		int32_t number; /* of the call that it is in */
	};
	uint8_t kind;
	uint8_t woken_in; /* enum trace_context */
	uint16_t zero;
	uint32_t waits; /* in this interval */
	uint64_t begun;
};

/*
 * The last stacks of a thread's calls, at its place.  Its state uses since_ns, pid, number, kind and waits, which counts its calls.
 */
struct call_stacks {
	struct {
		int32_t number;
		uint32_t known; /* 1: STACK is one of such a call */
		uint64_t stack;
	} recent[CALL_RECENT]; /* by number, see recent_of() */
	uint32_t stackless;    /* so many calls pass before one is chosen */
	uint32_t zero;
};

/* Waits, or calls, of one thread that differ in nothing but their lengths, and in these less than twofold. */
struct wait_key {
	uint32_t tid, pid;
	uint64_t stack;
	uint64_t since_ns; /* of one that began before the interval; else 0 */
	union {
		uint32_t waker;
		int32_t number; /* of a call */
	};
	uint8_t kind;
	uint8_t bucket; /* of its whole length: distribution_bucket() */
	union {
		struct {
			uint8_t woken_in;
			uint8_t delay_bucket; /* of the part in which it could run, + 1; 0: that is not known */
		};
		uint16_t error; /* of a call: its errno; 0: none */
	};
};

struct wait_sum {
	uint64_t count, ns, delay_ns;
	uint64_t longest_ns, longest_delay_ns;
	uint64_t end_ns; /* of the last one */
};

/* A place in a table of sums.  It is free, and all of it zero, while key.tid is 0. */
struct wait_slot {
	struct wait_key key;
	struct wait_sum sum;
};

/* The value of a stack.  Its key is a hash of the frames and both counts. */
struct wait_stack {
	uint32_t kernel, user;        /* frames, innermost first */
	uint64_t frames[WAIT_FRAMES]; /* KERNEL of them, then USER */
};

/* One for all; ptop and the program both have it in memory. */
struct wait_control {
	uint64_t started_ns; /* a wait that began before it is not known; ptop sets it */
	uint64_t told_ns;    /* the interval began then; likewise */
	uint32_t enabled;    /* likewise */
	uint32_t active;     /* likewise: which table takes sums, 0 or 1 */
	/*
	 * Likewise: of so many waits, or short calls, of a busy thread one has its stack, of calls on average and at random; 0: each has.
	 */
	uint32_t stack_period;
	uint32_t stacks_free; /* likewise: a thread with no more in an interval is not busy */
	uint64_t long_ns;     /* likewise: a call as long as that always has its own stack */
	uint32_t call_stacks; /* likewise: calls have stacks */
	/* Calls of this process do not count before its execve(2) returns.  ptop sets it, the program sets it to 0. */
	uint32_t awaited;
	/* 1: only processes in `targets` are followed, and those that they start; the program sets it to 0 */
	uint32_t chosen;
	uint32_t
		stack_share; /* of 2^32, one of STACK_PERIOD; ptop sets it, as a division takes long */
	uint64_t lost;       /* waits whose sum found no room; the program counts */
	uint64_t misfits;    /* waits whose end was not seen, and is estimated */
	uint64_t unfollowed; /* moments of threads that found no room */
	uint64_t stackless;  /* waits whose stack found no room */
};

/* One for each CPU, a cache line. */
struct wait_gate {
	uint64_t entered, left;       /* the program is inside as long as both differ */
	int32_t interrupts, softirqs; /* 1: it serves one; with wake-ups alone */
	uint64_t last_ns;             /* of its last switch of a thread that is followed */
	uint64_t stacks;              /* that were taken here */
	uint64_t zero[3];
};

#endif
