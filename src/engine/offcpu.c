/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/hash.h"

#define THREAD_LIMIT 65536u
#define HELD_LIMIT \
	4096u /* moments: with more in the queue none is held, for each settling sorts it */
#define QUEUE_LIMIT 262144u /* moments: 12 MiB; then those that are there are taken as complete */
#define LEAVING 8u          /* threads of a CPU; of more the oldest are not found */

struct thread_time {
	uint32_t tid, process;
	enum offcpu_kind kind; /* what it does; UNKNOWN after a loss */
	uint32_t node;         /* where it waits, or was last seen */
	uint64_t since_ns;     /* told up to then, but for DEBT_NS */
	uint64_t begun_ns;     /* since when it waits */
	uint32_t waker;        /* who ended that; 0: nobody did */
	uint64_t ready_ns;     /* since when it waits only for a CPU; 0: it does not */
	uint64_t debt_ns;      /* it ran for so long before, and that has no stack yet */
	double share_at;       /* OFFCPU's share_ns when it was SINCE_NS */
	double debt_share_ns;  /* what of that grew during DEBT_NS */
	unsigned ended;        /* intervals since its END, + 1; 0: it is there */
	bool nameless;         /* it had no number when it gave up the CPU */
	/* Why it waited the last time; kept while wakers are followed. */
	uint32_t waited_in, waker_node;
	size_t link_count;
	struct offcpu_link links[OFFCPU_LINKS];
};

struct queued {
	struct offcpu_moment m;
	uint64_t order; /* of equal times */
};

struct cpu_time {
	uint32_t tid;              /* who runs there; 0 nobody that is followed */
	uint32_t leaving[LEAVING]; /* were preempted there after their END, in order; 0: no more */
	uint32_t stack_tid, stack, held; /* of the one that is about to give it up */
};

struct offcpu {
	offcpu_sink *sink;
	void *context;
	size_t limit;
	struct map threads; /* by tid, owned */
	struct cpu_time *cpus;
	size_t cpu_count;
	struct queued *queue;
	size_t queued, capacity;
	uint64_t order;
	uint64_t first_ns; /* of the first moment */
	uint64_t now_ns;   /* of the newest one that was taken */
	size_t running;    /* threads that run */
	double share_ns; /* the time up to NOW_NS in which any ran, each moment divided by RUNNING */
	bool follows;
	struct offcpu_stats stats;
};

struct offcpu *offcpu_new(offcpu_sink *sink, void *context, size_t thread_limit)
{
	struct offcpu *o = mem_alloc(sizeof(*o));

	o->sink = sink;
	o->context = context;
	o->limit = thread_limit ? thread_limit : THREAD_LIMIT;
	return o;
}

void offcpu_free(struct offcpu *o)
{
	if (!o)
		return;
	map_fini_each(&o->threads, free);
	mem_free(o->cpus, o->queue, o);
}

void offcpu_follow(struct offcpu *o, bool follow)
{
	o->follows = follow;
}

/* A CPU number that cannot be is CPU 0's. */
static struct cpu_time *cpu_of(struct offcpu *o, uint32_t cpu)
{
	if (cpu >= CPU_LIMIT)
		cpu = 0;
	if (cpu >= o->cpu_count)
		mem_grow_zeroed((void **)&o->cpus, &o->cpu_count, cpu + 1u, sizeof(*o->cpus));
	return &o->cpus[cpu];
}

/* Telling. */

static uint64_t elapsed_ns(const struct thread_time *t, uint64_t now_ns)
{
	return now_ns > t->since_ns ? now_ns - t->since_ns : 0;
}

static bool waits(const struct thread_time *t)
{
	return t->kind != OFFCPU_RUNNING && t->kind != OFFCPU_UNKNOWN;
}

/* The links of an earlier wait are not this one's. */
static void tell_links(const struct thread_time *t, struct offcpu_time *piece)
{
	if (!t->link_count || !t->ready_ns || t->links[0].woken_ns != t->ready_ns)
		return;
	piece->waker_node = t->waker_node;
	piece->links = t->links;
	piece->link_count = t->link_count;
}

