/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/loader.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define PREPARED_MAX 64                 /* jobs whose files are held open */
#define NESTING_COST (4u * 1024 * 1024) /* a job with fewer bytes is not interrupted */
#define NESTING_FACTOR 4                /* by a job that is so much cheaper */
#define TRIM_COST (64u * 1024 * 1024)
#define END_TIMEOUT_S 2

struct loader {
	pthread_mutex_t lock; /* of incoming, done, ended */
	pthread_cond_t changed;
	struct job *incoming; /* newest first */
	struct job *done, **done_end;
	bool ended;
	atomic_bool stop, has_incoming;
	int fd;
	bool threaded;
	pthread_t thread;
	/* For the loader thread alone. */
	struct job *waiting;
	unsigned prepared;
	uint64_t running_cost;
};

static void jobs_drop(struct job *j)
{
	while (j) {
		struct job *next = j->next;

		j->drop(j);
		j = next;
	}
}

static void loader_done(struct loader *l, struct job *j)
{
	uint64_t one = 1;
	ssize_t n;

	j->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->done_end = j;
	l->done_end = &j->next;
	n = write(l->fd, &one, sizeof(one));
	pthread_mutex_unlock(&l->lock);
	(void)n; /* a full counter is readable as well */
}

struct job *loader_take(struct loader *l)
{
	uint64_t count;
	struct job *j;
	ssize_t n;

	pthread_mutex_lock(&l->lock);
	j = l->done;
	if (j) {
		l->done = j->next;
		if (!l->done)
			l->done_end = &l->done;
	} else {
		n = read(l->fd, &count, sizeof(count));
		(void)n; /* nothing was done: EAGAIN */
	}
	pthread_mutex_unlock(&l->lock);
	return j;
}

int loader_fd(const struct loader *l)
{
	return l->fd;
}

static struct job *jobs_reversed(struct job *j)
{
	struct job *reversed = NULL;

	while (j) {
		struct job *next = j->next;

		j->next = reversed;
		reversed = j;
		j = next;
	}
	return reversed;
}

/* The oldest goes first, so the newest of all that wait is at the head. */
static void loader_collect(struct loader *l)
{
	struct job *j;

	pthread_mutex_lock(&l->lock);
	j = jobs_reversed(l->incoming);
	l->incoming = NULL;
	atomic_store(&l->has_incoming, false);
	pthread_mutex_unlock(&l->lock);
	while (j) {
		struct job *next = j->next;

		if (l->prepared < PREPARED_MAX) {
			l->prepared++;
			j->prepare(j);
		} else {
			j->cost = UINT64_MAX;
		}
		j->next = l->waiting;
		l->waiting = j;
		j = next;
	}
}

/* Takes the cheapest waiting job; among equal ones the oldest, which is the last. */
static struct job *loader_pick(struct loader *l, uint64_t limit)
{
	struct job **best = NULL, *j;

	for (struct job **at = &l->waiting; *at; at = &(*at)->next)
		if (!best || (*at)->cost <= (*best)->cost)
			best = at;
	if (!best || (limit != UINT64_MAX && (*best)->cost >= limit))
		return NULL;
	j = *best;
	*best = j->next;
	j->next = NULL;
	return j;
}

/* A huge file leaves as much free memory behind as its table takes. */
static void give_memory_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static void loader_run(struct loader *l, struct job *j)
{
	uint64_t outer = l->running_cost;

	if (j->cost == UINT64_MAX)
		j->prepare(j);
	else if (l->prepared)
		l->prepared--;
	l->running_cost = j->cost;
	if (j->run(j))
		loader_done(l, j);
	else
		j->drop(j);
	if (l->running_cost >= TRIM_COST)
		give_memory_back();
	l->running_cost = outer;
}

bool loader_checkpoint(struct loader *l)
{
	uint64_t limit = l->running_cost / NESTING_FACTOR;
	struct job *j;

	if (l->running_cost >= NESTING_COST && atomic_load(&l->has_incoming)) {
		loader_collect(l);
		while (!atomic_load(&l->stop) && (j = loader_pick(l, limit)))
			loader_run(l, j);
	}
	return atomic_load(&l->stop);
}

static bool loader_wait(struct loader *l)
{
	pthread_mutex_lock(&l->lock);
	while (!l->incoming && !atomic_load(&l->stop))
		pthread_cond_wait(&l->changed, &l->lock);
	pthread_mutex_unlock(&l->lock);
	return !atomic_load(&l->stop);
}

static void *loader_main(void *context)
{
	struct loader *l = context;

	while (loader_wait(l)) {
		struct job *j;

		loader_collect(l);
		while (!atomic_load(&l->stop) && (j = loader_pick(l, UINT64_MAX))) {
			loader_run(l, j);
			loader_collect(l);
		}
	}
	pthread_mutex_lock(&l->lock);
	l->ended = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* Signals are for the main thread: none may arrive here. */
static bool loader_start(struct loader *l)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&l->thread, NULL, loader_main, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_setname_np(l->thread, "ptop-loader");
	return started;
}

struct loader *loader_new(bool thread)
{
	struct loader *l = mem_alloc(sizeof(*l));
	pthread_condattr_t clock;

	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &clock);
	pthread_condattr_destroy(&clock);
	l->done_end = &l->done;
	l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->threaded = thread && loader_start(l);
	return l;
}

void loader_submit(struct loader *l, struct job *j)
{
	if (!l->threaded) {
		j->prepare(j);
		loader_run(l, j);
		return;
	}
	pthread_mutex_lock(&l->lock);
	j->next = l->incoming;
	l->incoming = j;
	atomic_store(&l->has_incoming, true);
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static bool loader_join(struct loader *l)
{
	struct timespec end;
	bool ended;
	int error = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += END_TIMEOUT_S;
	pthread_mutex_lock(&l->lock);
	atomic_store(&l->stop, true);
	pthread_cond_broadcast(&l->changed);
	while (!l->ended && !error)
		error = pthread_cond_timedwait(&l->changed, &l->lock, &end);
	ended = l->ended;
	pthread_mutex_unlock(&l->lock);
	if (ended)
		pthread_join(l->thread, NULL);
	else
		pthread_detach(l->thread);
	return ended;
}

bool loader_free(struct loader *l)
{
	if (l->threaded && !loader_join(l))
		return false;
	jobs_drop(l->incoming);
	jobs_drop(l->waiting);
	jobs_drop(l->done);
	if (l->fd >= 0)
		close(l->fd);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return true;
}
