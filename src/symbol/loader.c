/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/loader.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/owner.h"
#include "base/sync.h"
#include "base/spare-time.h"
#include "base/time-share.h"

#define PREPARED_MAX 64                 /* jobs whose files are held open */
#define NESTING_COST (4u * 1024 * 1024) /* a job with fewer bytes is not interrupted */
#define NESTING_FACTOR 4                /* by a job that is so much cheaper */
#define TRIM_COST (64u * 1024 * 1024)
#define END_TIMEOUT_S 2
#define OWNER_GRAIN_NS (NS_PER_S / 10) /* owners whose debts differ by less are equal */
#define OWNER_REST 4                   /* a second of work is forgotten after so many */
#define APART_MAX 2                    /* jobs in other processes, one within the other */

/* A user whose jobs have cost time by the clock that is not forgotten yet. */
struct owner {
	uint32_t user;
	struct time_share share;
};

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
	const struct clock *clock;
	struct spare_time *spare; /* a reference; NULL: nobody rests */
	/* For the loader thread alone. */
	struct job *waiting;
	unsigned prepared;
	uint64_t running_cost;
	const struct job *running; /* the innermost, or NULL */
	bool none_nests;           /* none of those that wait may run within it */
	unsigned apart;            /* how many of those that run are in other processes */
	uint64_t nested_ns;        /* of jobs within the running one */
	uint64_t nested_cpu_ns;    /* CPU time that this thread took for them */
	struct owner *owners;
	size_t owner_count, owner_capacity;
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
	j->next = NULL;
	pthread_mutex_lock(&l->lock);
	*l->done_end = j;
	l->done_end = &j->next;
	io_signal(l->fd);
	pthread_mutex_unlock(&l->lock);
}

struct job *loader_take(struct loader *l)
{
	struct job *j;

	pthread_mutex_lock(&l->lock);
	j = l->done;
	if (j) {
		l->done = j->next;
		if (!l->done)
			l->done_end = &l->done;
	} else {
		io_clear_signal(l->fd);
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

static struct owner *loader_owner(const struct loader *l, uint32_t user)
{
	for (size_t i = 0; i < l->owner_count; i++)
		if (l->owners[i].user == user)
			return &l->owners[i];
	return NULL;
}

static uint64_t loader_debt(const struct loader *l, uint32_t user, uint64_t now_ns)
{
	const struct owner *o = loader_owner(l, user);

	return o && o->share.free_ns > now_ns ? o->share.free_ns - now_ns : 0;
}

static void owners_forget(struct loader *l, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->owner_count; i++) {
		const struct owner *o = &l->owners[i];

		if (o->share.free_ns > now_ns)
			l->owners[kept++] = *o;
	}
	l->owner_count = kept;
}

/* NS by the clock, and CPU_NS of CPUs. */
static void loader_charge(struct loader *l, uint32_t user, uint64_t ns, uint64_t cpu_ns)
{
	uint64_t now_ns = clock_monotonic_ns(l->clock);
	struct owner *o;

	if (l->spare)
		spare_time_charge(l->spare, user, cpu_ns);
	if (user == LOADER_NOBODY)
		return;
	owners_forget(l, now_ns);
	o = loader_owner(l, user);
	if (!o) {
		mem_grow((void **)&l->owners, &l->owner_capacity, l->owner_count + 1,
			 sizeof(*l->owners));
		o = &l->owners[l->owner_count++];
		*o = (struct owner){ .user = user };
	}
	time_share_charge(&o->share, now_ns, ns, OWNER_REST);
}

bool loader_trusts(uint32_t user)
{
	return user == LOADER_NOBODY || owner_trusts(user);
}

/* When J may run; 0: now. */
static uint64_t loader_due(const struct loader *l, const struct job *j)
{
	if (!l->spare || j->urgent || j->owner == LOADER_NOBODY)
		return 0;
	return spare_time_due(l->spare, j->owner, loader_trusts(j->owner));
}

/* J pays for that when it is run or handed back, not before: else its owner could rest because of it, and J never ran. */
static void loader_prepare(struct loader *l, struct job *j)
{
	uint64_t began_ns = clock_thread_cpu_ns();

	j->prepare(j);
	j->prepare_cpu_ns = clock_thread_cpu_ns() - began_ns;
	l->nested_cpu_ns += j->prepare_cpu_ns;
}

/*
 * Hands J back if its owner rests, and returns true then.  It is not even prepared if the caller told the owner, so
 * one with many files does not pay each time that these are asked for.
 */
static bool loader_postpones(struct loader *l, struct job *j)
{
	if (!loader_due(l, j))
		return false;
	loader_charge(l, j->owner, 0, j->prepare_cpu_ns);
	j->rest_until_ns = loader_due(l, j);
	loader_done(l, j);
	return true;
}

/* Prepares J, unless too many others are, and lets it wait. */
static void loader_accept(struct loader *l, struct job *j)
{
	if (l->prepared < PREPARED_MAX) {
		l->prepared++;
		loader_prepare(l, j);
	} else {
		j->cost = UINT64_MAX;
	}
	j->next = l->waiting;
	l->waiting = j;
	l->none_nests = false;
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

		if (!loader_postpones(l, j))
			loader_accept(l, j);
		j = next;
	}
}