/* Sets how long the wait has lasted at the end of the piece, and how much of it was for a CPU alone. */
static void tell_wait(const struct thread_time *t, struct offcpu_time *piece)
{
	uint64_t from_ns = t->ready_ns > t->since_ns ? t->ready_ns : t->since_ns;

	if (piece->end_ns > t->begun_ns)
		piece->waited_ns = piece->end_ns - t->begun_ns;
	piece->ready = t->ready_ns != 0;
	piece->waker = t->waker;
	tell_links(t, piece);
	if (!piece->ready || piece->end_ns <= from_ns)
		return;
	piece->delay_ns = piece->end_ns - from_ns;
	piece->delayed_ns = piece->end_ns - t->ready_ns;
}

static struct offcpu_time piece_of(const struct thread_time *t, uint64_t ns, uint64_t end_ns)
{
	return (struct offcpu_time){ .tid = t->tid,
				     .process = t->process,
				     .kind = t->kind,
				     .node = t->kind == OFFCPU_UNKNOWN ? 0 : t->node,
				     .ns = ns,
				     .end_ns = end_ns };
}

/*
 * Reports the thread's time off the CPU: NS up to END_NS; with ENDS its wait is over.  False when
 * the thread is no more.
 */
static bool tell(struct offcpu *o, const struct thread_time *t, uint64_t ns, uint64_t end_ns,
		 bool ends)
{
	struct offcpu_time piece = piece_of(t, ns, end_ns);

	if (waits(t)) {
		tell_wait(t, &piece);
		piece.ends = ends;
	}
	return (!ns && !piece.ends) || o->sink(o->context, &piece);
}

/* Reports the time that the thread ran without having been seen. */
static bool tell_debt(struct offcpu *o, struct thread_time *t, uint64_t now_ns)
{
	struct offcpu_time piece = piece_of(t, t->debt_ns, now_ns);

	piece.kind = OFFCPU_RUNNING;
	piece.node = t->node;
	piece.share_ns = (uint64_t)t->debt_share_ns;
	t->debt_ns = 0;
	t->debt_share_ns -= (double)piece.share_ns;
	return !piece.ns || o->sink(o->context, &piece);
}

/* After its END a thread may run on without a moment that tells until when, so it has no share of that time. */
static bool is_shared(const struct thread_time *t)
{
	return t->kind == OFFCPU_RUNNING && !t->ended;
}

/* Up to NOW_NS the thread did what it does, and with ENDS waits no more; what it ran stays a debt. */
static void pass(struct offcpu *o, struct thread_time *t, uint64_t now_ns, bool ends)
{
	uint64_t ns = elapsed_ns(t, now_ns);

	if (t->kind == OFFCPU_RUNNING) {
		t->debt_ns += ns;
		t->debt_share_ns += is_shared(t) ? o->share_ns - t->share_at : 0;
	} else {
		tell(o, t, ns, now_ns, ends);
	}
	t->share_at = o->share_ns;
	if (t->since_ns < now_ns)
		t->since_ns = now_ns;
}

/* Up to NOW_NS as many threads ran as do. */
static void advance(struct offcpu *o, uint64_t now_ns)
{
	if (now_ns <= o->now_ns)
		return;
	if (o->running)
		o->share_ns += (double)(now_ns - o->now_ns) / (double)o->running;
	o->now_ns = now_ns;
}

static void become(struct offcpu *o, struct thread_time *t, enum offcpu_kind kind)
{
	o->running -= is_shared(t);
	t->kind = kind;
	o->running += is_shared(t);
}

/* Threads. */

static struct thread_time *thread_add(struct offcpu *o, const struct offcpu_moment *m)
{
	struct thread_time *t;

	if (o->threads.count >= o->limit) {
		o->stats.unfollowed++;
		return NULL;
	}
	t = mem_alloc(sizeof(*t));
	t->tid = m->tid;
	t->process = m->process;
	t->kind = OFFCPU_UNKNOWN;
	t->since_ns = o->first_ns;
	map_put(&o->threads, m->tid, t);
	return t;
}

/* The thread that comes back to CPU without its number: the first one there that left without it, or that left. */
static struct thread_time *find_leaving(struct offcpu *o, const struct cpu_time *cpu)
{
	struct thread_time *found = NULL;

