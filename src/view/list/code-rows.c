/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/code-rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/addresses.h"

/* An instruction, or a sampled address, and its counts. */
struct item {
	uint64_t address;
	double samples, period, base;
};

struct build {
	struct code_rows *to;
	const struct code_request *q;
	const struct snapshot_function *f;
	const struct code *code; /* NULL: addresses alone */
	size_t events;           /* values of an item; 0 none */
	struct item *items;      /* by address */
	size_t count;
	double *values;       /* of the items */
	struct shares shares; /* of a symbol's overhead */
	struct map
		base_groups; /* with a filter of groups: a process of the base to its group + 1 */
};

static bool passes(const struct build *b, const struct snapshot_address *a)
{
	return a->cell.event == b->q->filters->event &&
	       rows_cell_passes(b->q->rows, b->q->snapshot, b->q->filters, &a->cell);
}

/*
 * The number of sampled addresses in the base; 0 without a base or without an object of the
 * function.
 */
static size_t base_count(const struct build *b)
{
	const struct snapshot *base = b->q->filters->base;

	return base && base->addresses && b->f->object ? base->addresses->count : 0;
}

/* Addresses of the base do not know their group; its cells do. */
static void find_base_groups(struct build *b)
{
	const struct snapshot *base = b->q->filters->base;

	for (size_t i = 0; b->q->filters->groups && base && i < base->cell_count; i++)
		map_put(&b->base_groups, base->cells[i].process,
			(void *)((uintptr_t)base->cells[i].group + 1));
}

static uint32_t base_group(const struct build *b, uint32_t process)
{
	uintptr_t group = (uintptr_t)map_find(&b->base_groups, process);

	return group ? (uint32_t)(group - 1) : 0;
}

/*
 * Sets *A to address I of the base, moved into the shown function.  Returns true if it belongs to
 * the function and passes the filters.
 */
static bool base_at(const struct build *b, size_t i, struct snapshot_address *a)
{
	const struct snapshot *base = b->q->filters->base;
	const struct address_sum *sum = &base->addresses->items[i];

	*a = (struct snapshot_address){
		.address = sum->key.address + b->f->moved,
		.cell = { .process = sum->key.process,
			  .tid = sum->key.tid,
			  .event = sum->key.event,
			  .frame = b->f->frame,
			  .group = base_group(b, sum->key.process),
			  .comm = "",
			  .samples = sum->samples,
			  .period = sum->period },
	};
	return sum->key.object == b->f->object && a->address >= b->f->start &&
	       a->address < b->f->end && passes(b, a);
}

static int compare_items(const void *left, const void *right)
{
	uint64_t a = ((const struct item *)left)->address;
	uint64_t b = ((const struct item *)right)->address;

	return (a > b) - (a < b);
}

/* Without code: one item for each sampled address. */
static void find_addresses(struct build *b)
{
	size_t kept = 0, bases = base_count(b);
	struct snapshot_address a;

	b->items = mem_array(b->f->address_count + bases, sizeof(*b->items));
	for (size_t i = 0; i < bases; i++) {
		if (base_at(b, i, &a))
			b->items[b->count++].address = a.address;
	}
	for (size_t i = 0; i < b->f->address_count; i++) {
		if (passes(b, &b->f->addresses[i]))
			b->items[b->count++].address = b->f->addresses[i].address;
	}
	if (b->count)
		qsort(b->items, b->count, sizeof(*b->items), compare_items);
	for (size_t i = 0; i < b->count; i++) {
		if (!i || b->items[i].address != b->items[kept - 1].address)
			b->items[kept++] = b->items[i];
	}
	b->count = kept;
}

static void find_instructions(struct build *b)
{
	b->count = b->code->instruction_count;
	b->items = mem_array(b->count, sizeof(*b->items));
	for (size_t i = 0; i < b->count; i++)
		b->items[i].address = b->code->instructions[i].address;
}

static struct item *find_item(const struct build *b, uint64_t address)
{
	const struct item key = { .address = address };
	size_t i;

	if (!b->code)
		return b->count ? bsearch(&key, b->items, b->count, sizeof(key), compare_items)
				: NULL;
	i = code_find(b->code, address);
	return i < b->count ? &b->items[i] : NULL;
}

