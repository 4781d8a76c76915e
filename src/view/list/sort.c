/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * Most rows of a large machine are idle: their values are the same, or absent, and they come in the order of their ties.
 * Each run takes the rows that may follow its last one, so few are left to sort.
 */
#define RUNS 3
#define TRIALS 64 /* rows of which any number may find no run */

union sort_value {
	double number;    /* NAN: absent */
	const char *text; /* NULL: absent */
};

struct sort_item {
	union sort_value values[CHOICE_KEYS];
	uint64_t tie;
	uint32_t index;
};

static union sort_value value_of(const struct column *c, const struct column_row *row)
{
	union sort_value v;

	if (c->type == COLUMN_TEXT) {
		v.text = column_text(c, row);
		return v;
	}
	v.number = column_number(c, row);
	if (c->by_size)
		v.number = fabs(v.number);
	if (c->resolution > 0)
		v.number = rint(v.number / c->resolution);
	return v;
}

static int compare_texts(const char *a, const char *b, bool descending)
{
	int order;

	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	order = strcmp(a, b);
	return descending ? -order : order;
}

static int compare_numbers(double a, double b, bool descending)
{
	int order = (a > b) - (a < b);

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return descending ? -order : order;
}

static int compare_items(const void *one, const void *other, void *context)
{
	const struct sort_item *a = one, *b = other;
	const struct choice_sort *by = context;

	for (size_t k = 0; k < by->count; k++) {
		const struct choice_key *key = &by->keys[k];
		const union sort_value *x = &a->values[k], *y = &b->values[k];
		int order = key->column->type == COLUMN_TEXT
				    ? compare_texts(x->text, y->text, key->descending)
				    : compare_numbers(x->number, y->number, key->descending);

		if (order)
			return order;
	}
	if (a->tie != b->tie)
		return a->tie > b->tie ? 1 : -1;
	return (a->index > b->index) - (a->index < b->index);
}

static void item_fill(struct sort_item *item, const struct sort_rows *rows, size_t i,
		      const struct choice_sort *by)
{
	struct column_row row = { 0 };

	rows->row(rows->context, i, &row);
	for (size_t k = 0; k < by->count; k++)
		item->values[k] = value_of(by->keys[k].column, &row);
	item->tie = rows->tie(rows->context, i);
	item->index = (uint32_t)i;
}

/* Items by their numbers, in ascending order. */
struct run {
	uint32_t *items;
	size_t count;
};

struct sorting {
	const struct choice_sort *by;
	const struct sort_item *items;
	struct run runs[RUNS + 1]; /* the last one: what no run took, in any order at first */
};

static int compare_numbered(const void *one, const void *other, void *context)
{
	const struct sorting *s = context;

	return compare_items(&s->items[*(const uint32_t *)one], &s->items[*(const uint32_t *)other],
			     (void *)s->by);
}

/* The run whose last item stands before NUMBER, or the rest.  Rows that come in no order are not compared with runs. */
static struct run *run_of(struct sorting *s, uint32_t number)
{
	bool ordered = s->runs[RUNS].count <= TRIALS + number / 2;
	struct run *r = ordered ? s->runs : &s->runs[RUNS];

	while (r < &s->runs[RUNS] && r->count &&
	       compare_numbered(&r->items[r->count - 1], &number, s) > 0)
		r++;
	return r;
}

/* Moves the items of RUN into ALL, at their places. */
static void run_merge(struct sorting *s, struct run *all, const struct run *run)
{
	size_t i = all->count, j = run->count, to = i + j;

	while (j) {
		bool last = !i || compare_numbered(&all->items[i - 1], &run->items[j - 1], s) < 0;

		all->items[--to] = last ? run->items[--j] : all->items[--i];
	}
	all->count += run->count;
}

uint32_t *sort_order(const struct sort_rows *rows, const struct choice_sort *by)
{
	struct sort_item *items = mem_array(rows->count, sizeof(*items));
	uint32_t *room = mem_array(rows->count, (RUNS + 1) * sizeof(*room));
	struct sorting s = { .by = by, .items = items };
	struct run *rest = &s.runs[RUNS];

	for (size_t i = 0; i <= RUNS; i++)
		s.runs[i].items = room + (RUNS - i) * rows->count;
	for (size_t i = 0; i < rows->count; i++) {
		struct run *r;

		item_fill(&items[i], rows, i, by);
		r = run_of(&s, (uint32_t)i);
		r->items[r->count++] = (uint32_t)i;
	}
	qsort_r(rest->items, rest->count, sizeof(*rest->items), compare_numbered, &s);
	for (size_t i = RUNS; i-- > 0;)
		run_merge(&s, rest, &s.runs[i]);
	free(items);
	return room;
}