	for (size_t i = 0; i < LEAVING && cpu->leaving[i]; i++) {
		struct thread_time *t = map_find(&o->threads, cpu->leaving[i]);

		if (!t || !t->ended || t->kind != OFFCPU_PREEMPTED)
			continue;
		if (t->nameless)
			return t;
		if (!found)
			found = t;
	}
	return found;
}

/* The thread of M, which has no number. */
static struct thread_time *nameless_of(struct offcpu *o, const struct offcpu_moment *m)
{
	const struct cpu_time *cpu = cpu_of(o, m->cpu);
	struct thread_time *t;

	if (m->what == OFFCPU_IN)
		return find_leaving(o, cpu);
	t = map_find(&o->threads, cpu->tid);
	return t && t->ended ? t : NULL;
}

/* The thread of M; one of another process that had the number before it is forgotten. */
static struct thread_time *thread_of(struct offcpu *o, const struct offcpu_moment *m)
{
	struct thread_time *t;

	if (m->tid == OFFCPU_NAMELESS)
		return nameless_of(o, m);
	t = map_find(&o->threads, m->tid);
	if (!t)
		return m->what == OFFCPU_END || m->what == OFFCPU_WAKE ? NULL : thread_add(o, m);
	if (t->process == m->process || m->what == OFFCPU_WAKE)
		return t;
	become(o, t, OFFCPU_UNKNOWN);
	*t = (struct thread_time){
		.tid = m->tid, .process = m->process, .kind = OFFCPU_UNKNOWN, .since_ns = m->time_ns
	};
	return t;
}

/* Moments. */

/* A thread that runs does not get a CPU, and one that waits does not give one up. */
static void check_fit(struct offcpu *o, struct thread_time *t, bool runs)
{
	if (t->kind == OFFCPU_UNKNOWN || (t->kind == OFFCPU_RUNNING) == runs)
		return;
	o->stats.misfits++;
	become(o, t, OFFCPU_UNKNOWN);
}

/* The oldest one makes room. */
static void add_leaving(struct cpu_time *cpu, uint32_t tid)
{
	uint32_t kept[LEAVING + 1] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < LEAVING && cpu->leaving[i]; i++) {
		if (cpu->leaving[i] != tid)
			kept[count++] = cpu->leaving[i];
	}
	kept[count++] = tid;
	memcpy(cpu->leaving, kept + (count > LEAVING), sizeof(cpu->leaving));
}

static void take_out(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	struct cpu_time *cpu = cpu_of(o, m->cpu);

	check_fit(o, t, true);
	pass(o, t, m->time_ns, false);
	become(o, t, m->preempted ? OFFCPU_PREEMPTED : OFFCPU_BLOCKED);
	t->begun_ns = m->time_ns - m->early_ns;
	t->ready_ns = m->preempted ? t->begun_ns : 0;
	t->waker = 0;
	t->node = m->node;
	cpu->tid = 0;
	if (!t->ended)
		return;
	tell_debt(o, t, m->time_ns); /* this may be the last of it */
	t->nameless = m->tid == OFFCPU_NAMELESS;
	if (m->preempted)
		add_leaving(cpu, t->tid);
}

/* The links of the waker's own last wait follow, as far as they are within T's. */
static void follow(struct thread_time *t, const struct offcpu_moment *m,
		   const struct thread_time *waker)
{
	t->links[0] =
		(struct offcpu_link){ .waker = m->waker, .woken_ns = m->time_ns - m->early_ns };
	t->link_count = 1;
	t->waited_in = t->node;
	t->waker_node = m->node;
	if (!waker || waker == t)
		return;
	t->links[0].node = waker->waited_in;
	for (size_t i = 0; i < waker->link_count && t->link_count < OFFCPU_LINKS; i++) {
		if (waker->links[i].woken_ns <= t->begun_ns)
			break;
		t->links[t->link_count++] = waker->links[i];
	}
}

