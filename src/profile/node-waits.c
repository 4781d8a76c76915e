/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/node-waits.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/cell.h"

struct part {
	uint32_t node;
	uint32_t waker;
	uint8_t wait; /* struct cell_key */
	double count, longest_ns;
};

struct total {
	uint64_t buckets; /* a bit for each that has waits */
	size_t first;     /* of `counts`, one for each of these bits */
	double longest_ns;
};

struct node_waits {
	struct part *parts; /* by node, once they are summed up */
	size_t part_count, part_capacity;
	uint32_t *starts;     /* of parts, by node, and one more */
	struct total *totals; /* by node; NULL: without those below */
	double *counts;
};

struct node_waits *node_waits_new(void)
{
	return mem_alloc(sizeof(struct node_waits));
}

void node_waits_free(struct node_waits *w)
{
	if (!w)
		return;
	mem_free(w->parts, w->starts, w->totals, w->counts, w);
}

void node_waits_put(struct node_waits *w, uint32_t node, const struct snapshot_cell *c)
{
	if (c->wait == CELL_RAN)
		return;
	mem_grow((void **)&w->parts, &w->part_capacity, w->part_count + 1, sizeof(*w->parts));
	w->parts[w->part_count++] = (struct part){ node, c->data, c->wait, c->samples, c->longest };
}

/* The bit of its bucket; 0: its waits go on. */
static uint64_t bit_of(const struct part *p)
{
	return p->wait == CELL_WAIT_LASTS ? 0 : (uint64_t)1 << (p->wait - 1);
}

void node_waits_move(struct node_waits *w, const uint32_t *to)
{
	for (size_t i = 0; i < w->part_count; i++)
		w->parts[i].node = to[w->parts[i].node];
}

/* Parts of a node lie together then. */
static void order_parts(struct node_waits *w, size_t nodes)
{
	struct part *sorted = mem_array(w->part_count, sizeof(*sorted));

	w->starts = mem_array(nodes + 2, sizeof(*w->starts));
	for (size_t i = 0; i < w->part_count; i++)
		w->starts[w->parts[i].node + 2]++;
	for (size_t i = 2; i < nodes + 2; i++)
		w->starts[i] += w->starts[i - 1];
	for (size_t i = 0; i < w->part_count; i++)
		sorted[w->starts[w->parts[i].node + 1]++] = w->parts[i];
	free(w->parts);
	w->parts = sorted;
}

/* Where TOTAL has the count of BUCKET, which is one of its own. */
static double *count_of(const struct node_waits *w, const struct total *total, unsigned bucket)
{
	uint64_t before = total->buckets & (((uint64_t)1 << bucket) - 1);

	return &w->counts[total->first + (unsigned)__builtin_popcountll(before)];
}

static void add_total(const struct node_waits *w, struct total *to, const struct total *from)
{
	uint64_t left = from->buckets;

	for (; left; left &= left - 1) {
		unsigned bucket = (unsigned)__builtin_ctzll(left);

		*count_of(w, to, bucket) += *count_of(w, from, bucket);
	}
}

/* Finds the buckets of each node, and makes room for them. */
static void make_room(struct node_waits *w, const struct call_node *nodes, size_t count)
{
	size_t room = 0;

	w->totals = mem_array(count, sizeof(*w->totals));
	for (size_t i = 0; i < w->part_count; i++) {
		struct total *t = &w->totals[w->parts[i].node];

		t->buckets |= bit_of(&w->parts[i]);
		t->longest_ns = fmax(t->longest_ns, w->parts[i].longest_ns);
	}
	for (size_t i = count; i-- > 0;) {
		struct total *t = &w->totals[i], *above = &w->totals[nodes[i].parent];

		t->first = room;
		if (i == CALL_ROOT)
			above = t;
		above->buckets |= t->buckets;
		above->longest_ns = fmax(above->longest_ns, t->longest_ns);
		room += (unsigned)__builtin_popcountll(t->buckets);
	}
	w->counts = mem_array(room, sizeof(*w->counts));
}

void node_waits_sum(struct node_waits *w, const struct call_node *nodes, size_t count, bool below)
{
	order_parts(w, count);
	if (!below)
		return;
	make_room(w, nodes, count);
	for (size_t i = 0; i < w->part_count; i++) {
		const struct part *p = &w->parts[i];

		if (bit_of(p))
			*count_of(w, &w->totals[p->node], p->wait - 1u) += p->count;
	}
	for (size_t i = count; i-- > 1;)
		add_total(w, &w->totals[nodes[i].parent], &w->totals[i]);
}

void node_waits_self(const struct node_waits *w, uint32_t node, struct distribution *sum)
{
	for (uint32_t i = w->starts[node]; i < w->starts[node + 1]; i++) {
		const struct part *p = &w->parts[i];

		distribution_add_cell(sum, p->wait, p->count, p->longest_ns);
	}
}

void node_waits_total(const struct node_waits *w, uint32_t node, struct distribution *sum)
{
	const struct total *t = &w->totals[node];
	uint64_t left = t->buckets;

	for (; left; left &= left - 1) {
		unsigned bucket = (unsigned)__builtin_ctzll(left);

		sum->counts[bucket] += *count_of(w, t, bucket);
	}
	sum->longest_ns = fmax(sum->longest_ns, t->longest_ns);
}

void node_waits_wakers(const struct node_waits *w, uint32_t node, waker_receiver *receive,
		       void *context)
{
	for (uint32_t i = w->starts[node]; i < w->starts[node + 1]; i++) {
		if (bit_of(&w->parts[i]))
			receive(context, w->parts[i].waker, w->parts[i].count);
	}
}
