/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/strtab.h"

#define LOCATION_OF_LIST (1ull << 63) /* in the key of a location with several functions */

struct stacks {
	const struct snapshot *snapshot;
	struct strtab *names;
	struct stack_column *columns;
	size_t column_count;
	int *first_column; /* for each event of the snapshot; -1: not sampled */
	uint32_t *order;   /* cells, those of one stack adjacent */
	size_t cell_count, next;
	double *sums;  /* one a column: of the stack under construction */
	double *carry; /* likewise: the remainder from rounding */
	int64_t *values;
	uint32_t *frames; /* of the stack under construction */
	size_t frame_capacity;
};

bool stack_is_shared(const struct stack *stack)
{
	return !stack->pid && !*stack->comm;
}

size_t stack_location(const struct snapshot *s, const struct stack *stack, size_t at, uint64_t *key)
{
	const uint32_t *frames = stack->frames + at;
	size_t count = 1;

	while (at + count < stack->depth &&
	       frame_flags(s->frames, frames[count - 1]) & FRAME_INLINED)
		count++;
	*key = count == 1 ? frames[0]
			  : hash_bytes(frames, count * sizeof(*frames)) | LOCATION_OF_LIST;
	return count;
}

/*
 * The first event has the names that tools know; those of later events begin with the event's name.
 */
static void add_columns(struct stacks *t, uint16_t event)
{
	const struct snapshot_event *e = &t->snapshot->events[event];
	const char *name = e->name;
	bool first = !t->column_count, clock = event_is_clock(e->id);
	char *samples = first ? mem_strdup("samples") : mem_printf("%s-samples", name);

	t->first_column[event] = (int)t->column_count;
	t->columns[t->column_count++] = (struct stack_column){
		.name = strtab_add(t->names, samples),
		.unit = "count",
		.event = event,
	};
	t->columns[t->column_count++] = (struct stack_column){
		.name = strtab_add(t->names, first && clock && !e->time ? "cpu" : name),
		.unit = clock ? "nanoseconds" : "count",
		.event = event,
		.period = true,
	};
	free(samples);
}

static void make_columns(struct stacks *t)
{
	const struct snapshot *s = t->snapshot;

	t->columns = mem_array(2 * s->event_count, sizeof(*t->columns));
	t->first_column = mem_array(s->event_count, sizeof(*t->first_column));
	for (size_t i = 0; i < s->event_count; i++) {
		t->first_column[i] = -1;
		if (s->events[i].sampled)
			add_columns(t, (uint16_t)i);
	}
	t->sums = mem_array(t->column_count, sizeof(*t->sums));
	t->carry = mem_array(t->column_count, sizeof(*t->carry));
	t->values = mem_array(t->column_count, sizeof(*t->values));
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_stacks(const struct snapshot_cell *a, const struct snapshot_cell *b)
{
	int order = compare_u32(a->process, b->process);

	if (!order)
		order = compare_u32(a->tid, b->tid);
	if (!order)
		order = compare_u32(a->frame, b->frame);
	return order ? order : compare_u32(a->node, b->node);
}

static int compare_cells(const void *a, const void *b, void *cells)
{
	const struct snapshot_cell *all = cells;

	return compare_stacks(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

static void order_cells(struct stacks *t)
{
	const struct snapshot *s = t->snapshot;

	t->order = mem_array(s->cell_count, sizeof(*t->order));
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event < s->event_count && t->first_column[c->event] >= 0)
			t->order[t->cell_count++] = (uint32_t)i;
	}
	if (t->cell_count)
		qsort_r(t->order, t->cell_count, sizeof(*t->order), compare_cells, s->cells);
}

struct stacks *stacks_new(const struct snapshot *s)
{
	struct stacks *t = mem_alloc(sizeof(*t));

	t->snapshot = s;
	t->names = strtab_new();
	make_columns(t);
	order_cells(t);
	return t;
}

void stacks_free(struct stacks *t)
{
	if (!t)
		return;
	strtab_free(t->names);
	mem_free(t->columns, t->first_column, t->order, t->sums, t->carry, t->values, t->frames, t);
}

const struct stack_column *stacks_columns(const struct stacks *t, size_t *count)
{
	*count = t->column_count;
	return t->columns;
}

int stacks_column_find(const struct stacks *t, int event, bool period)
{
	if (event < 0 || (size_t)event >= t->snapshot->event_count || t->first_column[event] < 0)
		return -1;
	return t->first_column[event] + period;
}

static const struct snapshot_cell *cell_at(const struct stacks *t, size_t i)
{
	return &t->snapshot->cells[t->order[i]];
}

/* Sums up the cells of the next stack; returns the first of them. */
static const struct snapshot_cell *take_cells(struct stacks *t)
{
	const struct snapshot_cell *first = cell_at(t, t->next);

	memset(t->sums, 0, t->column_count * sizeof(*t->sums));
	for (; t->next < t->cell_count; t->next++) {
		const struct snapshot_cell *c = cell_at(t, t->next);
		double *sums = &t->sums[t->first_column[c->event]];

		if (compare_stacks(c, first))
			break;
		sums[0] += c->samples;
		sums[1] += c->period;
	}
	return first;
}

/*
 * Rounds the sums.  Returns true if a value is not 0.  A value that is no count (negative, NAN,
 * past 2^62) cannot come from a histogram; it is bounded here so that the conversion is defined.
 */
static bool round_values(struct stacks *t)
{
	bool any = false;

	for (size_t i = 0; i < t->column_count; i++) {
		double exact = fmin(fmax(t->sums[i], 0), 0x1p62) + t->carry[i];

		t->values[i] = exact > 0 ? llround(exact) : 0;
		t->carry[i] = exact - (double)t->values[i];
		any |= t->values[i] != 0;
	}
	return any;
}

/* A cell without a stack is a stack with one frame. */
static size_t make_frames(struct stacks *t, const struct snapshot_cell *c)
{
	const struct snapshot *s = t->snapshot;
	uint32_t node = c->node < s->node_count ? c->node : CALL_ROOT;
	size_t depth = 0;

	do {
		mem_grow((void **)&t->frames, &t->frame_capacity, depth + 1, sizeof(*t->frames));
		t->frames[depth++] = node == CALL_ROOT ? c->frame : s->nodes[node].frame;
		node = node == CALL_ROOT ? CALL_ROOT : s->nodes[node].parent;
	} while (node != CALL_ROOT);
	return depth;
}

bool stacks_next(struct stacks *t, struct stack *stack)
{
	const struct snapshot_cell *c;

	do {
		if (t->next >= t->cell_count)
			return false;
		c = take_cells(t);
	} while (!round_values(t));
	*stack = (struct stack){ .process = c->process,
				 .pid = c->pid,
				 .tid = c->tid,
				 .comm = c->comm,
				 .depth = make_frames(t, c),
				 .values = t->values };
	stack->frames = t->frames;
	return true;
}
