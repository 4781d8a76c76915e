/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_HELPER_H
#define PTOP_WORKER_HELPER_H

#include <sys/resource.h>
#include <sys/types.h>

/*
 * A process that ptop forks before it gives up its rights, because the work there needs some.  It answers
 * messages (worker/channel.h) until ptop closes its end.
 */
struct helper {
	pid_t pid;
	int socket; /* our end */
};

struct helper_kind {
	const char *name; /* of the process: at most 15 bytes */
	int kept; /* descriptors below this stay open; the helper's end of the socket is 0 */
	void (*run)(void *context); /* the process ends when this returns */
};

/* Forks it; the process must have one thread only.  Returns 0, or -1 if it cannot be done. */
int helper_start(struct helper *h, const struct helper_kind *kind, void *context);

/*
 * In the helper: waits for the child PID, for at most TIMEOUT_MS; then KILLED, a process or a negative group, gets
 * SIGKILL.  Returns the status of wait4(2), or -1.  USED gets what the child used.
 */
int helper_wait(pid_t pid, pid_t killed, int timeout_ms, struct rusage *used);

#endif
