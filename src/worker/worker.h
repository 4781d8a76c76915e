/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_WORKER_H
#define PTOP_WORKER_WORKER_H

#include <stdint.h>

/* A worker: its job, its limits and its end.  zygote.h starts it. */

/* Runs in the worker, which ends when it returns.  SOCKET is its end, borrowed. */
typedef void worker_main(int socket);

/* For a worker: how much it may use.  Exceeding one kills it. */
struct worker_limits {
	uint32_t cpu_s;        /* CPU time: SIGXCPU */
	uint32_t wall_s;       /* time: SIGALRM */
	uint32_t idle_ms;      /* its wait for a message then ends with -EAGAIN; 0: never */
	uint32_t unused;       /* 0: limits are sent, and padding would be undefined */
	uint64_t memory_bytes; /* of address space beyond what it begins with: allocations fail */
};

/* The end of a worker. */
enum worker_end {
	WORKER_DONE,      /* by returning */
	WORKER_TOO_SLOW,  /* it exceeded its CPU time, or its time */
	WORKER_TOO_LARGE, /* it had no memory left */
	WORKER_DAMAGED,   /* by a fault, or by a system call that it may not make */
	WORKER_KILLED,    /* by somebody else */
};

/*
 * The zygote's last message on a worker's socket, after the worker's own.  A worker could forge it, to
 * its own disadvantage only.  A socket that closes without it is a worker that was KILLED.
 */
#define WORKER_ENDED 0x656e6465u

struct worker_ended {
	uint32_t tag; /* WORKER_ENDED */
	uint32_t end; /* enum worker_end */
};

#endif