static void values_add(double *to, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i]))
			to[i] = (isnan(to[i]) ? 0 : to[i]) + values[i];
	}
}

static double *values_new(size_t count)
{
	double *values = mem_array(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	return values;
}

/* Samples outside of all instructions still belong to the function. */
static void count_samples(struct build *b)
{
	b->to->period = 0;
	for (size_t i = 0; i < b->f->address_count; i++) {
		const struct snapshot_address *a = &b->f->addresses[i];
		struct item *item = find_item(b, a->address);

		if (!passes(b, a))
			continue;
		b->to->period += a->cell.period;
		if (!item)
			continue;
		item->samples += a->cell.samples;
		item->period += a->cell.period;
		if (b->events && a->cell.counters)
			values_add(b->values + (size_t)(item - b->items) * b->events,
				   a->cell.counters, b->events);
	}
}

static void count_base(struct build *b)
{
	size_t count = base_count(b);
	struct snapshot_address a;

	b->to->base_period = 0;
	for (size_t i = 0; i < count; i++) {
		struct item *item;

		if (!base_at(b, i, &a))
			continue;
		item = find_item(b, a.address);
		b->to->base_period += a.cell.period;
		if (item)
			item->base += a.cell.period;
	}
}

static struct code_row *row_add(struct build *b, uint64_t address)
{
	struct code_rows *c = b->to;
	struct code_row *row;

	mem_grow((void **)&c->rows, &c->capacity, c->count + 1, sizeof(*c->rows));
	row = &c->rows[c->count++];
	*row = (struct code_row){ .address = address, .offset = address - b->f->start };
	snprintf(row->hex, sizeof(row->hex), "%" PRIx64, address);
	return row;
}

/* Adds item I to row ROW. */
static void row_count(struct build *b, size_t number, size_t i)
{
	struct code_row *row = &b->to->rows[number];

	row->samples += b->items[i].samples;
	row->period += b->items[i].period;
	row->base += b->items[i].base;
	if (b->events)
		values_add(b->to->values + number * b->events, b->values + i * b->events,
			   b->events);
}

static const struct code_line *line_of(const struct build *b, size_t i)
{
	uint32_t line = b->code ? b->code->instructions[i].line : CODE_NO_LINE;

	return line < CODE_NO_LINE ? &b->code->lines[line] : NULL;
}

/* Allocates values for the largest number of rows. */
static void values_clear(struct build *b, size_t rows)
{
	size_t count = rows * b->events;

	mem_grow((void **)&b->to->values, &b->to->value_capacity, count + 1, sizeof(double));
	for (size_t i = 0; i < count; i++)
		b->to->values[i] = NAN;
}

static void add_instructions(struct build *b, bool lines)
{
	const struct code_line *before = NULL;
	size_t line_row = 0;

	values_clear(b, 2 * b->count);
	for (size_t i = 0; i < b->count; i++) {
		const struct code_line *line = line_of(b, i);
		struct code_row *row;

		if (lines && line && line != before) {
			line_row = b->to->count;
			row = row_add(b, b->items[i].address);
			row->line = line;
			row->is_line = true;
		}
		before = line;
		row = row_add(b, b->items[i].address);
		row->line = line;
		row->instruction = b->code ? &b->code->instructions[i] : NULL;
		row_count(b, b->to->count - 1, i);
		if (lines && line)
			row_count(b, line_row, i);
	}
}

/* Lines are sorted by file; each has the address of its first instruction. */
static void add_lines(struct build *b)
{
	size_t count = b->code->line_count;

	values_clear(b, count);
	for (size_t i = 0; i < count; i++) {
		struct code_row *row = row_add(b, UINT64_MAX);

		row->line = &b->code->lines[i];
		row->is_line = true;
	}
	for (size_t i = 0; i < b->count; i++) {
		uint32_t line = b->code->instructions[i].line;
		struct code_row *row = line < count ? &b->to->rows[line] : NULL;

		if (!row)
			continue;
		if (row->address == UINT64_MAX) {
			row->address = b->items[i].address;
			row->offset = row->address - b->f->start;
			snprintf(row->hex, sizeof(row->hex), "%" PRIx64, row->address);
		}
		row_count(b, line, i);
	}
}

static double delta_of(const struct code_rows *c, const struct code_row *row)
{
	if (!(c->base_period > 0))
		return NAN;
	return (c->period > 0 ? row->share_percent : 0) - 100 * row->base / c->base_period;
}

/*
 * The function's period in the cells, per period of its addresses: 1, unless cells were merged into
 * "[others]", which addresses are not.  So the overheads of instructions sum up to the function's.
 */
static double counted_part(const struct build *b)
{
	const struct snapshot *s = b->q->snapshot;
	double counted = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->frame == b->f->frame && c->event == b->q->filters->event &&
		    rows_cell_passes(b->q->rows, s, b->q->filters, c))
			counted += c->period;
	}
	return counted < b->to->period ? counted / b->to->period : 1;
}

