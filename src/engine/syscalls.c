/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/syscalls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "naming/syscall-names.h"
#include "profile/distribution.h"

#define CALLS_AT_ONCE 65536u /* that go on; of more the time is not known */

/* A call that goes on. */
struct call {
	uint32_t tid;
	int64_t number;
	uint64_t began_ns;
	uint64_t counted_ns; /* its time up to then is in cells */
	bool born;           /* none: the thread's first return is that of the call that made it */
};

struct syscalls {
	struct pieces use;
	struct syscall_names *names;
	size_t event;
	struct map calls; /* by tid; owned */
	uint64_t samples;
};

struct syscalls *syscalls_new(const struct pieces *use, struct strtab *names, const char *arch)
{
	int event = evlist_find_id(use->evlist, EVENT_SYSCALLS);
	struct syscalls *s;

	if (event < 0 || use->evlist->items[event]->open_error)
		return NULL;
	s = mem_alloc(sizeof(*s));
	s->use = *use;
	s->event = (size_t)event;
	s->names = syscall_names_new(use->frames, names, arch);
	return s;
}

void syscalls_free(struct syscalls *s)
{
	if (!s)
		return;
	map_fini_each(&s->calls, free);
	syscall_names_free(s->names);
	free(s);
}

void syscalls_end(struct syscalls *s, uint32_t tid)
{
	struct call *c = s ? map_find(&s->calls, tid) : NULL;

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

static void call_begin(struct syscalls *s, const struct record *r)
{
	const struct call c = { .tid = r->tid,
				.number = r->call_number,
				.began_ns = r->time_ns,
				.counted_ns = r->time_ns };

	call_put(s, &c);
}

void syscalls_start(struct syscalls *s, uint32_t tid, uint64_t time_ns)
{
	if (s && time_ns)
		call_put(s, &(struct call){ .tid = tid, .born = true });
}

uint64_t syscalls_samples(const struct syscalls *s)
{
	return s ? s->samples : 0;
}

/* Counts P, a piece of a call of TH, whose key lacks its task and event. */
static void count_piece(struct syscalls *s, struct thread *th, struct piece *p)
{
	p->key.process = th->process->serial;
	p->key.tid = th->tid;
	p->key.event = (uint16_t)s->event;
	pieces_count(&s->use, th, p);
	s->samples++;
}

/* The stack of R, if any, and below it the call NUMBER. */
static void find_node(struct syscalls *s, const struct thread *th, const struct record *r,
		      int64_t number, struct cell_key *key)
{
	uint32_t frame = syscall_names_call(s->names, number);
	struct found_stack found;

	key->tid = th->tid;
	if (!s->use.callers->leaf_only && r && r->sample.callchain_count) {
		const struct address leaf = { th->process, r->cpumode, r->sample.ip };

		callers_find(s->use.callers, &leaf, r, key, &found);
	}
	key->frame = frame;
	if (s->use.callers->leaf_only)
		return;
	key->node = chains_child(s->use.chains, key->node, frame);
	key->frame = chains_at(s->use.chains, key->node).frame;
}

/* Returns true if C is what R ends: else records between them were lost. */
static bool is_end_of(const struct call *c, const struct record *r)
{
	return c && r->time_ns >= c->began_ns &&
	       (r->call_number < 0 || r->call_number == c->number);
}

static void call_end(struct syscalls *s, struct thread *th, const struct record *r)
{
	const struct call *c = map_find(&s->calls, r->tid);
	struct piece p = { .key.data = syscall_names_error(s->names, r->call_result),
			   .end_ns = r->time_ns };
	int64_t number = r->call_number;

	if (is_end_of(c, r)) {
		number = c->number;
		p.longest_ns = r->time_ns - c->began_ns;
		p.ns = r->time_ns > c->counted_ns ? r->time_ns - c->counted_ns : 0;
		p.key.wait = (uint8_t)(distribution_bucket(p.longest_ns) + 1);
	}
	find_node(s, th, r, number, &p.key);
	count_piece(s, th, &p);
}

void syscalls_receive(struct syscalls *s, struct thread *th, const struct record *r, bool uncounted)
{
	const struct call *c;

	if (!s || !pieces_follow(&s->use, th))
		return;
	if (r->call == CALL_ENTERS) {
		call_begin(s, r);
		return;
	}
	c = map_find(&s->calls, r->tid);
	if (!uncounted && !(c && c->born))
		call_end(s, th, r);
	syscalls_end(s, r->tid);
}

static void count_lasting(struct syscalls *s, struct call *c, uint64_t until_ns)
{
	struct thread *th = process_table_find_thread(s->use.processes, c->tid);
	struct piece p = { .key.wait = CELL_WAIT_LASTS,
			   .ns = until_ns - c->counted_ns,
			   .longest_ns = until_ns - c->began_ns,
			   .end_ns = until_ns };

	if (c->born || !pieces_follow(&s->use, th) || until_ns <= c->counted_ns)
		return;
	find_node(s, th, NULL, c->number, &p.key);
	count_piece(s, th, &p);
	c->counted_ns = until_ns;
}

void syscalls_count(struct syscalls *s, uint64_t newest_ns)
{
	struct call *c;

	if (!s)
		return;
	if (newest_ns > s->use.to_ns)
		newest_ns = s->use.to_ns;
	for (size_t i = 0; (c = map_next(&s->calls, &i));)
		count_lasting(s, c, newest_ns);
}
