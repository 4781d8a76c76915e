/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/syscalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "naming/syscall-names.h"
#include "profile/distribution.h"

#define REGS_OF_32_BITS 1    /* user_regs_abi of struct record_sample */
#define CALLS_AT_ONCE 65536u /* threads whose calls are followed; of more the time is not known */
#define QUEUE_LIMIT 131072u  /* moments that are kept */
#define LATE_NS 1000000u     /* a record that a CPU is writing while others are read is not older */
#define TWICE_NS 100000u     /* within that a return may be told by two events, one opened anew */

/* Where a thread is, by its last record. */
enum call_place {
	IN_CALL,
	BORN,     /* its first return is that of the call that made it, which is none of its own */
	RETURNED, /* at `began_ns` */
};

struct call {
	uint32_t tid;
	enum call_place place;
	int64_t number;
	enum syscall_abi abi;
	uint64_t began_ns;
	uint64_t counted_ns; /* its time up to then is in cells */
};

enum what { ENTERS, LEAVES, COUNTED, UNTOLD, STARTS, ENDS, GAP };

/* A moment of a thread, or of nobody. */
struct moment {
	uint64_t time_ns;
	uint32_t order; /* of those with the same time */
	enum what what;
	uint32_t tid, process; /* the latter: its serial */
	int64_t number;
	enum syscall_abi abi;
	uint32_t error;      /* frame; 0: none */
	uint32_t node, held; /* the caller's stack; HELD as late_hold() gives it */
	uint32_t count;
	bool uncounted;
};

struct syscalls {
	struct pieces use;
	struct late *late;
	bool live;
	struct syscall_names *names;
	size_t event;
	struct map calls; /* by tid; owned */
	struct map
		compat; /* by serial, not 0: processes whose last registers were those of a 32-bit program */
	struct moment *queue;
	size_t queued, capacity;
	uint32_t order;
	bool waits_for_exec;
	uint64_t samples;
};

/* Nodes. */

static void mark_nodes(void *context, unsigned char *keep)
{
	const struct syscalls *s = context;

	for (size_t i = 0; i < s->queued; i++)
		keep[s->queue[i].node] = 1;
}

static void renumber_nodes(void *context, const uint32_t *map)
{
	struct syscalls *s = context;

	for (size_t i = 0; i < s->queued; i++)
		s->queue[i].node = map[s->queue[i].node];
}

struct syscalls *syscalls_new(const struct pieces *use, const struct syscalls_options *options)
{
	int event = evlist_find_id(use->evlist, EVENT_SYSCALLS);
	struct chains_holder holder = { .mark = mark_nodes, .renumber = renumber_nodes };
	struct syscalls *s;

	if (event < 0 || use->evlist->items[event]->open_error)
		return NULL;
	s = mem_alloc(sizeof(*s));
	s->use = *use;
	s->late = options->late;
	s->live = options->live;
	s->event = (size_t)event;
	s->names = syscall_names_new(use->frames, options->names, options->arch);
	s->waits_for_exec = options->of_command;
	holder.context = s;
	chains_add_holder(use->chains, &holder);
	return s;
}

static void calls_forget(struct syscalls *s)
{
	map_fini_each(&s->calls, free);
}

void syscalls_free(struct syscalls *s)
{
	if (!s)
		return;
	chains_remove_holder(s->use.chains, s);
	calls_forget(s);
	map_fini(&s->compat);
	syscall_names_free(s->names);
	mem_free(s->queue, s);
}

uint64_t syscalls_samples(const struct syscalls *s)
{
	return s ? s->samples : 0;
}

/* Calls that go on. */

static void call_remove(struct syscalls *s, uint32_t tid)
{
	struct call *c = map_find(&s->calls, tid);

	if (!c)
		return;
	map_remove(&s->calls, tid);
	free(c);
}

static void call_put(struct syscalls *s, const struct call *call)
{
	struct call *c = map_find(&s->calls, call->tid);

	if (!c && s->calls.count >= CALLS_AT_ONCE)
		return;
	if (!c) {
		c = mem_alloc(sizeof(*c));
		map_put(&s->calls, call->tid, c);
	}
	*c = *call;
}

