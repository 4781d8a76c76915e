/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_WORKER_SANDBOX_H
#define PTOP_WORKER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

/*
 * The limits of our own processes.  It keeps no capability, no right to gain one, no user of its
 * own if it was root, and no descriptor but one.  A filter then leaves it the system calls of
 * reading and allocating alone.  A filter is made once, because making one takes longer than a
 * fork.
 */
struct sandbox;

/*
 * The roles of processes.  The zygote still forks, and kills its workers; a worker cannot.  The attacher
 * (runtime/attacher.h) forks, becomes other users, opens files and talks to sockets of this machine.
 */
enum sandbox_role { SANDBOX_ZYGOTE, SANDBOX_WORKER, SANDBOX_ATTACHER, SANDBOX_ROLES };

/*
 * Makes the filters of ROLES, a bit of each.  NULL if this program was built without libseccomp or with a sanitizer, which
 * makes calls of its own.
 */
struct sandbox *sandbox_new(unsigned roles);

/*
 * Gives up privileges for ever: capabilities, set-uid programs, core dumps, attaching debuggers.
 * Root becomes `nobody`.  The process ends when its parent PARENT ends.  Returns 0, or a negative
 * errno: the process must not go on.
 */
int sandbox_drop_privileges(int parent);

/* Closes all descriptors but KEPT, which is moved to 0. */
void sandbox_close_files(int kept);

/*
 * Gives up all capabilities but those of KEPT, a bit for each number, also for what is executed later.  None
 * is gained.  Returns 0, or a negative errno.
 */
int sandbox_cut_capabilities(uint64_t kept);

/*
 * From now on any other system call kills the process (SIGSYS), or fails with EPERM for the attacher.  S NULL:
 * nothing is filtered.  Returns 0, or a negative errno.
 */
int sandbox_enter(const struct sandbox *s, enum sandbox_role role);

/* For a worker, which had BEGINS_WITH_BYTES of address space before it began. */
void sandbox_limit(const struct worker_limits *limits, uint64_t begins_with_bytes);

#endif
