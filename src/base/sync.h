/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_SYNC_H
#define PTOP_BASE_SYNC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* How threads of ptop start and wait.  The type that has the thread owns the pthread objects. */

/*
 * Starts THREAD, which calls RUN with CONTEXT.  All signals are blocked in it, because the main
 * thread handles them; so exceeding a limit of a file's size is an error there and no signal.
 * Returns 0, or an errno.
 */
int sync_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* A lock, and a condition that is signalled under it, for sync_wait(). */
void sync_init(pthread_mutex_t *lock, pthread_cond_t *changed);
void sync_fini(pthread_mutex_t *lock, pthread_cond_t *changed);

/*
 * Waits for CHANGED with LOCK held.  false: END_NS of CLOCK_MONOTONIC has passed; UINT64_MAX never
 * does.  May return true without a change, as pthread_cond_wait(3).
 */
bool sync_wait(pthread_mutex_t *lock, pthread_cond_t *changed, uint64_t end_ns);

#endif