static void take_in(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	const struct offcpu_moment unknown = { .time_ns = m->time_ns, .early_ns = m->early_ns };

	check_fit(o, t, false);
	pass(o, t, m->time_ns, true);
	/* The kernel may leave out a wake-up on an idle CPU.  Where the thread waited, and until when, is known. */
	if (o->follows && t->kind == OFFCPU_BLOCKED && !t->ready_ns)
		follow(t, &unknown, NULL);
	become(o, t, OFFCPU_RUNNING);
	cpu_of(o, m->cpu)->tid = t->tid;
}

/* A thread may be woken while it still runs, on its way to its wait: that is too early to count. */
static void take_wake(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	if (t->kind != OFFCPU_BLOCKED || t->ready_ns)
		return;
	t->ready_ns = m->time_ns - m->early_ns;
	t->waker = m->waker;
	if (o->follows)
		follow(t, m, m->by ? map_find(&o->threads, m->by) : NULL);
}

static void take_sample(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	check_fit(o, t, true);
	pass(o, t, m->time_ns, false);
	become(o, t, OFFCPU_RUNNING);
	t->node = m->node;
	tell_debt(o, t, m->time_ns);
	cpu_of(o, m->cpu)->tid = t->tid;
}

static void take_start(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	become(o, t, OFFCPU_UNKNOWN);
	*t = (struct thread_time){ .tid = m->tid,
				   .process = m->process,
				   .kind = OFFCPU_STARTING,
				   .since_ns = m->time_ns,
				   .begun_ns = m->time_ns - m->early_ns,
				   .ready_ns = m->time_ns - m->early_ns };
}

/* The record of its end is the thread's own work, so it runs, and goes on to do so. */
static void take_end(struct offcpu *o, struct thread_time *t, const struct offcpu_moment *m)
{
	if (t->ended)
		return;
	pass(o, t, m->time_ns, false);
	tell_debt(o, t, m->time_ns);
	become(o, t, OFFCPU_UNKNOWN);
	t->ended = 1;
	become(o, t, OFFCPU_RUNNING);
}

/* Whoever ran there may have been switched away. */
static void take_gap(struct offcpu *o, const struct offcpu_moment *m)
{
	struct cpu_time *cpu = cpu_of(o, m->cpu);
	struct thread_time *t = cpu->tid ? map_find(&o->threads, cpu->tid) : NULL;

	cpu->tid = 0;
	if (t && t->kind == OFFCPU_RUNNING)
		become(o, t, OFFCPU_UNKNOWN);
}

static void take(struct offcpu *o, const struct offcpu_moment *m)
{
	static void (*const takers[])(struct offcpu *, struct thread_time *,
				      const struct offcpu_moment *) = {
		[OFFCPU_OUT] = take_out,     [OFFCPU_IN] = take_in,
		[OFFCPU_WAKE] = take_wake,   [OFFCPU_SAMPLE] = take_sample,
		[OFFCPU_START] = take_start, [OFFCPU_END] = take_end,
	};
	struct thread_time *t;

	advance(o, m->time_ns);
	if (m->what == OFFCPU_GAP) {
		take_gap(o, m);
		return;
	}
	t = thread_of(o, m);
	if (t)
		takers[m->what](o, t, m);
}

/* The queue. */

void offcpu_stack(struct offcpu *o, uint32_t cpu, uint32_t tid, uint32_t node, uint32_t held)
{
	struct cpu_time *c = cpu_of(o, cpu);

	c->stack_tid = tid;
	c->stack = node;
	c->held = held;
}

static void take_stack(struct offcpu *o, struct offcpu_moment *m)
{
	struct cpu_time *c = cpu_of(o, m->cpu);
	bool same = c->stack_tid == m->tid || m->tid == OFFCPU_NAMELESS;

	m->node = same ? c->stack : 0;
	m->held = same ? c->held : 0;
	c->stack_tid = c->stack = c->held = 0;
}

void offcpu_add(struct offcpu *o, const struct offcpu_moment *m)
{
	struct queued *q;

	if (o->queued == QUEUE_LIMIT)
		offcpu_settle(o, UINT64_MAX);
	if (!o->first_ns)
		o->first_ns = m->time_ns;
	mem_grow((void **)&o->queue, &o->capacity, o->queued + 1, sizeof(*o->queue));
	q = &o->queue[o->queued++];
	*q = (struct queued){ *m, o->order++ };
	if (m->what == OFFCPU_OUT)
		take_stack(o, &q->m);
}