/*
 * Only registers tell the ABI of a call (perf_event_open(2), "sample_regs_user"), and not all records have them.
 * So a process has the ABI of its last registers.  When too many are known, all are forgotten: the next record of
 * each tells it again.
 */
static enum syscall_abi abi_of(struct syscalls *s, uint32_t process, uint64_t regs_abi)
{
	if (!regs_abi)
		return map_find(&s->compat, process) ? SYSCALL_COMPAT : SYSCALL_OWN;
	if (regs_abi != REGS_OF_32_BITS) {
		map_remove(&s->compat, process);
		return SYSCALL_OWN;
	}
	if (s->compat.count >= CALLS_AT_ONCE)
		map_fini(&s->compat);
	map_put(&s->compat, process, s);
	return SYSCALL_COMPAT;
}

/* The cell of the call NUMBER of ABI that was made in the stack NODE. */
static void find_cell(struct syscalls *s, uint32_t node, int64_t number, enum syscall_abi abi,
		      struct cell_key *key)
{
	key->frame = syscall_names_call(s->names, number, abi);
	if (s->use.callers->leaf_only)
		return;
	key->node = chains_child(s->use.chains, node, key->frame);
	key->frame = chains_at(s->use.chains, key->node).frame;
}

/* Counts P, whose key lacks its event. */
static void count_piece(struct syscalls *s, struct piece *p)
{
	struct thread *th = process_table_find_thread(s->use.processes, p->key.tid);

	p->key.event = (uint16_t)s->event;
	pieces_count(&s->use, th && th->process->serial == p->key.process ? th : NULL, p);
	s->samples += 1 + p->more;
}

/* Returns true if C is what M ends: else records between them were lost. */
static bool is_end_of(const struct call *c, const struct moment *m)
{
	return c && c->place == IN_CALL && m->time_ns >= c->began_ns &&
	       (m->number < 0 || m->number == c->number);
}

static void take_end_of_call(struct syscalls *s, const struct moment *m)
{
	const struct call *c = map_find(&s->calls, m->tid);
	struct piece p = { .key = { .process = m->process, .tid = m->tid, .data = m->error },
			   .more = m->count - 1,
			   .end_ns = m->time_ns };
	int64_t number = m->number;

	if (is_end_of(c, m)) {
		number = c->number;
		p.longest_ns = m->time_ns - c->began_ns;
		p.ns = m->time_ns > c->counted_ns ? m->time_ns - c->counted_ns : 0;
		p.ns += p.more * p.longest_ns;
		p.key.wait = (uint8_t)(distribution_bucket(p.longest_ns) + 1);
	}
	find_cell(s, m->node, number, m->abi, &p.key);
	count_piece(s, &p);
}

/* Returns true if M tells the return again that C has, or is that of the call that made the thread. */
static bool is_no_call(const struct call *c, const struct moment *m)
{
	if (!c || c->place == IN_CALL)
		return false;
	return c->place == BORN || (c->number == m->number && m->time_ns - c->began_ns < TWICE_NS);
}

static void take_leave(struct syscalls *s, const struct moment *m)
{
	if (!m->uncounted && !is_no_call(map_find(&s->calls, m->tid), m))
		take_end_of_call(s, m);
	if (s->live)
		call_put(s, &(struct call){ .tid = m->tid,
					    .place = RETURNED,
					    .number = m->number,
					    .began_ns = m->time_ns });
	else
		call_remove(s, m->tid);
}

static void take_counted(struct syscalls *s, const struct moment *m)
{
	struct piece p = { .key = { .process = m->process, .tid = m->tid, .data = m->error },
			   .more = m->count - 1,
			   .end_ns = m->time_ns };

	if (!m->count)
		return;
	find_cell(s, 0, m->number, m->abi, &p.key);
	count_piece(s, &p);
}

