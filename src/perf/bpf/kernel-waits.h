/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_KERNEL_WAITS_H
#define PTOP_PERF_BPF_KERNEL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/number-list.h"

/*
 * The waits of all threads of the machine, or of some processes, summed in the kernel by a BPF program (waits.bpf.c).
 * 100 000 switches a second then cost no records.  ptop takes the sums at the end of each interval.  System calls are waits of another
 * kind: they have a number and an error, and no waker.
 *
 * Sums are exact: a wait is in one of them, or counted as lost.  The program adds to one of two tables; ptop exchanges
 * them, waits until no CPU is inside the program, and empties the other one.  A wait that goes on is told up to the end
 * of the interval, and its rest later (told.h).
 *
 * Loading needs CAP_BPF and CAP_PERFMON, a kernel with BTF, and Linux 5.19: since then the calls that follow need no
 * capability (kernel.unprivileged_bpf_disabled), only the descriptors.
 */
struct kernel_waits;

enum kernel_wait_kind { /* those of enum offcpu_kind (engine/offcpu.h) that do not run */
			KERNEL_WAIT_BLOCKED = 1,
			KERNEL_WAIT_PREEMPTED,
			KERNEL_WAIT_STARTING,
			KERNEL_WAIT_UNKNOWN, /* ran or waited, before it was first seen */
			/* With KERNEL_CALLS alone. */
			KERNEL_WAIT_CALL,      /* a system call */
			KERNEL_WAIT_CALL_TAIL, /* one whose begin was not seen: its time is not known */
};

/* Waits of one thread in one place, of about the same length. */
struct kernel_wait {
	uint32_t pid, tid;
	enum kernel_wait_kind kind;
	uint64_t count; /* that ended; 0: one that goes on */
	uint64_t ns;    /* all of them, in this interval */
	/* The part of NS, at the end of each, in which the thread could have run; 0 if that is not known. */
	uint64_t delay_ns;
	uint64_t longest_ns, longest_delay_ns; /* of one, from its start on */
	uint64_t end_ns;                       /* of the last one; CLOCK_MONOTONIC */
	bool ready;                            /* it is known since when they could run */
	uint32_t waker;                        /* the thread that woke it; 0: not known */
	unsigned woken_in;                     /* enum trace_context */
	int32_t number;                        /* of a call; -1: of sigreturn(2) */
	unsigned error;                        /* of a call: its errno; 0: none */
	/* The stack, the kernel's frames and the user's, innermost first; borrowed until the call returns. */
	const uint64_t *kernel_stack, *user_stack;
	size_t kernel_frames, user_frames; /* 0: not known */
};

typedef void kernel_waits_receiver(void *context, const struct kernel_wait *w);

enum kernel_waits_part {
	KERNEL_WAITS,   /* waits, but not who wakes */
	KERNEL_WAKEUPS, /* waits, who wakes, and since when a thread could run */
	KERNEL_CALLS,   /* system calls alone, with the stacks of user space */
};

/*
 * Begins.  With PIDS, borrowed during the call, at least the threads of these processes and of those that they start are summed, and
 * few others; NULL: all.  NULL with ERR set: one line that says why this machine, or this build, has none.
 */
struct kernel_waits *kernel_waits_open(enum kernel_waits_part part, const struct number_list *pids,
				       struct error *err);
void kernel_waits_close(struct kernel_waits *k); /* NULL is allowed */

/* Stops, or goes on; what is between belongs to no wait, and those that last over it are not known. */
void kernel_waits_run(struct kernel_waits *k, bool run);

/*
 * An interval ends: hands over all that was summed in it.  Returns when it ended; CLOCK_MONOTONIC.  While a host holds a CPU
 * inside the program, for more than 50 ms, sums cannot be taken.  Then a later call hands them over, and this one returns
 * when the last interval ended.
 */
uint64_t kernel_waits_settle(struct kernel_waits *k, kernel_waits_receiver *receive, void *context);

/*
 * The same, before it is closed: tries again for 100 ms, then takes sums while CPUs are held.  One wait for each of these counts as
 * lost.  Returns when the sums end, to 0.1 ms: of later waits they have none.
 */
uint64_t kernel_waits_end(struct kernel_waits *k, kernel_waits_receiver *receive, void *context);

/*
 * From now on one wait in 64 of a thread with more than 256 in an interval has its stack.  If more than HZ stacks a second were taken,
 * that is halved, and the limit of 256 too, as often as it takes.  0: each wait has its stack.
 */
void kernel_waits_take_stacks(struct kernel_waits *k, uint32_t hz);

/* Returns N, of which one wait of a busy thread has its stack; 0: each has. */
uint32_t kernel_waits_stack_period(const struct kernel_waits *k);

/*
 * From now on calls have STACKS, or none.  In a thread with more than 256 calls in an interval one short call in 64 is
 * chosen at random, and its stack is taken.  Short calls of the same number that follow are counted with that stack.  Beyond 4000
 * stacks a second there are fewer, as of waits; then longer calls are short, too.
 */
void kernel_waits_call_stacks(struct kernel_waits *k, bool stacks);

/* The process PID, which has not called execve(2) yet: its calls count from the return of that on. */
void kernel_waits_await_exec(struct kernel_waits *k, uint32_t pid);

struct kernel_waits_stats { /* since the start */
	uint64_t
		lost; /* waits, or calls: there were too many different ones, or a host held them at kernel_waits_end() */
	uint64_t misfits;    /* waits whose end the kernel did not tell: it is estimated */
	uint64_t unfollowed; /* moments of threads that were too many */
	uint64_t stackless;  /* stacks that found no room, or were gone when they were read */
	uint64_t stacks;     /* that were taken */
};
struct kernel_waits_stats kernel_waits_statistics(const struct kernel_waits *k);

#endif