static int by_time(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->m.time_ns != y->m.time_ns)
		return x->m.time_ns < y->m.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void offcpu_settle(struct offcpu *o, uint64_t until_ns)
{
	bool waits = until_ns != UINT64_MAX && o->queued <= HELD_LIMIT;
	size_t taken = 0;

	if (o->queued)
		qsort(o->queue, o->queued, sizeof(*o->queue), by_time);
	while (taken < o->queued && o->queue[taken].m.time_ns <= until_ns &&
	       !(waits && o->queue[taken].m.held))
		take(o, &o->queue[taken++].m);
	o->queued -= taken;
	if (taken && o->queued)
		memmove(o->queue, o->queue + taken, o->queued * sizeof(*o->queue));
}

static void ask(uint32_t *held, uint32_t *node, offcpu_finder *find, void *context)
{
	if (*held && find(context, *held, node))
		*held = 0;
}

void offcpu_ask(struct offcpu *o, offcpu_finder *find, void *context)
{
	for (size_t i = 0; i < o->queued; i++)
		ask(&o->queue[i].m.held, &o->queue[i].m.node, find, context);
	for (size_t i = 0; i < o->cpu_count; i++)
		ask(&o->cpus[i].held, &o->cpus[i].stack, find, context);
}

/* Intervals. */

/*
 * Returns true if the thread is still there.  The moment that ends it tells what a thread does after its END, for none
 * may follow.
 */
static bool count_thread(struct offcpu *o, struct thread_time *t, uint64_t until_ns)
{
	uint64_t ns = elapsed_ns(t, until_ns);
	bool there;

	if (t->ended)
		return t->ended++ < 2;
	if (t->kind == OFFCPU_RUNNING) {
		pass(o, t, until_ns, false);
		return !t->node || tell_debt(o, t, until_ns);
	}
	there = tell_debt(o, t, until_ns) && tell(o, t, ns, until_ns, false);
	t->since_ns += ns;
	return there;
}

void offcpu_count(struct offcpu *o, uint64_t until_ns)
{
	uint32_t *gone = mem_array(o->threads.count, sizeof(*gone));
	struct thread_time *t;
	size_t count = 0;

	advance(o, until_ns);
	for (size_t i = 0; (t = map_next(&o->threads, &i));) {
		if (!count_thread(o, t, until_ns))
			gone[count++] = t->tid;
	}
	for (size_t i = 0; i < count; i++) {
		t = map_remove(&o->threads, gone[i]);
		become(o, t, OFFCPU_UNKNOWN);
		free(t);
	}
	free(gone);
}

/* Nodes. */

void offcpu_mark(const struct offcpu *o, unsigned char *keep)
{
	const struct thread_time *t;

	for (size_t i = 0; (t = map_next(&o->threads, &i));) {
		keep[t->node] = keep[t->waited_in] = keep[t->waker_node] = 1;
		for (size_t link = 0; link < t->link_count; link++)
			keep[t->links[link].node] = 1;
	}
	for (size_t i = 0; i < o->queued; i++)
		keep[o->queue[i].m.node] = 1;
	for (size_t i = 0; i < o->cpu_count; i++)
		keep[o->cpus[i].stack] = 1;
}

void offcpu_renumber(struct offcpu *o, const uint32_t *map)
{
	struct thread_time *t;

	for (size_t i = 0; (t = map_next(&o->threads, &i));) {
		t->node = map[t->node];
		t->waited_in = map[t->waited_in];
		t->waker_node = map[t->waker_node];
		for (size_t link = 0; link < t->link_count; link++)
			t->links[link].node = map[t->links[link].node];
	}
	for (size_t i = 0; i < o->queued; i++)
		o->queue[i].m.node = map[o->queue[i].m.node];
	for (size_t i = 0; i < o->cpu_count; i++)
		o->cpus[i].stack = map[o->cpus[i].stack];
}

const struct offcpu_stats *offcpu_statistics(const struct offcpu *o)
{
	return &o->stats;
}

size_t offcpu_threads(const struct offcpu *o)
{
	return o->threads.count;
}