static void take_enter(struct syscalls *s, const struct moment *m)
{
	call_put(s, &(struct call){ .tid = m->tid,
				    .number = m->number,
				    .abi = m->abi,
				    .began_ns = m->time_ns,
				    .counted_ns = m->time_ns });
}

static void take(struct syscalls *s, const struct moment *m)
{
	switch (m->what) {
	case ENTERS:
		take_enter(s, m);
		break;
	case LEAVES:
		take_leave(s, m);
		break;
	case COUNTED:
		take_counted(s, m);
		break;
	case STARTS:
		call_put(s, &(struct call){ .tid = m->tid, .place = BORN });
		break;
	case UNTOLD:
	case ENDS:
		call_remove(s, m->tid);
		break;
	case GAP:
		calls_forget(s);
	}
}

/* The queue. */

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_sorted(const struct syscalls *s)
{
	size_t i = 1;

	while (i < s->queued && by_time(&s->queue[i - 1], &s->queue[i]) < 0)
		i++;
	return i >= s->queued;
}

/* PATIENT: not behind a moment whose stack is held. */
static void settle(struct syscalls *s, uint64_t until_ns, bool patient)
{
	size_t taken = 0;

	if (!is_sorted(s))
		qsort(s->queue, s->queued, sizeof(*s->queue), by_time);
	/* A stack that is made renumbers those of the moments that are left. */
	while (taken < s->queued && s->queue[taken].time_ns <= until_ns &&
	       !(patient && s->queue[taken].held)) {
		take(s, &s->queue[taken]);
		s->queue[taken++].node = 0;
	}
	s->queued -= taken;
	if (taken && s->queued)
		memmove(s->queue, s->queue + taken, s->queued * sizeof(*s->queue));
}

static void add(struct syscalls *s, const struct moment *m)
{
	if (!s->live) {
		take(s, m);
		return;
	}
	if (s->queued == QUEUE_LIMIT)
		settle(s, UINT64_MAX, false);
	mem_grow((void **)&s->queue, &s->capacity, s->queued + 1, sizeof(*s->queue));
	s->queue[s->queued] = *m;
	s->queue[s->queued++].order = s->order++;
}

void syscalls_read(struct syscalls *s)
{
	for (size_t i = 0; s && i < s->queued; i++) {
		struct moment *m = &s->queue[i];

		if (m->held && late_ask(s->late, m->held, &m->node))
			m->held = 0;
	}
}

void syscalls_drained(struct syscalls *s, uint64_t newest_ns)
{
	if (s && newest_ns > LATE_NS)
		settle(s, newest_ns - LATE_NS, true);
}

/* Records. */

static bool has_stack(const struct syscalls *s, const struct record *r)
{
	return !s->use.callers->leaf_only && (r->sample.callchain_count || r->sample.user_stack);
}

/* Returns the node of the stack of R, and FOUND. */
static uint32_t find_node(struct syscalls *s, const struct thread *th, const struct record *r,
			  struct found_stack *found)
{
	const struct address leaf = { th->process, r->cpumode, r->sample.ip };
	struct cell_key key = { .tid = th->tid };

	callers_find(s->use.callers, &leaf, r, &key, found);
	return key.node;
}

static void find_stack(struct syscalls *s, const struct thread *th, const struct record *r,
		       struct moment *m)
{
	struct found_stack found;

	if (!has_stack(s, r))
		return;
	m->node = find_node(s, th, r, &found);
	if (s->live)
		m->held = late_hold(s->late, &found.chain, &r->sample, found.end, found.waits);
}

void syscalls_receive(struct syscalls *s, struct thread *th, const struct record *r, bool uncounted)
{
	static const enum what whats[] = { [CALL_ENTERS] = ENTERS,
					   [CALL_LEAVES] = LEAVES,
					   [CALL_COUNTED] = COUNTED,
					   [CALL_UNTOLD] = UNTOLD };
	struct moment m = { .time_ns = r->time_ns, .what = whats[r->call], .tid = r->tid };

	if (!s || !pieces_follow(&s->use, th))
		return;
	m.process = th->process->serial;
	m.abi = abi_of(s, m.process, r->sample.user_regs_abi);
	m.number = r->call_number;
	m.count = r->call_count;
	m.uncounted = uncounted || s->waits_for_exec;
	if (m.what == LEAVES || m.what == COUNTED)
		m.error = syscall_names_error(s->names, r->call_result);
	if (m.what == LEAVES)
		find_stack(s, th, r, &m);
	add(s, &m);
}