static void finish_rows(struct build *b)
{
	struct code_rows *c = b->to;
	double part = counted_part(b);

	for (size_t i = 0; i < c->count; i++) {
		struct code_row *row = &c->rows[i];

		row->share_percent = c->period > 0 ? 100 * row->period / c->period : NAN;
		row->delta_percent = delta_of(c, row);
		row->overhead_percent = share_percent(&b->shares.period, row->period * part);
		row->credited = b->events ? c->values + i * b->events : NULL;
		row->arrow_row = i;
	}
}

/* For each instruction the index of its row. */
static uint32_t *rows_of_instructions(const struct build *b)
{
	uint32_t *rows = mem_array(b->count, sizeof(*rows));

	for (size_t i = 0; i < b->to->count; i++) {
		const struct code_row *row = &b->to->rows[i];

		if (!row->is_line)
			rows[row->instruction - b->code->instructions] = (uint32_t)i;
	}
	return rows;
}

static bool is_jump(const struct code_instruction *in)
{
	return in->target && (in->flow == CODE_JUMP || in->flow == CODE_BRANCH);
}

static void add_arrows(struct build *b)
{
	uint32_t *rows = rows_of_instructions(b);
	struct arrow_jump *jumps = mem_array(b->count, sizeof(*jumps));
	size_t count = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct code_instruction *in = &b->code->instructions[i];
		size_t to = is_jump(in) ? code_find(b->code, in->target) : SIZE_MAX;

		if (to < b->count && b->code->instructions[to].address == in->target)
			jumps[count++] = (struct arrow_jump){ rows[i], rows[to] };
	}
	arrows_make(&b->to->arrows, b->to->count, jumps, count);
	for (size_t i = 0; i < b->to->count; i++)
		b->to->rows[i].arrows = &b->to->arrows;
	free(jumps);
	free(rows);
}

void code_rows_build(struct code_rows *c, const struct code_request *q)
{
	struct build b = { .to = c, .q = q, .f = &q->snapshot->function };

	b.code = b.f->code;
	b.events = b.f->values ? q->snapshot->event_count : 0;
	c->count = 0;
	find_base_groups(&b);
	if (b.code)
		find_instructions(&b);
	else
		find_addresses(&b);
	b.values = values_new(b.count * b.events);
	count_samples(&b);
	count_base(&b);
	b.shares = rows_shares(q->rows, q->snapshot, q->filters);
	if (q->mode == CODE_LINES && b.code)
		add_lines(&b);
	else
		add_instructions(&b, q->mode != CODE_INSTRUCTIONS);
	finish_rows(&b);
	if (b.code && q->mode != CODE_LINES)
		add_arrows(&b);
	map_fini(&b.base_groups);
	free(b.items);
	free(b.values);
}

void code_rows_fini(struct code_rows *c)
{
	free(c->rows);
	free(c->values);
	arrows_fini(&c->arrows);
	*c = (struct code_rows){ 0 };
}

size_t code_rows_find(const struct code_rows *c, const struct code *code, uint64_t address)
{
	size_t in = code ? code_find(code, address) : SIZE_MAX;
	const struct code_line *line = NULL;

	if (in < SIZE_MAX && code->instructions[in].line < CODE_NO_LINE)
		line = &code->lines[code->instructions[in].line];
	for (size_t i = 0; i < c->count; i++) {
		if (!c->rows[i].is_line && c->rows[i].address == address)
			return i;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (line && c->rows[i].is_line && c->rows[i].line == line)
			return i;
	}
	return SIZE_MAX;
}
