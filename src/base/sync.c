/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sync.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"

int sync_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	sigdelset(&all, SIGXCPU); /* it is for the thread that computes too long (setrlimit(2)) */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void sync_init(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	pthread_condattr_t clock;

	pthread_mutex_init(lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(changed, &clock);
	pthread_condattr_destroy(&clock);
}

void sync_fini(pthread_mutex_t *lock, pthread_cond_t *changed)
{
	pthread_cond_destroy(changed);
	pthread_mutex_destroy(lock);
}

bool sync_wait(pthread_mutex_t *lock, pthread_cond_t *changed, uint64_t end_ns)
{
	struct timespec end = { (time_t)(end_ns / NS_PER_S), (long)(end_ns % NS_PER_S) };

	if (end_ns == UINT64_MAX)
		return !pthread_cond_wait(changed, lock);
	return !pthread_cond_timedwait(changed, lock, &end);
}