/*
 * Calls of which the source made a sum need no order: none of them is paired here.  A source leaves out
 * what a command calls before its execve(2), but for a call that goes on.
 * Stacks of before a program's execve(2) have no meaning in what it runs now.
 */
void syscalls_summed(struct syscalls *s, struct thread *th, const struct record *r)
{
	const struct record_calls *c = r->calls;
	struct piece p = { .key = { .tid = r->tid }, .ns = c->ns, .end_ns = r->time_ns };
	struct found_stack found;
	enum syscall_abi abi;
	uint32_t node = 0;

	if (!s || !pieces_follow(&s->use, th) || (!c->count && s->waits_for_exec))
		return;
	p.key.process = th->process->serial;
	p.longest_ns = c->longest_ns;
	abi = abi_of(s, p.key.process, 0);
	if (!c->count) {
		p.key.wait = CELL_WAIT_LASTS;
	} else {
		p.more = c->count - 1 < UINT32_MAX ? (uint32_t)(c->count - 1) : UINT32_MAX;
		p.key.data = syscall_names_error(s->names, c->result);
		if (c->timed)
			p.key.wait = (uint8_t)(distribution_bucket(c->longest_ns) + 1);
		if (has_stack(s, r) && r->time_ns >= th->process->exec_ns)
			node = find_node(s, th, r, &found);
	}
	find_cell(s, node, c->number, abi, &p.key);
	count_piece(s, &p);
}

void syscalls_start(struct syscalls *s, uint32_t tid, uint64_t time_ns)
{
	if (s && time_ns)
		add(s, &(struct moment){ .time_ns = time_ns, .what = STARTS, .tid = tid });
}

void syscalls_end(struct syscalls *s, uint32_t tid, uint64_t time_ns)
{
	if (s)
		add(s, &(struct moment){ .time_ns = time_ns, .what = ENDS, .tid = tid });
}

void syscalls_exec(struct syscalls *s, struct thread *th)
{
	if (s && s->waits_for_exec && pieces_follow(&s->use, th))
		s->waits_for_exec = false;
}

void syscalls_gap(struct syscalls *s, uint64_t time_ns)
{
	if (s)
		add(s, &(struct moment){ .time_ns = time_ns, .what = GAP });
}

/* The interval. */

static void count_lasting(struct syscalls *s, struct call *c, uint64_t until_ns)
{
	struct thread *th = process_table_find_thread(s->use.processes, c->tid);
	struct piece p = { .key = { .wait = CELL_WAIT_LASTS, .tid = c->tid },
			   .ns = until_ns - c->counted_ns,
			   .longest_ns = until_ns - c->began_ns,
			   .end_ns = until_ns };

	if (c->place != IN_CALL || s->waits_for_exec || !pieces_follow(&s->use, th) ||
	    until_ns <= c->counted_ns)
		return;
	p.key.process = th->process->serial;
	find_cell(s, 0, c->number, c->abi, &p.key);
	count_piece(s, &p);
	c->counted_ns = until_ns;
}

void syscalls_count(struct syscalls *s, uint64_t newest_ns)
{
	struct call *c;

	if (!s)
		return;
	if (s->live)
		late_give_up(s->late, true);
	settle(s, UINT64_MAX, false);
	if (s->use.evlist->items[s->event]->open_error) {
		calls_forget(s);
		return;
	}
	if (newest_ns > s->use.to_ns)
		newest_ns = s->use.to_ns;
	for (size_t i = 0; (c = map_next(&s->calls, &i));)
		count_lasting(s, c, newest_ns);
}