/* Returns true if A goes before B, which came later; or at the same time. */
static bool goes_first(const struct loader *l, const struct job *a, const struct job *b,
		       uint64_t now_ns)
{
	uint64_t a_debt = loader_debt(l, a->owner, now_ns) / OWNER_GRAIN_NS / OWNER_REST;
	uint64_t b_debt = loader_debt(l, b->owner, now_ns) / OWNER_GRAIN_NS / OWNER_REST;

	return a_debt != b_debt ? a_debt < b_debt : a->cost <= b->cost;
}

/* Returns true if J may run while another job does, which costs four times LIMIT. */
static bool may_nest(const struct loader *l, const struct job *j, uint64_t limit)
{
	if (l->running->apart)
		return l->apart < APART_MAX && (j->owner != l->running->owner || j->cost < limit);
	return j->cost < limit;
}

/*
 * Takes the next job, or with a job that runs the next one that may run meanwhile; or NULL.  Thousands may wait, and a
 * job asks for the latter every few milliseconds: they are searched again only when there are more of them.
 */
static struct job *loader_pick(struct loader *l, uint64_t limit)
{
	uint64_t now_ns = clock_monotonic_ns(l->clock);
	struct job **best = NULL, *j;

	if (l->none_nests)
		return NULL;
	for (struct job **at = &l->waiting; *at; at = &(*at)->next)
		if ((!l->running || may_nest(l, *at, limit)) &&
		    (!best || goes_first(l, *at, *best, now_ns)))
			best = at;
	l->none_nests = l->running && !best;
	if (!best)
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

static uint64_t above(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Runs J, which pays before its caller knows that it ran; jobs within it pay for themselves. */
static void run_and_pay(struct loader *l, struct job *j)
{
	const uint64_t outer_ns = l->nested_ns, outer_cpu_ns = l->nested_cpu_ns;
	const uint64_t begun_ns = clock_monotonic_ns(l->clock), cpu_ns = clock_thread_cpu_ns();
	const uint64_t prepare_cpu_ns = j->prepare_cpu_ns;
	const uint32_t owner = j->owner;
	uint64_t took_ns, took_cpu_ns, apart_ns;
	bool news;

	l->nested_ns = l->nested_cpu_ns = 0;
	news = j->run(j);
	apart_ns = j->cpu_ns;
	if (!news)
		j->drop(j);
	if (l->running_cost >= TRIM_COST)
		give_memory_back();
	took_ns = clock_monotonic_ns(l->clock) - begun_ns;
	took_cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	loader_charge(l, owner, above(took_ns, l->nested_ns),
		      prepare_cpu_ns + apart_ns + above(took_cpu_ns, l->nested_cpu_ns));
	if (news)
		loader_done(l, j);
	l->nested_ns = outer_ns + took_ns;
	l->nested_cpu_ns = outer_cpu_ns + took_cpu_ns;
}

static void loader_run(struct loader *l, struct job *j)
{
	const struct job *outer = l->running;
	const uint64_t outer_cost = l->running_cost;
	bool apart;

	if (j->cost != UINT64_MAX && l->prepared)
		l->prepared--;
	if (loader_postpones(l, j))
		return;
	if (j->cost == UINT64_MAX) {
		loader_prepare(l, j);
		if (loader_postpones(l, j)) /* its owner was not known before */
			return;
	}
	apart = j->apart;
	l->running = j;
	l->running_cost = j->cost;
	l->none_nests = false;
	l->apart += apart;
	run_and_pay(l, j);
	l->apart -= apart;
	l->running = outer;
	l->running_cost = outer_cost;
	l->none_nests = false;
}

bool loader_checkpoint(struct loader *l)
{
	uint64_t limit = l->running_cost >= NESTING_COST ? l->running_cost / NESTING_FACTOR : 0;
	bool apart = l->running && l->running->apart;
	struct job *j;

	if (atomic_load(&l->has_incoming) && (limit || apart))
		loader_collect(l);
	else if (!apart)
		return atomic_load(&l->stop);
	while (!atomic_load(&l->stop) && l->running && (j = loader_pick(l, limit)))
		loader_run(l, j);
	return atomic_load(&l->stop);
}

uint64_t loader_cpu_ns(const struct loader *l)
{
	struct timespec used = { 0 };
	clockid_t id;

	if (l->threaded && !pthread_getcpuclockid(l->thread, &id))
		clock_gettime(id, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

uint64_t loader_nested_ns(const struct loader *l)
{
	return l->nested_ns;
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

	/* Here: the name of another thread is a file to be written. */
	pthread_setname_np(pthread_self(), "ptop-loader");
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

struct loader *loader_new(bool thread, struct spare_time *spare, const struct clock *clock)
{
	struct loader *l = mem_alloc(sizeof(*l));

	l->clock = clock;
	sync_init(&l->lock, &l->changed);
	l->done_end = &l->done;
	l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->spare = spare_time_get(thread ? spare : NULL);
	l->threaded = thread && !sync_start(&l->thread, loader_main, l);
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
	uint64_t end_ns = clock_monotonic_ns(&clock_system) + END_TIMEOUT_S * NS_PER_S;
	bool ended;

	pthread_mutex_lock(&l->lock);
	atomic_store(&l->stop, true);
	pthread_cond_broadcast(&l->changed);
	while (!l->ended && sync_wait(&l->lock, &l->changed, end_ns))
		;
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
	free(l->owners);
	spare_time_put(l->spare);
	if (l->fd >= 0)
		close(l->fd);
	sync_fini(&l->lock, &l->changed);
	free(l);
	return true;
}
