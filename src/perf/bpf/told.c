/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/bpf/told.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

struct told_wait {
	uint64_t since_ns;     /* which wait it is */
	uint64_t ns, delay_ns; /* told of it */
	uint64_t round;        /* the last one that added it */
};

struct told {
	struct map waits; /* by tid, owned; a thread has one */
	uint64_t round;
};

struct told *told_new(void)
{
	struct told *d = mem_alloc(sizeof(*d));

	d->round = 1;
	return d;
}

void told_free(struct told *d)
{
	if (!d)
		return;
	map_fini_each(&d->waits, free);
	free(d);
}

/* Returns the part that is told of TID's wait since SINCE_NS; an earlier one of it is over. */
static struct told_wait *wait_of(struct told *d, uint32_t tid, uint64_t since_ns)
{
	struct told_wait *w = map_find(&d->waits, tid);

	if (!w) {
		w = mem_alloc(sizeof(*w));
		map_put(&d->waits, tid, w);
	}
	if (w->since_ns != since_ns)
		*w = (struct told_wait){ .since_ns = since_ns };
	return w;
}

static uint64_t elapsed_ns(uint64_t from_ns, uint64_t until_ns)
{
	return until_ns > from_ns ? until_ns - from_ns : 0;
}

static uint64_t less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

bool told_add(struct told *d, uint32_t tid, const struct wait_thread *t, uint64_t until_ns,
	      struct wait_sum *one)
{
	uint64_t ns = elapsed_ns(t->since_ns, until_ns);
	uint64_t delay_ns = t->ready_ns ? elapsed_ns(t->ready_ns, until_ns) : 0;
	struct told_wait *w;

	if (!ns)
		return false;
	w = wait_of(d, tid, t->since_ns);
	*one = (struct wait_sum){ .ns = less(ns, w->ns),
				  .delay_ns = less(delay_ns, w->delay_ns),
				  .longest_ns = ns,
				  .longest_delay_ns = delay_ns,
				  .end_ns = until_ns };
	w->ns = ns;
	w->delay_ns = delay_ns;
	w->round = d->round;
	return one->ns;
}

void told_take(struct told *d, const struct wait_key *key, struct wait_sum *sum)
{
	struct told_wait *w = key->since_ns ? map_find(&d->waits, key->tid) : NULL;

	if (!w || w->since_ns != key->since_ns)
		return;
	sum->ns = less(sum->ns, w->ns);
	sum->delay_ns = less(sum->delay_ns, w->delay_ns);
	free(map_remove(&d->waits, key->tid));
}

void told_next(struct told *d)
{
	uint32_t *gone = mem_array(d->waits.count, sizeof(*gone));
	size_t count = 0, at = 0;

	for (size_t i = 0; i < d->waits.capacity; i++) {
		const struct told_wait *w = d->waits.slots[i].value;

		if (w && w->round + 1 < d->round)
			gone[count++] = (uint32_t)d->waits.slots[i].key;
	}
	while (at < count)
		free(map_remove(&d->waits, gone[at++]));
	free(gone);
	d->round++;
}
