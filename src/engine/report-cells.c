/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/alloc.h"
#include "engine/report.h"
#include "engine/engine-state.h"

/* The key of a task's tally in `tally_of`. */
static uint64_t tally_id(uint32_t serial, uint32_t tid)
{
	return (uint64_t)serial << 32 | tid;
}

struct tally *report_tally(const struct report *r, uint32_t serial, uint32_t tid)
{
	uintptr_t number = (uintptr_t)map_find(&r->tally_of, tally_id(serial, tid));

	return number ? &r->tallies[number - 1] : NULL;
}

static void add_samples(struct report *r, uint32_t serial, uint32_t tid, double samples)
{
	size_t number = map_enter(&r->tally_of, tally_id(serial, tid));

	if (number == r->tally_count) {
		mem_grow((void **)&r->tallies, &r->tally_capacity, number + 1, sizeof(*r->tallies));
		r->tallies[r->tally_count++] = (struct tally){ 0 };
	}
	r->tallies[number].samples += samples;
}

static void copy_cell(struct report *r, struct snapshot_cell *to, const struct cell *from)
{
	bool shown = from->key.event == r->sampled_event;

	*to = (struct snapshot_cell){ .process = from->key.process,
				      .tid = from->key.tid,
				      .comm = "",
				      .frame = chains_shown(r->e->chains, from->key.frame),
				      .data = from->key.data,
				      .node = from->key.node,
				      .event = from->key.event,
				      .cpu = from->key.cpu,
				      .wait = from->key.wait,
				      .samples = from->weight,
				      .period = from->period_weight,
				      .longest = (double)from->longest,
				      .counters = to->counters };
	if (r->node_map)
		to->node = r->node_map[to->node];
	add_samples(r, to->process, 0, shown ? to->samples : 0);
	/* Cells that were merged for room belong to no thread. */
	if (shown && to->tid && r->e->options.threads)
		add_samples(r, to->process, to->tid, to->samples);
}

struct shares {
	double all, unresolved, unnamed; /* samples */
};

static void count_cell(const struct report *r, struct shares *shares, const struct cell *c)
{
	uint8_t flags = frame_flags(r->e->frames, chains_shown(r->e->chains, c->key.frame));

	shares->all += c->weight;
	if (flags & FRAME_UNKNOWN)
		shares->unresolved += c->weight;
	if (flags & FRAME_UNNAMED)
		shares->unnamed += c->weight;
	r->s->sampling.loading |= (flags & FRAME_PENDING) != 0;
}

/* The last snapshot gets what the histogram had, so that the two are never there as a whole. */
static void move_cells(struct report *r, struct shares *shares)
{
	size_t count = r->s->cell_count;
	struct cell c;

	while (count && histogram_take(r->e->histogram, &c)) {
		copy_cell(r, &r->s->cells[--count], &c);
		count_cell(r, shares, &c);
	}
}

void report_copy_nodes(struct report *r)
{
	struct engine *e = r->e;
	bool last = r->request->last && !e->increase;

	if (last)
		chains_rename(e->chains);
	else
		chains_rename_soon(e->chains);
	r->s->nodes = chains_copy(e->chains, last, &r->s->node_count, &r->node_map);
}

static const struct histogram *shown_histogram(const struct report *r)
{
	return r->window ? window_cells(r->window) : r->e->histogram;
}

void report_copy_cells(struct report *r)
{
	const struct histogram *h = shown_histogram(r);
	struct shares shares = { 0 };
	const struct cell *c;
	size_t count = 0;
	double *values;

	snapshot_alloc_cells(r->s, histogram_count(h));
	values = r->e->increase && !r->window ? snapshot_alloc_cell_values(r->s) : NULL;
	if (r->request->last && !values && !r->window)
		move_cells(r, &shares);
	for (size_t i = 0; (c = histogram_next(h, &i)); count++) {
		copy_cell(r, &r->s->cells[count], c);
		if (values)
			memcpy(values + count * r->s->event_count, histogram_values(h, c),
			       r->s->event_count * sizeof(*values));
		count_cell(r, &shares, c);
	}
	if (!(shares.all > 0))
		return;
	r->s->sampling.unresolved_percent = 100 * shares.unresolved / shares.all;
	r->s->sampling.unnamed_percent = 100 * shares.unnamed / shares.all;
}

/*
 * Whose the cells are: rows of this snapshot, or processes of the past.  Cells of one process lie
 * together mostly.
 */
struct owner {
	uint32_t pid, group;
	uint64_t owner;
	const char *comm;
};

static struct owner find_owner(struct report *r, uint32_t serial)
{
	const struct tally *tally = report_tally(r, serial, 0); /* NULL: of addresses held before */
	const struct snapshot_process *row = tally ? tally->row : NULL;
	struct past *past = row ? NULL : map_find(&r->e->past, serial);

	if (row)
		return (struct owner){ row->pid, row->group, row->owner, row->comm };
	if (!past)
		return (struct owner){ 0, 0, OWNER_NOBODY, "" };
	past->used = r->s->iteration;
	return (struct owner){ past->pid, r->e->extras & EXTRA_GROUPS ? past->group : 0,
			       past->owner, strtab_add(r->s->arena, past->comm) };
}

/* The owner of the cell before, of process SERIAL; of none at first. */
struct named {
	struct owner owner;
	uint32_t serial;
	bool any;
};

static void name_cell(struct report *r, struct named *last, struct snapshot_cell *c)
{
	if (!last->any || c->process != last->serial)
		last->owner = find_owner(r, c->process);
	last->any = true;
	last->serial = c->process;
	c->pid = last->owner.pid;
	c->group = last->owner.group;
	c->owner = last->owner.owner;
	c->comm = last->owner.comm;
}

void report_name_cells(struct report *r)
{
	struct snapshot_function *f = &r->s->function;
	struct named last = { .any = false };

	for (size_t i = 0; i < r->s->cell_count; i++)
		name_cell(r, &last, &r->s->cells[i]);
	for (size_t i = 0; i < f->address_count; i++)
		name_cell(r, &last, &f->addresses[i].cell);
}
