/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/heap.h"

#define ENTRIES_MAX (1024u * 1024)
#define RUNS_MAX 4096u
#define RUN_ENTRIES 64u

/* Entries in order; [head, count) are still queued.  When they fall, the last one is the oldest. */
struct run {
	struct heap_node node; /* first */
	struct order_entry *items;
	size_t head, count, capacity;
	bool falls;
};

struct file_order {
	struct run **runs; /* all of them; owned */
	size_t run_count, run_capacity;
	struct heap heap; /* the ones that are not empty, oldest head first */
	struct run *last; /* that was added to, or NULL */
	size_t count;
};

static const struct order_entry *oldest(const struct run *r)
{
	return &r->items[r->falls ? r->count - 1 : r->head];
}

static bool is_older(const struct heap_node *a, const struct heap_node *b)
{
	const struct order_entry *x = oldest((const struct run *)a);
	const struct order_entry *y = oldest((const struct run *)b);

	return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : x->sequence < y->sequence;
}

struct file_order *file_order_new(void)
{
	struct file_order *o = mem_alloc(sizeof(*o));

	o->heap.before = is_older;
	return o;
}

void file_order_free(struct file_order *o)
{
	struct order_entry e;

	if (!o)
		return;
	while (file_order_next(o, UINT64_MAX, &e))
		file_block_release(e.block);
	for (size_t i = 0; i < o->run_count; i++) {
		free(o->runs[i]->items);
		free(o->runs[i]);
	}
	free(o->runs);
	heap_fini(&o->heap);
	free(o);
}

size_t file_order_count(const struct file_order *o)
{
	return o->count;
}

bool file_order_full(const struct file_order *o)
{
	return o->count >= ENTRIES_MAX || o->heap.count >= RUNS_MAX;
}

/* Entries of one time keep their order, so they do not fall. */
static bool run_takes(const struct run *r, uint64_t time_ns, bool falling)
{
	size_t queued = r->count - r->head;
	uint64_t last_ns = queued ? r->items[r->count - 1].time_ns : 0;

	if (r->falls && queued)
		return time_ns < last_ns;
	if (falling && queued == 1)
		return time_ns != last_ns;
	return time_ns >= last_ns;
}

/* The first one that goes on with TIME_NS, an empty one as well; or a new one. */
static struct run *find_run(struct file_order *o, uint64_t time_ns, bool falling)
{
	struct run *r;

	if (o->last && run_takes(o->last, time_ns, falling))
		return o->last;
	for (size_t i = 0; i < o->run_count; i++)
		if (run_takes(o->runs[i], time_ns, falling))
			return o->runs[i];
	r = mem_alloc(sizeof(*r));
	mem_grow((void **)&o->runs, &o->run_capacity, o->run_count + 1, sizeof(*o->runs));
	o->runs[o->run_count++] = r;
	return r;
}

/* Room for one more: where entries were taken from the front, if that is half. */
static void run_make_room(struct run *r)
{
	if (r->head == r->count) {
		r->head = r->count = 0;
	} else if (r->count == r->capacity && r->head >= r->capacity / 2) {
		memmove(r->items, r->items + r->head, (r->count - r->head) * sizeof(*r->items));
		r->count -= r->head;
		r->head = 0;
	}
	if (r->count == r->capacity)
		mem_grow((void **)&r->items, &r->capacity,
			 r->count < RUN_ENTRIES ? RUN_ENTRIES : r->count + 1, sizeof(*r->items));
}

void file_order_add(struct file_order *o, const struct order_entry *e, bool falling)
{
	struct run *r = find_run(o, e->time_ns, falling);
	bool was_empty = r->head == r->count;

	r->falls = !was_empty && e->time_ns < r->items[r->count - 1].time_ns;
	run_make_room(r);
	r->items[r->count++] = *e;
	o->last = r;
	o->count++;
	if (was_empty)
		heap_push(&o->heap, &r->node);
	else if (r->falls)
		heap_rise(&o->heap, &r->node);
}

bool file_order_next(struct file_order *o, uint64_t limit_ns, struct order_entry *e)
{
	struct run *r = (struct run *)heap_top(&o->heap);

	if (!r || oldest(r)->time_ns > limit_ns)
		return false;
	*e = r->falls ? r->items[--r->count] : r->items[r->head++];
	o->count--;
	if (r->head == r->count)
		heap_pop(&o->heap);
	else
		heap_sink(&o->heap, &r->node);
	return true;
}
